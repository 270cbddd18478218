// What at the locks needs a person, the most urgent first.
import type { Alarm } from '../api/types.ts';
import type { LiveLock } from '../live.ts';

/** Below this, the batteries of a lock are changed soon; the gateway's alarm begins there, too. */
const lowBattery = 20;

export interface Concern {
  readonly kind: string;
  readonly lockId: number;
  /** Epoch ms; null: we are not told. */
  readonly since: number | null;
  /** false: it needs the word of a person that they have seen to it. */
  readonly endsByItself: boolean;
}

/** Kinds of alarms, the most urgent first; others follow. */
const urgency = [
  'duress',
  'tampered',
  'lost-credential-used',
  'jammed',
  'auto-lock-late',
  'open-too-long',
  'offline',
  'low-battery',
  'revocation-open',
  'credentials-differ',
];

function rank(kind: string): number {
  const at = urgency.indexOf(kind);
  return at < 0 ? urgency.length : at;
}

/** The alarms of locks that are on the board, and for operators, who hear of no alarms, what everybody sees of the lock itself. */
export function concernsOf(alarms: readonly Alarm[], locks: ReadonlyMap<number, LiveLock>): readonly Concern[] {
  const found: Concern[] = [];
  for (const { kind, lockId, since, endsByItself } of alarms)
    if (lockId !== null && locks.has(lockId)) found.push({ kind, lockId, since, endsByItself });
  for (const { lockId, role, online, electricQuantity } of locks.values()) {
    if (role !== 'operator') continue;
    if (!online) found.push({ kind: 'offline', lockId, since: null, endsByItself: true });
    if (electricQuantity >= 0 && electricQuantity < lowBattery)
      found.push({ kind: 'low-battery', lockId, since: null, endsByItself: true });
  }
  return found.sort((one, other) => rank(one.kind) - rank(other.kind) || (other.since ?? 0) - (one.since ?? 0));
}
