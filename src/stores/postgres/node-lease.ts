// The right of a node to serve, as all others in this process see it.
import type { Lease } from '../../domain/lease.ts';
import type { ClusterView } from './cluster-view.ts';
import type { NodeRow } from './nodes.ts';

export interface NodeLease extends Lease {
  /**
   * Resolves when this node has the lease, which it renews from then on, or after `abandon`. Waits as long as the database is away or
   * another node serves. Rejects with a `NodeRefused`.
   */
  acquire(): Promise<void>;
  /** Ends the waiting. A node that stands in does so until `release`: what is under way at doors has its time. */
  abandon(): void;
  /**
   * A node that does not lead says that it will answer from memory, and how far that has come. Resolves with the number of the newest change in the database
   * that has it; take in all up to that one, and call `reads`. One that answers already goes on. undefined: it has no row any more. Rejects when the
   * database does not answer.
   */
  beginReading(applied: number): Promise<number | undefined>;
  /** From now on this node answers from memory while `readingLeftMs` lasts. */
  reads(): void;
  /** All that was changed up to now is read. A node that says that it lives, and cannot read for half a lease, may answer nothing from memory. */
  looked(): void;
  /** For how many milliseconds nobody is told that a change is done which this node, while it waits, does not know; 0: it may answer nothing. */
  readingLeftMs(): number;
  /** Ends this node: another one may serve at once. To be called after the last write; idempotent, never rejects. */
  release(): Promise<void>;
  /** This node serves and has in memory all that was changed before: until then it answers nothing, unless it did from memory up to its lease. */
  knowsAll(): void;
  /** Whether this node answers doors from memory while `readingLeftMs` lasts, although it does not serve: that time is its lease then. */
  standIn(does: boolean): void;
  /** Whether it has the right to write. */
  serves(): boolean;
  /** Whether the leader gives no sign of life. */
  isSilent(): boolean;
  /** Resolves when this node serves and no other one may answer anything or act, and after `abandon` or `release`. */
  alone(): Promise<void>;
  isAlone(): boolean;
  /** Asks the database at once: there is a sign that this node has ended. */
  beatNow(): void;
  /** The leader is about to end: the database is asked much more often for a while. */
  hurry(): void;
  /** Whether this node serves, or would if no other one did, as the database said last. */
  mayServe(): boolean;
  /** Whether enough is left of the time in which nobody takes this node for dead, for it to be given work. */
  isReady(): boolean;
  /** `passesOn`: while it waits it passes on what it is asked. */
  view(passesOn?: boolean): ClusterView;
  /** Another node that leads, as the database said last; undefined also while this one serves. */
  servingElsewhere(): Pick<NodeRow, 'incarnation' | 'name' | 'url' | 'waitsForOthers'> | undefined;
}
