// The promise about events (Protocol 4.4): what is not acknowledged comes again, in its order, and the door does not wait for it.
import type { Check } from '../check.ts';
import type { SeenEvent } from '../seen.ts';
import type { LockSession } from '../session.ts';
import { type Commanded, type Entry, saidOn } from '../trace.ts';
import { broken, expectThat, held, heldUnless, notTried, type Verdict } from '../verdict.ts';
import { eventOf } from './bolt.ts';

/** How many messages a lock may have sent without their PUBACK. */
const window = 20;

function isSame(one: SeenEvent): (other: SeenEvent) => boolean {
  return (other) => other.epoch === one.epoch && other.event.seq === one.event.seq;
}

/** The events messages of this connection that had no PUBACK, at the moment with the most of them. */
function mostUnacknowledged(entries: readonly Entry[]): number {
  let most = 0;
  const open = new Map<number, Set<number>>();
  for (const entry of entries) {
    const own = open.get(entry.link.number) ?? new Set<number>();
    open.set(entry.link.number, own);
    if (saidOn('events')(entry)) own.add(entry.packetId);
    if (entry.kind === 'acknowledged') own.delete(entry.packetId);
    most = Math.max(most, own.size);
  }
  return most;
}

/** Moves the bolt to and fro, one event after the other, or several would go in one message; resolves with the commands. */
async function moveOften(session: LockSession, times: number): Promise<readonly Commanded[]> {
  const sent: Commanded[] = [];
  for (let count = 0; count < times; count++) {
    const mark = session.trace.mark();
    const command = await session.moveTo(count % 2 === 0 ? 'unlocked' : 'locked');
    sent.push(command);
    await session.event(mark, ({ event }) => event.commandId === command.id, 1_000);
  }
  return sent;
}

interface Withheld {
  /** How many events messages were without PUBACK at once. */
  readonly most: number;
  /** Why it went no further. */
  readonly stopped: unknown;
}

const withheldOnce = new WeakMap<LockSession, Promise<Withheld>>();

/** Two checks look at the same: more movements than messages may be under way, and no PUBACK for their events. */
function withoutPubacks(session: LockSession): Promise<Withheld> {
  const done = withheldOnce.get(session) ?? tryWithoutPubacks(session);
  withheldOnce.set(session, done);
  return done;
}

async function tryWithoutPubacks(session: LockSession): Promise<Withheld> {
  await session.moveTo('locked');
  const mark = session.trace.mark();
  const withheld = await session.withoutEventAcks(async () => {
    let stopped: unknown;
    await moveOften(session, window + 4).catch((error: unknown) => {
      stopped = error;
    });
    await session.quiet();
    return { most: mostUnacknowledged(session.trace.since(mark)), stopped };
  });
  await session.quiet();
  return withheld;
}

export const eventChecks: readonly Check[] = [
  {
    name: 'resend',
    rule: 'Protocol 4.4 rule 2',
    title: 'an event without PUBACK is sent again after the next connect, the same under the same seq',
    async run(session) {
      await session.moveTo('locked');
      return session.withoutEventAcks(async (hold) => {
        const first = await eventOf(session, 'unlocked');
        const mark = session.trace.mark();
        session.link.cut('reset');
        const again = await session.event(mark, ({ event }) => event.commandId === first.event.commandId, 30_000);
        if (again === undefined) return broken(`event ${first.event.seq} did not come again`, 'each event until the PUBACK of its message');
        hold.release();
        await session.whenBack(mark);
        const [one, other] = [first, again].map(({ epoch, event }) => `${epoch} ${JSON.stringify(event)}`);
        return heldUnless(one === other ? undefined : `first ${one}, then ${other}`, 'the same event');
      });
    },
  },
  {
    name: 'puback-of-another',
    rule: 'Protocol 4.4 rule 2',
    title: 'the PUBACK of one events message forgets no event of another',
    async run(session) {
      await session.moveTo('locked');
      return session.withoutEventAcks(async (hold) => {
        const withheld = await eventOf(session, 'unlocked');
        const mark = session.trace.mark();
        const sent = await session.moveTo('locked');
        const later = await session.event(mark, ({ event }) => event.commandId === sent.id);
        if (later === undefined || later.said === withheld.said) return notTried('the lock has one events message under way at a time');
        hold.pass((entry) => entry.kind === 'acknowledged' && entry.packetId === later.said.packetId);
        await session.quiet();
        const cutAt = session.trace.mark();
        session.link.cut('reset');
        const again = await session.event(cutAt, isSame(withheld), 30_000);
        hold.release();
        await session.whenBack(cutAt);
        const due = `event ${withheld.event.seq} again: the PUBACK that came was that of event ${later.event.seq}`;
        return heldUnless(again === undefined ? `event ${withheld.event.seq} did not come again` : undefined, due);
      });
    },
  },
  {
    name: 'opens-without-pubacks',
    rule: 'Protocol 4.4 rule 5',
    title: 'a gateway that acknowledges no events does not keep the lock from its work',
    async run(session) {
      const { stopped } = await withoutPubacks(session);
      if (stopped !== undefined) throw stopped;
      return held;
    },
  },
  {
    name: 'at-most-20',
    rule: 'Protocol 4.4 rule 3',
    title: 'at most 20 events messages are without PUBACK',
    async run(session) {
      const { most, stopped } = await withoutPubacks(session);
      if (most <= window && stopped !== undefined)
        return notTried(`it went no further than ${most} messages: ${(stopped as Error).message}`);
      return heldUnless(most > window ? `${most} messages` : undefined, `at most ${window}`);
    },
  },
  {
    name: 'backlog-order',
    rule: 'Protocol 4.4 rule 4',
    title: 'after a connect the backlog comes first, oldest first, and nothing of it is left out',
    run: backlogOrder,
  },
  {
    name: 'same-epoch',
    rule: 'Protocol 4.4',
    title: 'the epoch stays from connection to connection, and the seq goes on',
    async run(session) {
      await session.moveTo('locked');
      const before = await eventOf(session, 'unlocked');
      await session.reconnect();
      const after = await eventOf(session, 'locked');
      expectThat(before.epoch === after.epoch, `epoch ${before.epoch}, then ${after.epoch}`, 'one epoch for one counter');
      const due = `a seq above ${before.event.seq}`;
      return heldUnless(after.event.seq > before.event.seq ? undefined : `seq ${after.event.seq}`, due);
    },
  },
];

async function backlogOrder(session: LockSession): Promise<Verdict> {
  await session.moveTo('locked');
  await session.quiet();
  return session.withoutEventAcks(async (hold) => {
    const ids = (await moveOften(session, 6)).map(({ id }) => id);
    await session.quiet();
    const mark = session.trace.mark();
    session.link.cut('reset');
    await session.whenBack(mark);
    hold.release();
    await session.event(mark, ({ event }) => event.commandId === ids.at(-1), 10_000);
    const again = session.events(mark);
    const missing = ids.filter((id) => !again.some(({ event }) => event.commandId === id));
    if (missing.length > 0) return broken(`without the events of ${missing.length} movements of 6`, 'all that have no PUBACK');
    const seqs = again.map(({ event }) => event.seq);
    const firsts = seqs.filter((seq, index) => seqs.indexOf(seq) === index);
    const inOrder = firsts.every((seq, index) => index === 0 || seq > (firsts[index - 1] ?? 0));
    return heldUnless(inOrder ? undefined : `in the order ${firsts.join(', ')}`, 'oldest first');
  });
}
