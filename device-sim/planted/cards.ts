// Faults in what a lock makes of cards and passcodes (Protocol 4.1, 5.1, 5.2, 5.3 rule 4).
import type { ReplyMessage } from '../../src/drivers/native/messages.ts';
import type { MemoryFault } from '../faults.ts';
import type { LockMemory, MemoryContents } from '../lock-memory.ts';
import { type Breach, both, type PlantedFault, saying, taking, withArguments } from './breach.ts';

/** One of the faults of its memory, from the start. */
const withMemoryFault = (fault: MemoryFault) => (): Breach => ({
  profile: (profile) => ({ ...profile, faults: { ...profile.faults, memory: [fault] } }),
});

/** `12345:480-1080` in a line for each day. */
function eachDayAlone(hours: string): string {
  const lines = hours.split(';').flatMap((line) => {
    const [days = '', minutes = ''] = line.split(':');
    return [...days].map((day) => `${day}:${minutes}`);
  });
  return lines.sort().join(';');
}

const asDouble = (digits: unknown): string => BigInt(Number(digits)).toString();

interface Failed {
  readonly failed?: readonly { readonly error: string }[];
}

/** A full memory has no words. */
function saysOkWhenFull(reply: ReplyMessage): ReplyMessage {
  if (reply.error === 'no-space') return { id: reply.id, ok: true };
  const { failed, ...result } = (reply.result ?? {}) as Failed;
  return failed === undefined ? reply : { ...reply, result };
}

/** Takes everything of a batch back when one item was not stored. */
function allOrNothing(): Breach {
  let takeBack = (): void => undefined;
  return {
    hears(command, _lock, memory) {
      const { cards, passcodes, used } = memory.contents;
      if (command.op === 'put-credentials') takeBack = () => memory.change({ cards, passcodes, used });
      return [command];
    },
    carrier: saying('reply', (reply) => {
      const [first] = ((reply.result ?? {}) as Failed).failed ?? [];
      if (first === undefined) return [reply];
      takeBack();
      return [{ id: reply.id, ok: false, error: first.error }];
    }),
  };
}

/** A lock whose clock is set, and which says so only after set-clock: it takes cards with dates before it. */
function secretClock(): Breach {
  let isSet = false;
  const undated = <Message extends { readonly date?: number }>(message: Message): object[] => {
    const { date, ...rest } = message;
    return [isSet ? message : rest];
  };
  return {
    profile: (profile) => ({ ...profile, clock: 'set', clockOffsetMs: 0 }),
    memory(opened) {
      isSet = false;
      return opened;
    },
    hears(command) {
      isSet ||= command.op === 'set-clock';
      return [command];
    },
    carrier: both(
      both(saying('hello', undated), saying('state', undated)),
      both(
        saying('battery', undated),
        saying('events', ({ epoch, events }) => [{ epoch, events: events.flatMap(undated) }]),
      ),
    ),
  };
}

function emptyAtBoot(memory: LockMemory): LockMemory {
  memory.change({ cards: [], passcodes: [] });
  return memory;
}

/** What was used stays in the memory, and no mark that it was. */
function usingNothingUp(memory: LockMemory): LockMemory {
  return Object.assign(Object.create(memory) as LockMemory, {
    change({ used = [], ...changes }: Partial<MemoryContents>) {
      if (used.length <= memory.contents.used.length) memory.change(changes);
    },
  });
}

export const cardFaults = {
  'forgets-cards': {
    rule: 'Protocol 5.1',
    does: 'says ok to a card or passcode, and does not store it',
    breach: withMemoryFault('forgets'),
  },
  'keeps-cards': { rule: 'Protocol 5.1', does: 'says ok to a removal, and removes nothing', breach: withMemoryFault('keeps') },
  'wrong-digest': { rule: 'Protocol 4.1', does: 'has another digest than that of what it holds', breach: withMemoryFault('wrong-digest') },
  'ok-when-full': {
    rule: 'Protocol 5.2',
    does: 'says ok to a card for which it has no place',
    breach: () => ({ carrier: saying('reply', (reply) => [saysOkWhenFull(reply)]) }),
  },
  'number-as-double': {
    rule: 'Protocol 5.1',
    does: 'takes the number of a card for a double',
    breach: () => taking((item) => (item['kind'] === 'card' ? { ...item, number: asDouble(item['number']) } : item)),
  },
  'rewrites-hours': {
    rule: 'Protocol 5.1',
    does: 'stores the hours with a line for each day',
    breach: () => taking((item) => (typeof item['hours'] === 'string' ? { ...item, hours: eachDayAlone(item['hours']) } : item)),
  },
  'card-by-update': {
    rule: 'Protocol 5.2',
    does: 'stores a card that it does not know for update-card',
    breach: () => ({ hears: (command) => [command.op === 'update-card' ? { ...command, op: 'add-card' } : command] }),
  },
  'pages-overlap': {
    rule: 'Protocol 5.1',
    does: 'begins every further page of a list one place too early',
    breach: () => ({
      hears: (command) => [
        /^list-/.test(command.op) ? withArguments(command, { offset: Math.max(0, Number(command.args['offset']) - 1) }) : command,
      ],
    }),
  },
  'batch-all-or-nothing': {
    rule: 'Protocol 5.1',
    does: 'stores nothing of a batch in which one item cannot be stored',
    breach: allOrNothing,
  },
  'date-without-clock': {
    rule: 'Protocol 5.3 rule 4',
    does: 'begins with 2020 after each start, and dates everything',
    breach: (time) => ({ profile: (profile) => ({ ...profile, clock: 'set', clockOffsetMs: Date.UTC(2020, 0, 1) - time.wall() }) }),
  },
  'timed-cards-without-clock': { rule: 'Protocol 5.3 rule 4', does: 'takes cards with dates before its clock is set', breach: secretClock },
  'loses-cards-with-power': {
    rule: 'Protocol 5.1',
    does: 'has no card and no passcode after a power cut',
    breach: () => ({ memory: emptyAtBoot }),
  },
  'once-is-for-ever': { rule: 'Protocol 5.1', does: 'opens again for a one-time code', breach: () => ({ memory: usingNothingUp }) },
} satisfies Readonly<Record<string, PlantedFault>>;
