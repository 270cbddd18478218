// What is known of a lost credential at one lock: computed from what the lock is known to hold, and from the access log.
import type { AccessLine } from '../access/access-log.ts';
import { hasEnded } from '../credentials/card.ts';
import type { Entry, Held } from '../credentials/entry.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockRevocation, RevocationProof, RevokedState } from './revocation.ts';

/** All that is known about one lost credential at one lock. */
export interface LockEvidence {
  readonly lockId: LockId;
  /** The entries of the credential; undefined: they cannot be read. */
  readonly entries: readonly Entry[] | undefined;
  /** The lines of the access log about it, the oldest first. */
  readonly lines: readonly AccessLine[];
  /** false: it was removed. */
  readonly isRegistered: boolean;
  readonly isOnline: boolean;
  /** Whether the lock's clock was right when it was heard last. */
  readonly isClockRight: boolean;
  /** When the lock last showed all that it holds, as far as that is known; undefined: not in its present session. */
  readonly shownAt?: number | undefined;
  /** Whether what it is sent fails again and again. */
  readonly isFailing: boolean;
  readonly lastSeenAt: number | null;
  readonly batteryPercent: number | null;
  readonly now: number;
}

const nothingKnown = { proof: null, since: null, lastSwipe: null, admitsUntil: null, electricQuantity: null };

const adviceFor: Readonly<Partial<Record<RevokedState, readonly string[]>>> = {
  offline: ['bring it online', 'remove it with the phone, then deleteType=1'],
  failed: ['look at the lock: it does not do what it is sent', 'remove it with the phone, then deleteType=1'],
  reported: ['bring it online: its next listing is the proof'],
  unknown: ['find the device that held it, and wipe it'],
};

export function revokedState(evidence: LockEvidence): LockRevocation {
  const { lockId, entries, isRegistered, now } = evidence;
  if (!isRegistered) return dead(evidence, 'unknown');
  if (entries === undefined) return open(evidence, 'failed', null);
  const holding = entries.flatMap(({ held }) => (held !== null && mayHold(held) ? [held] : []));
  if (holding.length === 0) return dead(evidence, 'removing');
  const ends = holding.map(endOf);
  const isOver = evidence.isClockRight && ends.every((endDate) => hasEnded({ endDate }, now));
  if (isOver) return { ...nothingKnown, lockId, state: 'ended', proof: { basis: 'validity', date: Math.max(...ends) }, advice: [] };
  const state = openState(evidence);
  return open(evidence, state, ends.includes(0) ? null : Math.max(...ends));
}

/** Whether the lock may open for it: a removal whose outcome is open may have failed. */
function mayHold({ window, sure }: Held): boolean {
  return window !== null || !sure;
}

/** The last millisecond in which the lock may open for it; 0: none. */
function endOf({ window, before, sure }: Held): number {
  if (sure) return window?.endDate ?? 0;
  // Before an unsure command it held this, or nobody knows what.
  const possible = [window, before === undefined ? { endDate: 0 } : before].flatMap((one) => (one === null ? [] : [one.endDate]));
  return possible.includes(0) ? 0 : Math.max(...possible);
}

function openState({ isOnline, isFailing, lines }: LockEvidence): RevokedState {
  if (isReported(lines)) return 'reported';
  if (!isOnline) return 'offline';
  return isFailing ? 'failed' : 'removing';
}

/** Whether a phone is said to have removed it since the lock was last known to hold it. */
function isReported(lines: readonly AccessLine[]): boolean {
  const last = lines.findLast(({ what, basis }) => what === 'held' || what === 'unsure' || basis === 'phone');
  return last !== undefined && last.basis === 'phone' && (last.what === 'gone' || last.what === 'unwanted');
}

function open(evidence: LockEvidence, state: RevokedState, admitsUntil: number | null): LockRevocation {
  const { lockId, isOnline, lastSeenAt, batteryPercent } = evidence;
  const advice = adviceFor[state] ?? [];
  return {
    ...{ ...nothingKnown, lockId, state, admitsUntil, electricQuantity: batteryPercent },
    since: isOnline ? null : lastSeenAt,
    advice: state === 'offline' && admitsUntil !== null ? [...advice, 'wait until its validity ends'] : advice,
  };
}

/** The lock holds nothing now: what the log says of how that came. `unproven`: the state when the log believes that it is still held. */
function dead({ lockId, lines, shownAt }: LockEvidence, unproven: RevokedState): LockRevocation {
  const last = lines.findLast(({ what }) => what === 'held' || what === 'unsure' || what === 'gone');
  const state = stateAfter(last, unproven);
  // What the lock showed since a phone is said to have removed it has no entry of it.
  if (state === 'reported' && last !== undefined && shownAt !== undefined && shownAt >= last.notAfter)
    return { ...nothingKnown, lockId, state: 'gone', proof: { basis: 'list', date: shownAt }, advice: [] };
  const proof: RevocationProof | null =
    state === 'gone' && last !== undefined && last.basis !== null
      ? { basis: last.basis, date: last.notAfter, ...(last.commandId !== null && { commandId: last.commandId }) }
      : null;
  return { ...nothingKnown, lockId, state, proof, advice: adviceFor[state] ?? [] };
}

function stateAfter(last: AccessLine | undefined, unproven: RevokedState): RevokedState {
  if (last === undefined) return 'never';
  if (last.what !== 'gone') return unproven;
  if (last.basis === 'phone') return 'reported';
  return last.basis === 'reset' ? 'unknown' : 'gone';
}
