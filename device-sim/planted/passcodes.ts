// Faults in what a lock makes of passcodes alone (Protocol 4.1, 4.4, 5.1, 5.2, 5.3 rule 4).
import { credentialDigest } from '../credential-memory.ts';
import { type Breach, type Item, itemsOf, type PlantedFault, saying, taking, withArguments } from './breach.ts';

/** Takes each passcode of a command for this one. */
function takingCodes(change: (item: Item) => Item): Breach {
  return taking((item) => (item['kind'] === 'passcode' ? change(item) : item));
}

/** One place for each number, whatever its kind. */
const oneNumberSpace: NonNullable<Breach['hears']> = (command, _lock, memory) => {
  if (command.op !== 'put-credentials') return [command];
  const last = new Map(itemsOf(command).map((item) => [item['number'], item]));
  const { cards, passcodes } = memory.contents;
  memory.change({
    cards: cards.filter(({ cardNumber }) => !last.has(cardNumber)),
    passcodes: passcodes.filter(({ number }) => !last.has(number)),
  });
  return [withArguments(command, { items: [...last.values()] })];
};

/** Knows what was typed, and says it. */
function sayingWhatWasTyped(): Breach {
  let typed = '';
  return {
    types(code) {
      typed = code;
      return code;
    },
    carrier: saying('events', ({ epoch, events }) => [
      { epoch, events: events.map((event) => (event.reason === 'wrong-passcode' ? { ...event, credential: typed } : event)) },
    ]),
  };
}

export const passcodeFaults = {
  'codes-as-numbers': {
    rule: 'Protocol 5.1',
    does: 'drops the leading zeros of a passcode',
    breach: () => ({
      ...takingCodes((item) => ({ ...item, number: BigInt(String(item['number'])).toString() })),
      profile: (profile) => ({ ...profile, passcodeDigits: [1, 9] }),
    }),
  },
  'drops-typed-zeros': {
    rule: 'Protocol 5.1',
    does: 'does not mind the zeros with which a code begins at the keypad',
    breach: () => ({ types: (code) => code.replace(/^0+(?=.)/, '') }),
  },
  'cuts-long-codes': {
    rule: 'Protocol 5.1',
    does: 'stores the first digits of a passcode that is too long',
    breach: () => takingCodes((item) => ({ ...item, number: String(item['number']).slice(0, 9) })),
  },
  'one-number-space': {
    rule: 'Protocol 5.1',
    does: 'takes a card and a passcode with the same digits for one thing',
    breach: () => ({ hears: oneNumberSpace }),
  },
  'codes-for-ever': {
    rule: 'Protocol 5.1',
    does: 'stores a passcode without its dates',
    breach: () => takingCodes((item) => ({ ...item, startDate: 0, endDate: 0 })),
  },
  'codes-at-all-hours': {
    rule: 'Protocol 5.1',
    does: 'stores a passcode without its hours',
    breach: () => takingCodes(({ hours, ...item }) => item),
  },
  'keeps-codes': {
    rule: 'Protocol 5.1',
    does: 'says ok to the removal of a passcode, and removes none',
    breach: () => ({
      hears: (command) => {
        if (command.op !== 'remove-credentials') return [command];
        const items = itemsOf(command).map((item) =>
          item['kind'] === 'passcode' ? { kind: 'card', number: '18446744073709551614' } : item,
        );
        return [withArguments(command, { items })];
      },
    }),
  },
  'once-not-listed': {
    rule: 'Protocol 5.1',
    does: 'lists a one-time code as one that opens always',
    breach: () => ({
      carrier: saying('reply', (reply) => {
        const { credentials, ...result } = (reply.result ?? {}) as { readonly credentials?: readonly Item[] };
        return [
          credentials === undefined ? reply : { ...reply, result: { ...result, credentials: credentials.map(({ once, ...one }) => one) } },
        ];
      }),
    }),
  },
  'says-wrong-codes': { rule: 'Protocol 4.4', does: 'says a wrong code in its event', breach: sayingWhatWasTyped },
  'digest-without-codes': {
    rule: 'Protocol 4.1',
    does: 'leaves passcodes out of the digest in its hello',
    breach: () => ({
      carrier: (carrier, { contents }) =>
        saying('hello', (hello) => {
          const digest = credentialDigest({ cards: contents.cards, passcodes: [] });
          return [{ ...hello, ...(hello.credentials && { credentials: { ...hello.credentials, digest } }) }];
        })(carrier),
    }),
  },
  'fewer-codes-than-said': {
    rule: 'Protocol 5.2',
    does: 'has fewer places for passcodes than its hello says',
    breach: () => ({
      profile: (profile) => ({ ...profile, passcodeCapacity: 20 }),
      carrier: saying('hello', ({ limits, ...hello }) => [{ ...hello, limits: { ...limits, passcodes: 25 } }]),
    }),
  },
  'timed-codes-without-clock': {
    rule: 'Protocol 5.3 rule 4',
    does: 'takes passcodes with dates before its clock is set, and forgets the dates',
    breach: () => ({
      hears: (command, lock, memory) =>
        lock.clockNow === undefined
          ? (takingCodes((item) => ({ ...item, startDate: 0, endDate: 0 })).hears?.(command, lock, memory) ?? [command])
          : [command],
    }),
  },
  'loses-codes-with-power': {
    rule: 'Protocol 5.1',
    does: 'has no passcode after a power cut',
    breach: () => ({
      memory(opened) {
        opened.change({ passcodes: [] });
        return opened;
      },
    }),
  },
} satisfies Readonly<Record<string, PlantedFault>>;
