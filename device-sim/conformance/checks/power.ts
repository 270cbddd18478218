// What a lock has in its memory when its power comes back (Protocol 4.4 rule 1, 5.1, 5.3).
import type { Check, Need } from '../check.ts';
import { memberOf } from '../observer.ts';
import type { LockSession } from '../session.ts';
import { type Entry, type Said, saidOn } from '../trace.ts';
import { broken, expectThat, held, heldUnless, notTried, type Verdict } from '../verdict.ts';
import { type BoltState, eventOf, mustNotUnlock, reportMs, withAutoLock } from './bolt.ts';
import { listsCards } from './cards.ts';
import { batch, card, codeFor, holds, passcode, put } from './credential-memory.ts';
import { wallTimeOf } from './observed.ts';

const needs: readonly Need[] = ['power'];
/** A lock may take its time to start, and a person to find the switch. */
const startMs = 180_000;
const year = 31_536_000_000;
/** A clock with a battery of its own is right to the second; one that only remembers when it was set stands still without power. */
const clockMs = 10_000;

async function switchPower(session: LockSession): Promise<void> {
  const mark = session.trace.mark();
  await session.attendant.switchPower();
  await session.whenBack(mark, startMs);
}

export const powerChecks: readonly Check[] = [
  {
    name: 'events-after-power-loss',
    rule: 'Protocol 4.4 rule 1',
    title: 'a power cut loses no event, and no event gets the seq of another',
    needs,
    run: events,
  },
  {
    name: 'seq-after-power-loss',
    rule: 'Protocol 4.4 rule 1',
    title: 'the first event after a power cut gets the next seq, also when all before it were acknowledged',
    needs,
    async run(session) {
      await session.moveTo('locked');
      const before = await eventOf(session, 'unlocked');
      const { said } = before;
      const isItsAck = (entry: Entry): entry is Entry =>
        entry.kind === 'acknowledged' && entry.link === said.link && entry.packetId === said.packetId;
      await session.trace.find(session.trace.entries.indexOf(said), isItsAck, reportMs);
      await session.quiet();
      await switchPower(session);
      const after = await eventOf(session, 'locked');
      expectThat(before.epoch === after.epoch, `epoch ${before.epoch}, then ${after.epoch}`, 'one epoch for one counter');
      const due = `a seq above ${before.event.seq}`;
      return heldUnless(after.event.seq > before.event.seq ? undefined : `seq ${after.event.seq}`, due);
    },
  },
  {
    name: 'cards-after-power-loss',
    rule: 'Protocol 5.1',
    title: 'what was stored with ok is there after a power cut, cards and passcodes',
    needs,
    async run(session) {
      const { limits } = session.hello;
      if (!session.hasFeature('credentials')) {
        const alone = { cardNumber: '998877', startDate: 0, endDate: 0 };
        await session.askOk('add-card', { args: alone });
        await switchPower(session);
        return listsCards(session, alone);
      }
      const codes = limits?.passcodes === 0 ? [] : [passcode(codeFor(session, '42'), { endDate: Date.now() + year })];
      const items = [card('998877'), ...codes];
      await put(session, ...items);
      await switchPower(session);
      return holds(session, ...items);
    },
  },
  {
    name: 'settings-after-power-loss',
    rule: 'Protocol 5.1',
    title: 'the auto lock time is there after a power cut',
    needs,
    run: (session) =>
      withAutoLock(session, 1_234, async () => {
        await switchPower(session);
        const said = session.hello.autoLockTime;
        return heldUnless(said === 1_234 ? undefined : `autoLockTime ${said}`, 'autoLockTime 1234');
      }),
  },
  {
    name: 'command-after-power-loss',
    rule: 'Protocol 5.3',
    title: 'a command from before a power cut is not done after it',
    needs,
    async run(session) {
      await session.moveTo('locked');
      const earlier = session.hello.session;
      await switchPower(session);
      return mustNotUnlock(session, () => session.command('unlock', { session: earlier }));
    },
  },
  {
    name: 'no-dates-without-clock',
    rule: 'Protocol 5.3 rule 4',
    title: 'without a set clock there is no date, and nothing with dates is stored',
    needs,
    run: noClock,
  },
];

async function events(session: LockSession): Promise<Verdict> {
  await session.moveTo('locked');
  await session.quiet();
  return session.withoutEventAcks(async (hold) => {
    const mark = session.trace.mark();
    const move = async (states: readonly BoltState[]): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (const state of states) ids.push((await session.moveTo(state)).id);
      await session.quiet();
      return ids;
    };
    const ids = [...(await move(['unlocked', 'locked', 'unlocked', 'locked']))];
    const before = session.events(mark);
    const powered = session.trace.mark();
    await switchPower(session);
    hold.release();
    ids.push(...(await move(['unlocked', 'locked'])));
    const after = session.events(powered);
    const missing = ids.filter((id) => !after.some(({ event }) => event.commandId === id));
    if (missing.length > 0)
      return broken(`without the events of ${missing.length} movements of 6`, 'four without PUBACK before it, two after it');
    for (const { epoch, event } of before) {
      const again = after.find((other) => other.epoch === epoch && other.event.seq === event.seq);
      const isSame = again?.event.type === event.type && again.event.commandId === event.commandId;
      if (!isSame)
        return broken(`seq ${event.seq} is ${event.type}, and ${again?.event.type ?? 'nothing'} after it`, 'a seq for one event');
    }
    return held;
  });
}

/** The date of a report; undefined when it has none. */
function dateOf(entry: Entry): number | undefined {
  const date = entry.kind === 'said' ? memberOf(entry.json, 'date') : undefined;
  return typeof date === 'number' ? date : undefined;
}

/** The gateway's own set-clock waits meanwhile. */
async function noClock(session: LockSession): Promise<Verdict> {
  const hold = session.hold((entry) => entry.kind === 'commanded' && !entry.isOurs && entry.op === 'set-clock');
  try {
    await switchPower(session);
    await session.askOk('get-status');
    const { trace } = session;
    const dated = trace.since(trace.entries.findLastIndex(saidOn('hello'))).filter((entry): entry is Said => dateOf(entry) !== undefined);
    const wrong = dated.find((said) => Math.abs(Number(dateOf(said)) - wallTimeOf(said)) > clockMs);
    if (wrong !== undefined)
      return broken(`${new Date(Number(dateOf(wrong))).toISOString()} in ${wrong.channel}`, 'no date while the clock is not set');
    if (dated.length > 0) return notTried('its clock goes on without power');
    await nothingWithDates(session);
    return held;
  } finally {
    hold.release();
  }
}

/** Nothing with dates or hours is stored, item by item, and what has none is. @throws Broken */
async function nothingWithDates(session: LockSession): Promise<void> {
  const endDate = Date.now() + year;
  const refused = await session.ask('add-card', { args: { cardNumber: '998877', startDate: 0, endDate } });
  const isRefused = !refused.ok && (refused.error === 'clock-not-set' || refused.error === 'failed');
  expectThat(isRefused, `a card with dates: ok ${refused.ok}, error ${refused.error}`, 'error clock-not-set, of older firmware failed');
  await session.askOk('add-card', { args: { cardNumber: '31', startDate: 0, endDate: 0 } });
  if (!session.hasFeature('credentials')) return;
  const dated = [
    card('33', { endDate }),
    ...(session.hasFeature('hours') ? [card('34', { hours: '12345:480-1080' })] : []),
    ...(session.hello.limits?.passcodes === 0 ? [] : [passcode(codeFor(session, '35'), { endDate })]),
  ];
  const { failed = [] } = await batch(session, 'put-credentials', [card('32'), ...dated]);
  const came = failed.map(({ index }) => index).join(', ');
  const due = dated.map((_, index) => index + 1).join(', ');
  expectThat(came === due, `failed items ${came || 'none'}`, `failed items ${due}: those with dates or hours`);
}
