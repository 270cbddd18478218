// How a lock connects, comes back and stays (Protocol 2, 6, 7).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../check.ts';
import { types } from '../mqtt-packets.ts';
import type { LockSession } from '../session.ts';
import { type Entry, type Mark, saidOn } from '../trace.ts';
import { broken, held, heldUnless, LockAway, NotTried, notTried, type Verdict } from '../verdict.ts';
import { holdingSuback, whileSubscriptionIsRefused } from './subscription.ts';

/** "Not more than a few seconds", with what a network and a small processor need. */
const longestWaitMs = 20_000;
/** "Half a second at first", with jitter: at least this. */
const shortestWaitMs = 150;
/** A lock may begin with short waits again only once a connection has held for ten seconds. */
const steadyMs = 12_000;

function isAttempt(entry: Entry): entry is Extract<Entry, { kind: 'connect' }> {
  return entry.kind === 'connect';
}

/** Refuses the lock so often, and resolves with the waits before its attempts, in milliseconds. */
async function waitsWhileRefused(session: LockSession, times: number, code = 3): Promise<readonly number[]> {
  const { relay, trace } = session;
  const waits: number[] = [];
  let mark: Mark = trace.mark();
  let lastAt = performance.now();
  relay.refuseWith = code;
  session.link.cut('end');
  try {
    for (let count = 0; count < times; count++) {
      const attempt = await trace.find(mark, isAttempt, 3 * longestWaitMs);
      if (attempt === undefined) throw new LockAway(`no attempt within ${(3 * longestWaitMs) / 1_000} s`, 'the lock tries again and again');
      mark = trace.entries.indexOf(attempt) + 1;
      waits.push(Math.round(attempt.at - lastAt));
      const closed = await trace.find(
        mark,
        (entry): entry is Entry => entry.kind === 'closed' && entry.link === attempt.link,
        longestWaitMs,
      );
      lastAt = closed?.at ?? performance.now();
    }
  } finally {
    relay.refuseWith = undefined;
  }
  await session.whenBack(mark);
  return waits;
}

const backOffDue = 'half a second at first, longer each time, not more than a few seconds';

export const connectionChecks: readonly Check[] = [
  {
    name: 'back-off',
    rule: 'Protocol 2',
    title: 'the lock waits before each attempt, longer each time, and not more than a few seconds',
    async run(session) {
      await sleep(steadyMs);
      const waits = await waitsWhileRefused(session, 4);
      const [first = 0] = waits;
      const last = waits.at(-1) ?? 0;
      const came = `waits of ${waits.join(', ')} ms`;
      const isGood = first >= shortestWaitMs && last > 1.3 * first && Math.max(...waits) <= longestWaitMs;
      return heldUnless(isGood ? undefined : came, backOffDue);
    },
  },
  {
    name: 'tries-again',
    rule: 'Protocol 7 rule 2',
    title: 'the lock tries again after CONNACK 5',
    async run(session) {
      await waitsWhileRefused(session, 2, 5);
      return held;
    },
  },
  {
    name: 'subscribes-first',
    rule: 'Protocol 9 rule 3',
    title: 'the hello waits for the SUBACK',
    run: (session) =>
      holdingSuback(session, async (asked, hold) => {
        const mark = session.trace.entries.indexOf(asked);
        const early = await session.trace.find(mark, saidOn('hello', asked.link), 1_500);
        hold.release();
        await session.whenBack(mark);
        return heldUnless(early === undefined ? undefined : 'a hello before the SUBACK', 'the hello when the SUBACK has come');
      }),
  },
  {
    name: 'silent-when-refused',
    rule: 'Protocol 7 rule 3',
    title: 'after SUBACK 0x80 the lock publishes nothing but hello and status',
    needs: ['own-login'],
    run: (session) => whileSubscriptionIsRefused(session, ['hello', 'status']),
  },
  {
    name: 'hub-silent-when-refused',
    rule: 'Protocol 8 rule 2',
    title: 'after SUBACK 0x80 the hub says nothing for the lock',
    async run(session) {
      if (session.hubId === undefined) return notTried('the lock has a connection of its own');
      return whileSubscriptionIsRefused(session, []);
    },
  },
  {
    name: 'pings',
    rule: 'Protocol 2',
    title: 'the lock sends something within 1.5 times its keep alive',
    async run(session) {
      const { seconds, sign } = await whileFrozen(session);
      const due = `at least a PINGREQ every ${seconds} s (type ${types.pingreq})`;
      return heldUnless(sign === undefined ? `not a byte in ${seconds * 1.5} s` : undefined, due);
    },
  },
  {
    name: 'dead-connection',
    rule: 'Protocol 6',
    title: 'the lock leaves a connection that carries nothing, and connects anew',
    async run(session) {
      const { left } = await whileFrozen(session);
      const due = 'a new connection after an unanswered PINGREQ';
      return heldUnless(left === undefined ? 'it stayed on a connection that carries nothing' : undefined, due);
    },
  },
  {
    name: 'jitter',
    rule: 'Protocol 2',
    title: 'the waits before an attempt have jitter',
    run: jitter,
  },
];

/** The longest keep alive for which a run waits. */
const longestKeepAlive = 40;

interface Frozen {
  /** The keep alive. */
  readonly seconds: number;
  /** What the lock sent, or that it closed the connection, within 1.5 times its keep alive. */
  readonly sign: Entry | undefined;
  /** The end of the connection. */
  readonly left: Entry | undefined;
}

const frozenOnce = new WeakMap<LockSession, Promise<Frozen>>();

/** Two checks look at the same: what a lock does on a connection that carries nothing. @throws NotTried, LockAway */
function whileFrozen(session: LockSession): Promise<Frozen> {
  const done = frozenOnce.get(session) ?? tryFrozen(session);
  frozenOnce.set(session, done);
  return done;
}

async function tryFrozen(session: LockSession): Promise<Frozen> {
  const { link, trace } = session;
  const seconds = link.connect?.keepAliveSeconds ?? 0;
  if (seconds < 1 || seconds > longestKeepAlive)
    throw new NotTried(`a keep alive of ${seconds} s takes too long; ${longestKeepAlive} s at most`);
  await session.quiet();
  const mark = trace.mark();
  const frozenAt = performance.now();
  link.freeze();
  const isSign = (entry: Entry): entry is Entry => (entry.kind === 'packet' || entry.kind === 'closed') && entry.link === link;
  const sign = await trace.find(mark, isSign, seconds * 1_500);
  const isEnd = (entry: Entry): entry is Entry => entry.kind === 'closed' && entry.link === link;
  const left = await trace.find(mark, isEnd, seconds * 3_000 + 10_000 - (performance.now() - frozenAt));
  if (left === undefined) link.cut('reset');
  await session.whenBack(mark);
  return { seconds, sign, left };
}

/** Fewer waits say nothing about chance; after the most it is no chance any more. */
const [fewestWaits, mostWaits] = [12, 40];

/**
 * Without jitter many waits are as long as the shortest one, within a twentieth, and a busy machine makes the others longer. A lock whose
 * waits look like that is cut off again and again, until chance cannot be the cause.
 */
async function jitter(session: LockSession): Promise<Verdict> {
  for (;;) {
    const waits = firstWaits(session);
    const shortest = Math.round(Math.min(...waits));
    const alike = waits.filter((ms) => ms <= 1.05 * shortest).length;
    if (waits.length >= fewestWaits && alike < 0.4 * waits.length) return held;
    const came = `${alike} of ${waits.length} waits were within a twentieth of ${shortest} ms`;
    if (waits.length >= mostWaits) return broken(came, 'waits that differ, so that a thousand locks do not come back at once');
    await session.reconnect();
  }
}

/** The first wait after each connection that was up and that we have cut. */
function firstWaits({ trace: { entries } }: LockSession): readonly number[] {
  return entries.flatMap((entry, index) => {
    const wasUp = entry.kind === 'closed' && entry.by === 'us' && entries.some((said) => saidOn('hello', entry.link)(said));
    const next = wasUp ? entries.slice(index).find((later) => later.kind === 'connect') : undefined;
    return next === undefined ? [] : [next.at - entry.at];
  });
}
