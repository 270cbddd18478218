// Unlocks that lie unread while the whole gateway stands still, for short and long, of callers who wait and callers who leave meanwhile.
import { request } from 'node:http';
import { lockDoor, rest } from './freeze-trials.ts';
import type { Random } from './seeded-random.ts';
import type { Site } from './site.ts';

export interface StandstillTrial {
  readonly stoodMs: number;
  readonly left: boolean;
  /** Of the answer; undefined: nobody took one. */
  readonly status: number | undefined;
  readonly moved: number;
  /** What is wrong with it: nothing may be. */
  readonly faults: readonly string[];
}

/** The simulator's clock is in whole milliseconds. */
const toleranceMs = 2;

/** One unlock of each of these locks while the gateway is stopped for so long, or `stop` has stopped something else. */
export async function standstillRound(
  options: {
    readonly site: Site;
    readonly random: Random;
    readonly commandTimeoutMs: number;
    readonly stoodMs: number;
    readonly stop?: () => void | Promise<void>;
    readonly goOn?: () => void;
    /** Nobody sees during the stop who leaves: where it is the network that stands still. */
    readonly isBlind?: boolean;
    /** Where another node stands still than the one that they ask: resolves when that one has seen so many callers leave. */
    readonly whenSeen?: (leaving: number) => Promise<void>;
  },
  locks: readonly number[],
): Promise<StandstillTrial[]> {
  const { site, random, commandTimeoutMs, stoodMs, isBlind = false, whenSeen } = options;
  const { stop = () => process.kill(site.gateway.pid, 'SIGSTOP'), goOn = () => process.kill(site.gateway.pid, 'SIGCONT') } = options;
  await Promise.all(locks.map((number) => lockDoor(site, number)));
  const leaving: Promise<number | undefined>[] = [];
  await stop();
  const asked = locks.map(async (number) => {
    const lock = site.lock(number);
    const movedBefore = lock.movements.at(-1)?.at ?? 0;
    const left = random.chance(0.5);
    const at = performance.now();
    const answer = ask(site, number, left ? random.below(stoodMs) : undefined);
    if (left) leaving.push(answer);
    const status = await answer;
    await stopped;
    const silence = await rest(site, number);
    const movements = lock.movements.filter((movement) => movement.at > movedBefore);
    const faults = movements.flatMap((movement) => {
      const lateMs = movement.at - at - commandTimeoutMs;
      return [
        ...(left && !isBlind ? ['it moved for somebody who had gone'] : []),
        ...(lateMs > toleranceMs ? [`it moved ${lateMs.toFixed(0)} ms later than its caller waited`] : []),
      ];
    });
    if (movements.length > 1) faults.push(`it moved ${movements.length} times`);
    return { stoodMs, left, status, moved: movements.length, faults: [...silence, ...faults] };
  });
  // Who leaves has left before it goes on: on a busy machine that may take a moment.
  const stopped = (async () => {
    await new Promise((resolve) => void setTimeout(resolve, stoodMs));
    const answers = await Promise.all(leaving);
    await whenSeen?.(answers.filter((status) => status === undefined).length);
  })().finally(goOn);
  return Promise.all(asked);
}

/** `leaveMs`: when the caller hangs up; undefined: he takes the answer. */
function ask(site: Site, number: number, leaveMs: number | undefined): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request(`${site.gateway.httpUrl}/api/v1/lock/unlock?lockId=${site.lockId(number)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.gateway.token}` },
      agent: false,
    });
    asked.once('response', (response) => resolve(response.resume().statusCode));
    asked.once('close', () => resolve(undefined));
    asked.on('error', () => resolve(undefined));
    asked.end();
    if (leaveMs !== undefined) setTimeout(() => asked.destroy(), leaveMs);
  });
}
