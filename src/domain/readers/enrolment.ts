// Enrolment: a card becomes a person's because it was held to a reader while somebody waited for it.
import type { LockId } from '../locks/lock.ts';
import type { CardWidth, PersonId } from '../people/person.ts';

export type EnrolmentState =
  | 'waiting'
  /** One card was held to the reader, and waits to be confirmed. */
  | 'found'
  /** The card belongs to somebody, or is on a lock. */
  | 'known'
  /** Two different cards were held to the reader. */
  | 'contested'
  /** The time is over, the lock has reconnected, or somebody ended it. */
  | 'closed';

export interface Enrolment {
  /** Random. */
  readonly enrolmentId: string;
  readonly personId: PersonId;
  readonly lockId: LockId;
  readonly state: EnrolmentState;
  /** Until when a swipe counts, by the wall clock. */
  readonly closeDate: number;
  /** With `found`: the last digits of the card's number, and in how many bytes it fits. */
  readonly card: { readonly ends: string; readonly width: CardWidth } | null;
}
