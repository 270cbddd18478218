// Unlocks that are asked at the node that passes them on, while either node stands still, the link between the two stalls at some byte,
// connections of locks stall, and locks move from one node to the other (Faults T6 to T8). One trial is one unlock of one lock.
// What is right is judged by the bolt alone: when it moved, on the lock's own clock, and how often, beside what the caller was told and when
// he asked. Nothing that the daemons say of a command is taken for true.
import { request } from 'node:http';
import { cuts } from '../support/cuttable-link.ts';
import { type FreezeStep, freezeSteps, lockDoor, rest, thawAfter, trapAt } from '../support/freeze-trials.ts';
import type { Random } from '../support/seeded-random.ts';
import { type Outcome, outcomeOf } from './cluster-doors.ts';
import { wait } from './cluster-stage.ts';
import type { NodePair, PairNode } from './node-pair.ts';

export const mischiefs = [
  'nothing more',
  'the node that is asked stands still',
  'the node that leads stands still',
  'the link between the nodes stalls',
  'the node that leads is cut off from the other one and the database',
] as const;
type Mischief = (typeof mischiefs)[number];

export interface NodesTrial {
  readonly lock: number;
  readonly mischief: Mischief;
  readonly lastsMs: number;
  /** Where its connection stalls, if it does. */
  readonly step: FreezeStep | undefined;
  /** Whether it moved to the other node meanwhile. */
  readonly changesNode: boolean;
  readonly answer: string;
  readonly moved: number;
  /** From the request to the first movement. */
  readonly ageMs: number | undefined;
  readonly faults: readonly string[];
}

export interface NodesRoundOptions {
  readonly pair: NodePair;
  readonly random: Random;
  readonly commandTimeoutMs: number;
  readonly locks: readonly number[];
  readonly mischief: Mischief;
}

/** The counter of a lock is in whole milliseconds, and so is what a gateway makes of it. */
const toleranceMs = 2;
/** In a round without mischief; longer than the most that passes in one (see the page). */
const bytesOfRound = 200_000;
const leaveAfterMs = 30_000;
const [stallShare, changeShare, longShare] = [0.4, 0.2, 0.2];

/** What a caller was told, and when his request had left. */
interface Told extends Outcome {
  readonly sentAt: number;
}

/** How long either stands still: about as long as a caller waits, any time, or so long that the other node takes over. */
function lastsFor({ random, commandTimeoutMs }: NodesRoundOptions): number {
  if (random.chance(longShare)) return 2_000 + random.below(6_000);
  if (random.chance(0.5)) return Math.max(0, commandTimeoutMs - 40 + random.below(80));
  return random.below(Math.min(3 * commandTimeoutMs, 6_000));
}

function strike({ pair, random, mischief }: NodesRoundOptions, leader: PairNode): () => void {
  const node = mischief === 'the node that is asked stands still' ? pair.other(leader) : leader;
  switch (mischief) {
    case 'nothing more':
      return () => undefined;
    case 'the link between the nodes stalls':
      pair.stallLink(random.chance(0.2) ? 0 : random.below(bytesOfRound));
      return pair.flowLink;
    case 'the node that leads is cut off from the other one and the database':
      pair.stallLink(0);
      leader.database.cut(random.pick(cuts));
      return () => {
        pair.flowLink();
        leader.database.mend();
      };
    default:
      node.signal('SIGSTOP');
      return () => node.signal('SIGCONT');
  }
}

/** One unlock of each of these locks, all of them asked before the mischief is over. */
export async function nodesRound(options: NodesRoundOptions): Promise<readonly NodesTrial[]> {
  const { pair, random, locks, mischief } = options;
  const { leader, other } = await pair.whenSettled();
  const at = new Map(locks.map((number, index) => [number, index % 2 === 0 ? leader : other]));
  for (const [number, node] of at) pair.leadLock(number, node);
  const site = pair.siteAt(other);
  await Promise.all(locks.map((number) => lockDoor(site, number)));
  const lastsMs = lastsFor(options);
  // Half of them are asked at once, with the mischief; the others at any time of it, and a moment later.
  const tried = locks.map((number) => {
    const askMs = random.chance(0.5) ? random.below(50) : random.below(lastsMs + 300);
    return tryUnlock(options, { number, node: other, home: at.get(number) ?? other, askMs, lastsMs });
  });
  await wait(random.below(50));
  const end = strike(options, leader);
  await wait(lastsMs);
  end();
  const told = await Promise.all(tried);
  await pair.whenSettled();
  return Promise.all(told.map(async (one) => ({ ...(await judge(options, one)), mischief, lastsMs })));
}

interface Asked {
  readonly number: number;
  /** When its bolt moved last before that. */
  readonly seenAt: number;
  readonly step: FreezeStep | undefined;
  readonly changesNode: boolean;
  readonly told: Told;
}

async function tryUnlock(
  { pair, random, commandTimeoutMs }: NodesRoundOptions,
  how: { readonly number: number; readonly node: PairNode; readonly home: PairNode; readonly askMs: number; readonly lastsMs: number },
): Promise<Asked> {
  const { number, node, home, askMs, lastsMs } = how;
  const { wire, lockId } = pair.siteAt(node);
  const lock = pair.fleet.lock(number);
  const step = random.chance(stallShare) ? random.pick(freezeSteps) : undefined;
  const thawMs = thawAfter({ random, commandTimeoutMs });
  const changesNode = random.chance(changeShare);
  // The node that it leaves may hear nothing of that for long.
  const [changeMs, leavesSilently] = [random.below(lastsMs + 300), random.chance(0.5)];
  const changing = changesNode ? wait(changeMs) : undefined;
  const changed = changing?.then(() => {
    if (leavesSilently) wire.freeze(lock.deviceId);
    pair.leadLock(number, pair.other(home));
  });
  await wait(askMs);
  const seenAt = lock.movements.at(-1)?.at ?? 0;
  const trap = step && trapAt(step, random);
  if (trap !== undefined) wire.freezeAt(lock.deviceId, trap);
  else if (step !== undefined) wire.freeze(lock.deviceId);
  const thawed = wait(thawMs).then(() => wire.thaw(lock.deviceId));
  const told = await askUnlock(node.url, pair.token(), lockId(number));
  await Promise.all([thawed, changed]);
  return { number, seenAt, step, changesNode, told };
}

/** When nothing is on its way any more. */
async function judge(
  { pair, commandTimeoutMs }: NodesRoundOptions,
  { number, seenAt, step, changesNode, told }: Asked,
): Promise<Omit<NodesTrial, 'mischief' | 'lastsMs'>> {
  const lock = pair.fleet.lock(number);
  const site = pair.siteAt(pair.nodes[0]);
  site.wire.thaw(lock.deviceId);
  const faults = await rest(site, number);
  const movements = lock.movements.filter(({ at }) => at > seenAt);
  for (const { at, target } of movements) {
    const lateMs = at - told.sentAt - commandTimeoutMs;
    if (lateMs > toleranceMs) faults.push(`it began to move ${lateMs.toFixed(1)} ms after its deadline`);
    if (target !== 'unlocked') faults.push(`it became ${target}`);
  }
  if (movements.length > 1) faults.push(`it moved ${movements.length} times`);
  if (movements.length > 0 && !told.mayMove) faults.push('it moved all the same');
  if (movements.length === 0 && told.answer === '200') faults.push('it did not move');
  if ((lock.state === 'unlocked') !== movements.length > 0) faults.push(`it is ${lock.state} after ${movements.length} movements`);
  const [first] = movements;
  const ageMs = first && first.at - told.sentAt;
  return { lock: number, step, changesNode, answer: told.answer, moved: movements.length, ageMs, faults };
}

/** Over a connection of its own, so that a broken one is never a reused one. */
function askUnlock(url: string, token: string, lockId: number): Promise<Told> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(`${url}/api/v1/lock/unlock?lockId=${lockId}`, { method: 'POST', headers, agent: false });
    let sentAt = performance.now();
    const leave = setTimeout(() => end({ answer: `none within ${leaveAfterMs / 1_000} s`, mayMove: true }), leaveAfterMs);
    function end(outcome: Outcome): void {
      clearTimeout(leave);
      resolve({ ...outcome, sentAt });
      asked.destroy();
    }
    // On a busy machine it leaves a moment after it was made.
    asked.once('finish', () => {
      sentAt = performance.now();
    });
    asked.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.once('close', () => end(outcomeOf(response.statusCode ?? 0, text)));
    });
    asked.once('error', (error: NodeJS.ErrnoException) => {
      const isRefused = error.code === 'ECONNREFUSED';
      end({ answer: isRefused ? 'nobody there' : 'the connection broke', mayMove: !isRefused });
    });
    asked.end();
  });
}
