// The memory of a lock for credentials, whatever its kind: batches of new native locks, single cards of older ones, passcodes of other makes.

import type { AccountId } from '../accounts/account.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { CommandId } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import type { Basis, CredentialKind, ValidWindow } from './entry.ts';

/** One number to put on a lock; `reference` as in `Held`. */
export interface Item {
  readonly kind: CredentialKind;
  readonly number: string;
  readonly window: ValidWindow;
  readonly name: string;
  readonly reference?: string;
  /** The lock holds this number already, with other dates. */
  readonly isThere?: boolean;
}

/** What a lock holds of an item. */
export type HeldItem = Pick<Item, 'kind' | 'number' | 'window'>;

/** A number that a lock shows; null: the lock does not show this one. */
export interface Shown {
  readonly kind: CredentialKind;
  readonly number: string | null;
  /** Absent: the lock does not say when it is valid. */
  readonly window?: ValidWindow;
  readonly reference?: string;
}

/** How a step ended. */
export type StepEnd =
  | {
      readonly kind: 'done';
      readonly commandId: CommandId;
      /** `list`: the lock has shown it since. */
      readonly basis: Extract<Basis, 'reply' | 'list'>;
      /** The digest of all that the lock holds now; absent: it says none. */
      readonly digest?: string;
      /** By their place among the items: those that were not stored, with the lock's word. */
      readonly failed: readonly { readonly index: number; readonly error: string }[];
      /** By their place among the items. */
      readonly references: readonly (string | undefined)[];
    }
  /** `message`: for people, in the lock's own words; empty: it said none. */
  | { readonly kind: 'refused'; readonly error: string; readonly message: string }
  /** Nothing was sent, or it was sent and the outcome is open. */
  | { readonly kind: 'unsent' | 'open' };

/** What a lock can hold. */
export interface MemoryLimits {
  /** How many items one command takes; 1 at least. */
  readonly batch: number;
  readonly cards: boolean;
  readonly passcodes: boolean;
  readonly hours: boolean;
  readonly once: boolean;
  /** Fewest and most digits of a passcode. */
  readonly passcodeDigits: readonly [fewest: number, most: number];
}

/** Who waits for a command; absent: nobody, the gateway sends it by itself. */
export interface MemoryRequest {
  readonly accountId: AccountId;
  /** Time on the monotonic clock. */
  readonly deadline: number;
  readonly gone?: CancelSignal;
  /** Called when the command may be sent. What it throws, `put` and `remove` reject with, and nothing was sent. */
  check(): void;
}

/** Of a step that the gateway takes by itself: what was decided meanwhile counts when the command may be sent. */
export type OwnRequest = Pick<MemoryRequest, 'check'>;

/** In one session; each call is one command, and waits for its turn among the commands to that lock. Without a `MemoryRequest` it never rejects. */
export interface LockMemory {
  readonly limits: MemoryLimits;
  put(session: LockSession, items: readonly Item[], request?: MemoryRequest | OwnRequest): Promise<StepEnd>;
  remove(session: LockSession, items: readonly Item[], request?: MemoryRequest | OwnRequest): Promise<StepEnd>;
  /** All that the lock holds, by as many commands as it takes; undefined: it did not tell. */
  list(session: LockSession): Promise<readonly Shown[] | undefined>;
  /** The digest in the hello of a lock that holds exactly this; absent: it says none. */
  digest?(held: readonly HeldItem[]): string;
}
