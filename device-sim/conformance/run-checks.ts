// Takes a lock through the table, one check after the other.
import type { Check, Need } from './check.ts';
import type { Footprint } from './footprint.ts';
import type { LockSession } from './session.ts';
import { Interrupted } from './trace.ts';
import { Broken, LockAway, NotTried, notTried, type Verdict } from './verdict.ts';

export interface Result {
  readonly check: Check;
  readonly verdict: Verdict;
  readonly seconds: number;
}

export interface RunOptions {
  readonly session: LockSession;
  readonly footprint: Footprint;
  readonly checks: readonly Check[];
  /** Called as each check is over. */
  readonly onResult: (result: Result) => void;
}

/** Resolves when all have been tried. Rejects with Interrupted when the run is ended before. */
export async function runChecks({ session, footprint, checks, onResult }: RunOptions): Promise<void> {
  let isAway = false;
  for (const check of checks) {
    const startedAt = performance.now();
    const missing = check.needs?.map((need) => whyNot(session, need)).find((why) => why !== undefined);
    let verdict: Verdict;
    if (missing !== undefined) verdict = notTried(missing);
    else if (isAway && check.looksBack !== true) verdict = notTried('the lock has not come back');
    else {
      const tried = await attempt(session, check);
      isAway ||= tried.isAway;
      verdict = tried.verdict;
    }
    if (!isAway) await footprint.takeOff(session).catch(passInterruption);
    onResult({ check, verdict, seconds: Math.round((performance.now() - startedAt) / 100) / 10 });
  }
}

async function attempt(session: LockSession, check: Check): Promise<{ readonly verdict: Verdict; readonly isAway: boolean }> {
  try {
    return { verdict: await check.run(session), isAway: false };
  } catch (error) {
    if (error instanceof Broken)
      return {
        verdict: { verdict: 'broken', came: error.came, due: error.due },
        isAway: error instanceof LockAway && !(await isBack(session)),
      };
    if (error instanceof NotTried) return { verdict: notTried(error.message), isAway: false };
    throw error;
  }
}

/** A connection that has ended by itself may come back. */
async function isBack(session: LockSession): Promise<boolean> {
  try {
    const last = session.trace.entries.findLastIndex((entry) => entry.kind === 'closed');
    await session.whenBack(Math.max(0, last), 30_000);
    return true;
  } catch (error) {
    passInterruption(error);
    return false;
  }
}

function passInterruption(error: unknown): void {
  if (error instanceof Interrupted) throw error;
  if (!(error instanceof Broken)) throw error;
}

/** Why the lock, or who is with it, does not have what the check needs; undefined: it does. */
function whyNot(session: LockSession, need: Need): string | undefined {
  if (need === 'power')
    return session.attendant.canSwitchPower ? undefined : 'nobody is there to switch the lock off and on (--power-command)';
  if (need === 'door') return session.attendant.canUseDoor ? undefined : 'nobody is there to hold a card or type a code (--swipe-command)';
  if (need === 'own-login') return session.hubId === undefined ? undefined : 'a hub speaks for the lock';
  if (need === 'passcodes') return session.hello.limits?.passcodes === 0 ? 'the lock has no keypad' : undefined;
  return session.hasFeature(need) ? undefined : `the lock does not have the feature ${need}`;
}
