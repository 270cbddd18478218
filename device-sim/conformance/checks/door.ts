// What happens at the reader and at the keypad (Protocol 4.4, 5.1). Somebody has to be there.
import type { Check, Need } from '../check.ts';
import type { Credential } from '../lock-messages.ts';
import { reports, type SeenEvent } from '../seen.ts';
import type { LockSession } from '../session.ts';
import { Broken, broken, expectThat, held, heldUnless, type Verdict } from '../verdict.ts';
import { movement } from './bolt.ts';
import { batch, card, codeFor, holds, passcode, put } from './credential-memory.ts';

const needs: readonly Need[] = ['door'];
const atKeypad: readonly Need[] = ['door', 'credentials', 'passcodes'];
const eventMs = 15_000;

/** The event of a use at the reader or keypad. @throws Broken when none comes */
async function useAtDoor(session: LockSession, kind: Credential['kind'], number: string): Promise<SeenEvent['event']> {
  const mark = session.trace.mark();
  await session.attendant.present(kind, number);
  const seen = await session.event(mark, ({ event }) => event.type === `${kind}-unlock`, eventMs);
  if (seen === undefined) throw new Broken(`no event ${kind}-unlock`, 'an event of each try at the door');
  return seen.event;
}

/** It must open: state and event say so. */
async function mustOpen(session: LockSession, kind: Credential['kind'], number: string): Promise<void> {
  await session.moveTo('locked');
  const mark = session.trace.mark();
  const event = await useAtDoor(session, kind, number);
  const due = `state unlocked, and a ${kind}-unlock of ${number}`;
  expectThat(event.success !== false, `refused: ${event.reason}`, due);
  expectThat(event.credential === number, `the credential ${event.credential}`, due);
  expectThat((await session.trace.find(mark, reports('unlocked'), 5_000)) !== undefined, 'no state unlocked', due);
  await session.moveTo('locked');
}

/** It must not open: the event says why, in this word. */
async function mustNotOpen(session: LockSession, kind: Credential['kind'], number: string, reason: string): Promise<SeenEvent['event']> {
  await session.moveTo('locked');
  const mark = session.trace.mark();
  const event = await useAtDoor(session, kind, number);
  const due = `no movement, and success false with the reason ${reason}`;
  expectThat((await movement(session, mark, 'unlocked')) === undefined, 'it opened', due);
  expectThat(event.success === false && event.reason === reason, `success ${event.success}, reason ${event.reason}`, due);
  return event;
}

const cardNumbers = new WeakMap<LockSession, string>();

/** The number of the card that is used in this run: a person takes any, so the reader says which. */
async function cardInHand(session: LockSession): Promise<string> {
  const known = cardNumbers.get(session);
  if (known !== undefined) return known;
  const event = await mustNotOpen(session, 'card', '1325672378', 'unknown-card');
  const { credential } = event;
  if (credential === undefined) throw new Broken('no credential in the event', 'the number of the card, as the reader sees it');
  cardNumbers.set(session, credential);
  return credential;
}

export const doorChecks: readonly Check[] = [
  {
    name: 'unknown-card',
    rule: 'Protocol 4.4',
    title: 'a card that the lock does not know opens nothing, and the event has its number and unknown-card',
    needs,
    async run(session) {
      await cardInHand(session);
      return held;
    },
  },
  {
    name: 'card-opens',
    rule: 'Protocol 5.1',
    title: 'a card that was added opens, until it is removed',
    needs,
    async run(session) {
      const cardNumber = await cardInHand(session);
      await session.askOk('add-card', { args: { cardNumber, startDate: 0, endDate: 0 } });
      await mustOpen(session, 'card', cardNumber);
      await session.askOk('remove-card', { args: { cardNumber } });
      await mustNotOpen(session, 'card', cardNumber, 'unknown-card');
      return held;
    },
  },
  {
    name: 'card-dates',
    rule: 'Protocol 5.1',
    title: 'a card opens from its start until its end, and an end of 0 is open',
    needs,
    async run(session) {
      const cardNumber = await cardInHand(session);
      return opensInItsTime(session, 'card', cardNumber, (dates) => session.askOk('add-card', { args: { cardNumber, ...dates } }));
    },
  },
  {
    name: 'passcode-opens',
    rule: 'Protocol 5.1',
    title: 'a passcode opens, with its leading zeros, until it is removed',
    needs: atKeypad,
    async run(session) {
      const code = codeFor(session, '4271');
      await put(session, passcode(code));
      await mustOpen(session, 'passcode', code);
      await batch(session, 'remove-credentials', [{ kind: 'passcode', number: code }]);
      await mustNotOpen(session, 'passcode', code, 'wrong-passcode');
      return held;
    },
  },
  {
    name: 'passcode-dates',
    rule: 'Protocol 5.1',
    title: 'a passcode opens from its start until its end, and an end of 0 is open',
    needs: atKeypad,
    run(session) {
      const code = codeFor(session, '6319');
      return opensInItsTime(session, 'passcode', code, (dates) => put(session, passcode(code, dates)));
    },
  },
  {
    name: 'wrong-code',
    rule: 'Protocol 4.4',
    title: 'a wrong code at the keypad is in no event',
    needs: atKeypad,
    async run(session) {
      const event = await mustNotOpen(session, 'passcode', codeFor(session, '9135'), 'wrong-passcode');
      return heldUnless(event.credential === undefined ? undefined : 'the digits as the credential', 'no credential');
    },
  },
  {
    name: 'once-only',
    rule: 'Protocol 5.1',
    title: 'a code that opens once opens once, and is in the memory no more',
    needs: [...atKeypad, 'once'],
    async run(session) {
      const code = codeFor(session, '8264');
      await put(session, passcode(code, { once: true }));
      await mustOpen(session, 'passcode', code);
      const gone = await holds(session);
      if (gone.verdict !== 'held') return gone;
      const mark = session.trace.mark();
      const again = await useAtDoor(session, 'passcode', code);
      const opened = (await movement(session, mark, 'unlocked')) !== undefined || again.success !== false;
      return heldUnless(opened ? 'it opened a second time' : undefined, 'no second opening');
    },
  },
  {
    name: 'passcode-hours',
    rule: 'Protocol 5.1',
    title: 'a passcode with hours opens at these hours alone',
    needs: [...atKeypad, 'hours'],
    run: (session) => opensAtItsHours(session, passcode(codeFor(session, '5826'))),
  },
  {
    name: 'hours-at-the-door',
    rule: 'Protocol 5.1',
    title: 'a card with hours opens at these hours alone',
    needs: ['door', 'credentials', 'hours'],
    async run(session) {
      return opensAtItsHours(session, card(await cardInHand(session)));
    },
  },
  {
    name: 'offline-door',
    rule: 'Protocol 4.4 rule 4',
    title: 'what happens at the door while the gateway is away is in the backlog',
    needs,
    run: offlineDoor,
  },
];

/** `give`: puts it on the lock with these dates. @throws Broken */
async function opensInItsTime(
  session: LockSession,
  kind: Credential['kind'],
  number: string,
  give: (dates: Pick<Credential, 'startDate' | 'endDate'>) => Promise<unknown>,
): Promise<Verdict> {
  const hourMs = 3_600_000;
  for (const dates of [
    { startDate: 1, endDate: Date.now() - hourMs },
    { startDate: Date.now() + hourMs, endDate: 0 },
  ]) {
    await give(dates);
    await mustNotOpen(session, kind, number, 'not-valid-now');
  }
  await give({ startDate: Date.now() - hourMs, endDate: 0 });
  await mustOpen(session, kind, number);
  return held;
}

/** @throws Broken */
async function opensAtItsHours(session: LockSession, one: Credential): Promise<Verdict> {
  // Neither today nor a neighbour of today, wherever the lock is.
  const far = ((new Date().getUTCDay() + 2) % 7) + 1;
  await put(session, { ...one, hours: `${far}:0-1440` });
  await mustNotOpen(session, one.kind, one.number, 'schedule');
  await put(session, { ...one, hours: '12345678:0-1440' });
  await mustOpen(session, one.kind, one.number);
  return held;
}

async function offlineDoor(session: LockSession): Promise<Verdict> {
  const cardNumber = await cardInHand(session);
  await session.askOk('add-card', { args: { cardNumber, startDate: 0, endDate: 0 } });
  await session.moveTo('locked');
  const mark = session.trace.mark();
  session.relay.refuseWith = 3;
  session.link.cut('end');
  try {
    await session.attendant.present('card', cardNumber);
    await session.quiet();
  } finally {
    session.relay.refuseWith = undefined;
  }
  await session.whenBack(mark);
  const isUse = ({ event }: SeenEvent): boolean => event.type === 'card-unlock' && event.credential === cardNumber;
  const seen = await session.event(mark, isUse, eventMs);
  if (seen === undefined) return broken('no event of it after the connect', `a card-unlock of ${cardNumber} in the backlog`);
  const [first] = session.events(mark);
  return heldUnless(first !== undefined && first.event.seq <= seen.event.seq ? undefined : 'newer events before it', 'the oldest first');
}
