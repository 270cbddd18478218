// Callers at the doors while nodes and databases fail: one at each lock, who unlocks it and locks it again, always at the node that programs
// ask. Each answer is compared with what the bolt did by the lock's own account.
import { request } from 'node:http';
import type { LockHandle } from '../../device-sim/lock-handle.ts';
import type { Movement } from '../../device-sim/movement-log.ts';
import type { ClusterHouse } from './cluster-house.ts';

export interface Doors {
  /** Begins; `pause` ends it and resolves when every caller has his answer. */
  go(): void;
  pause(): Promise<void>;
  /** Since the last call. */
  take(): DoorsReport;
}

export interface DoorsReport {
  /** How often callers had each answer. */
  readonly answers: ReadonlyMap<string, number>;
  /** The longest time between two answers with 200 at one lock, in milliseconds. */
  readonly longestGapMs: number;
  /** The oldest request for which a bolt moved, in milliseconds. */
  readonly oldestMoveMs: number;
  /** Late, double, or against what the caller was told: nothing may be. */
  readonly problems: readonly string[];
}

/** What came of a request. `mayMove`: the caller does not know whether the bolt moves. */
export interface Outcome {
  readonly answer: string;
  readonly mayMove: boolean;
}

/** The way of a request to a busy daemon, and of an answer back. */
const slackMs = 250;
const leaveAfterMs = 6_000;
const pauseMs = 20;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function createDoors(house: ClusterHouse): Doors {
  const { commandTimeoutMs } = house;
  let isOver = true;
  let busy: Promise<unknown> = Promise.resolve();
  let answers = new Map<string, number>();
  let problems: string[] = [];
  let [longestGapMs, oldestMoveMs] = [0, 0];

  function judge(lock: LockHandle, target: string, outcome: Outcome, askedAt: number, moved: readonly Movement[]): void {
    const say = (what: string): void => void problems.push(`lock ${lock.number}, ${outcome.answer}: ${what}`);
    for (const movement of moved) {
      const ageMs = movement.at - askedAt;
      oldestMoveMs = Math.max(oldestMoveMs, ageMs);
      if (movement.target !== target) say(`it was asked to be ${target} and became ${movement.target}`);
      if (ageMs > commandTimeoutMs + slackMs) say(`it moved ${Math.round(ageMs)} ms after it was asked`);
    }
    if (moved.length > 1) say(`it moved ${moved.length} times`);
    if (moved.length > 0 && !outcome.mayMove) say('it moved all the same');
    if (outcome.answer === '200' && moved.length === 0) say('it did not move');
  }
  async function use(lock: LockHandle): Promise<void> {
    let answeredAt = performance.now();
    let seen = lock.movements.at(-1)?.at ?? 0;
    while (!isOver) {
      const target = lock.state === 'locked' ? 'unlocked' : 'locked';
      const askedAt = performance.now();
      const outcome = await move(house, lock, target === 'unlocked' ? 'unlock' : 'lock');
      const now = performance.now();
      if (outcome.answer === '200') {
        longestGapMs = Math.max(longestGapMs, now - answeredAt);
        answeredAt = now;
      } else if (outcome.mayMove) await wait(Math.max(0, askedAt + commandTimeoutMs + 2 * slackMs - now));
      else await wait(pauseMs);
      answers.set(outcome.answer, (answers.get(outcome.answer) ?? 0) + 1);
      const moved = lock.movements.filter(({ at }) => at > seen);
      seen = moved.at(-1)?.at ?? seen;
      judge(lock, target, outcome, askedAt, moved);
      await wait(pauseMs);
    }
    longestGapMs = Math.max(longestGapMs, performance.now() - answeredAt);
  }

  return {
    go() {
      isOver = false;
      busy = Promise.all(house.fleet.locks.map(use));
    },
    async pause() {
      isOver = true;
      await busy;
    },
    take() {
      const report = { answers, longestGapMs, oldestMoveMs, problems };
      [answers, problems, longestGapMs, oldestMoveMs] = [new Map(), [], 0, 0];
      return report;
    },
  };
}

/** Asks over a connection of its own, so that a broken one is never a reused one. */
function move(house: ClusterHouse, lock: LockHandle, action: 'lock' | 'unlock'): Promise<Outcome> {
  const node = house.asked();
  const askedAt = performance.now();
  const ends = node.begin();
  return new Promise((resolve) => {
    const asked = request(`${node.url}/api/v1/lock/${action}?lockId=${lock.lockId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${house.token()}` },
      agent: false,
    });
    asked.once('close', ends);
    const leave = setTimeout(() => {
      resolve({ answer: 'none within 6 s', mayMove: true });
      asked.destroy();
    }, leaveAfterMs);
    asked.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.once('close', () => {
        clearTimeout(leave);
        const outcome = outcomeOf(response.statusCode ?? 0, text);
        const isOver = performance.now() - askedAt >= house.commandTimeoutMs - slackMs;
        resolve(isOver && outcome.answer !== '200' && !outcome.mayMove ? { answer: 'its time was over', mayMove: false } : outcome);
      });
      if (response.statusCode === 200) node.noteGranted(askedAt);
    });
    asked.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(leave);
      const isRefused = error.code === 'ECONNREFUSED';
      resolve({ answer: isRefused ? 'nobody there' : 'the connection broke', mayMove: !isRefused });
    });
    asked.end();
  });
}

export function outcomeOf(status: number, text: string): Outcome {
  let body: { readonly success?: boolean; readonly code?: string } = {};
  try {
    body = JSON.parse(text);
  } catch {
    return { answer: 'the connection broke', mayMove: true };
  }
  if (status === 200) return body.success === true ? { answer: '200', mayMove: true } : { answer: 'refused by the lock', mayMove: false };
  const answer = body.code ?? String(status);
  return { answer, mayMove: answer === 'lock-timeout' };
}
