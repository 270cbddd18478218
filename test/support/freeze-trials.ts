// Unlocks over connections that freeze at every step and thaw at any moment (Faults T6 to T8). One trial is one unlock of one
// lock; many locks have theirs at the same time. Shared by the test and the nightly round.
import type { Movement } from '../../device-sim/movement-log.ts';
import type { Random } from './seeded-random.ts';
import { type Site, until } from './site.ts';
import type { Trap } from './site-wire.ts';

export const freezeSteps = [
  'before the command',
  'within it',
  'after it',
  'before the reply',
  'within the reply',
  'after the reply',
] as const;
export type FreezeStep = (typeof freezeSteps)[number];

export interface Trial {
  readonly lock: number;
  readonly step: FreezeStep;
  /** From the request to the thaw. */
  readonly thawMs: number;
  /** `unlocked`, `refused` by the lock, the code of the refusal, or that the gateway died. */
  readonly outcome: string;
  /** On the monotonic clock, when the caller had it. */
  readonly answeredAt: number;
  /** What the bolt did, by the lock's own account. */
  readonly movements: readonly Movement[];
  /** From the answer and the thaw until a command has gone there and back again. */
  readonly restMs: number;
  /** What is wrong with it: nothing may be. */
  readonly faults: readonly string[];
}

/** What a trial needs of a building. */
export type TrialSite = Pick<Site, 'api' | 'lock' | 'lockId' | 'wire'>;

export interface TrialOptions {
  readonly site: TrialSite;
  readonly random: Random;
  /** The gateway's. */
  readonly commandTimeoutMs: number;
  /** Thaws after the gateway has given the connection up: each takes more than the 5 s of its get-status. */
  readonly longShare?: number;
}

/**
 * The lock's uptime is in whole milliseconds, and so is what the gateway makes of it: 1 each. The time between hello and its
 * arrival only makes `expires` earlier.
 */
const uptimeToleranceMs = 2;
const getStatusMs = 5_000;
/** On a machine that other work keeps busy, a hundred locks that all come back at once take their time. */
const patienceMs = 60_000;
/** A lock that is offline is refused at once: many that ask without a pause would leave no time for anything else. */
const askAgainMs = 50;

/** Where the connection freezes; undefined: at once, before anything is asked. */
export function trapAt(step: FreezeStep, random: Random): Trap | undefined {
  const [channel, way] = step.endsWith('reply') ? (['/reply', 'from-lock'] as const) : (['/command', 'to-lock'] as const);
  if (step === 'before the command') return undefined;
  return (bytes, passing) => {
    const at = bytes.indexOf(channel);
    if (passing !== way || at < 0) return undefined;
    if (step.startsWith('before')) return 0;
    return step.startsWith('within') ? 1 + random.below(bytes.length - 1) : bytes.length;
  };
}

/** At the edge of the time-out, where a mistake would show, at any moment around it, or when all is over. */
export function thawAfter({
  random,
  commandTimeoutMs,
  longShare = 0,
}: Pick<TrialOptions, 'random' | 'commandTimeoutMs' | 'longShare'>): number {
  if (random.chance(longShare)) return commandTimeoutMs + getStatusMs + random.below(500);
  if (random.chance(0.5)) return Math.max(0, commandTimeoutMs - 40 + random.below(80));
  return random.below(3 * commandTimeoutMs);
}

/** One unlock of each of these locks, all at once. `during` runs when all have been asked; it may kill and start the gateway. */
export async function freezeRound(options: TrialOptions, locks: readonly number[], during?: () => Promise<void>): Promise<Trial[]> {
  const { site } = options;
  await Promise.all(locks.map((number) => lockDoor(site, number)));
  const asked = locks.map((number) => tryUnlock(options, number));
  await during?.();
  return Promise.all(asked);
}

async function tryUnlock(options: TrialOptions, number: number): Promise<Trial> {
  const { site, random } = options;
  const lock = site.lock(number);
  const step = random.pick(freezeSteps);
  const thawMs = thawAfter(options);
  const movedBefore = lock.movements.length === 0 ? 0 : (lock.movements.at(-1)?.at ?? 0);
  const trap = trapAt(step, random);
  if (trap === undefined) site.wire.freeze(lock.deviceId);
  else site.wire.freezeAt(lock.deviceId, trap);

  const thawed = after(thawMs).then(() => site.wire.thaw(lock.deviceId));
  const outcome = await unlock(site, number);
  const answeredAt = performance.now();
  await thawed;
  const thawedAt = performance.now();
  const silence = await rest(site, number);
  const restMs = performance.now() - thawedAt;
  const movements = lock.movements.filter(({ at }) => at > movedBefore);
  const faults = faultsOf({ site, number, outcome, answeredAt, movements });
  return { lock: number, step, thawMs, outcome, answeredAt, movements, restMs, faults: [...silence, ...faults] };
}

export async function unlock(site: TrialSite, number: number): Promise<string> {
  try {
    const { status, body } = await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(number) } });
    if (status !== 200) return body.code;
    return body['success'] === true ? 'unlocked' : 'refused';
  } catch {
    return 'the gateway died';
  }
}

/**
 * Resolves when nothing is on its way any more: a connection that the gateway has given up is made anew, and a command has gone
 * there and back. What is wrong when that never comes: a command or a queue was lost.
 */
export async function rest(site: TrialSite, number: number): Promise<string[]> {
  const lock = site.lock(number);
  const answers = new Map<string, number>();
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt) {
    site.wire.reset(lock.deviceId);
    const answer = await answersOf(site, number);
    if (answer === 'ok') return [];
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    await after(askAgainMs);
  }
  const seen = [...answers].map(([answer, times]) => `${times} times ${answer}`).join(', ');
  return [`it never answered again: ${seen}; it is ${lock.online ? 'online' : 'offline'}, session ${lock.session}`];
}

async function answersOf(site: TrialSite, number: number): Promise<string> {
  return site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId: site.lockId(number) } }).then(
    ({ status, body }) => (status === 200 ? 'ok' : body.code),
    () => 'no gateway',
  );
}

export async function lockDoor(site: TrialSite, number: number): Promise<void> {
  await until(
    async () => {
      if (site.lock(number).state === 'locked') return true;
      await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(number) } });
      await after(askAgainMs);
      return false;
    },
    `lock ${number} is locked`,
    patienceMs,
  );
}

export function faultsOf({
  site,
  number,
  outcome,
  answeredAt,
  movements,
}: Pick<Trial, 'outcome' | 'answeredAt' | 'movements'> & { site: TrialSite; number: number }): string[] {
  const { deviceId, state } = site.lock(number);
  const faults: string[] = [];
  for (const { uptime, at, session, commandId } of movements) {
    // Protocol 5.3 rule 1, word by word, with what went over the wire.
    const sent = site.wire.command(deviceId, commandId ?? '');
    if (sent === undefined) faults.push('it moved without a command');
    else if (uptime > sent.expires) faults.push(`it began to move ${uptime - sent.expires} ms after the command had expired`);
    if (sent?.session !== session) faults.push('it moved for a command of another session');
    const lateMs = at - answeredAt;
    if (outcome !== 'unlocked' && outcome !== 'the gateway died' && lateMs > uptimeToleranceMs)
      faults.push(`it began to move ${lateMs.toFixed(1)} ms after its caller had been told ${outcome}`);
  }
  if (movements.length > 1) faults.push(`it moved ${movements.length} times`);
  if (['lock-offline', 'lock-busy', 'refused'].includes(outcome) && movements.length > 0) faults.push(`it moved, although ${outcome}`);
  if (outcome === 'unlocked' && movements.length === 0) faults.push('it did not move, although its caller was told so');
  if ((state === 'unlocked') !== movements.length > 0) faults.push(`it is ${state} after ${movements.length} movements`);
  return faults;
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
