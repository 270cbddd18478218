// Everything the gateway can tell a lock, and how that can end (Protocol 5). A closed union: a forgotten case does not compile.
import type { CardOnLock, Validity } from '../credentials/card.ts';
import type { LockSettings, OpenState } from './lock.ts';

declare const commandIdBrand: unique symbol;
/** At most 96 characters, opaque to the lock; names the account, signed (Protocol 5.1). */
export type CommandId = string & { readonly [commandIdBrand]: true };

export type LockCommand =
  | { readonly op: 'lock' }
  | { readonly op: 'unlock' }
  | { readonly op: 'set-auto-lock'; readonly seconds: number }
  | ({ readonly op: 'add-card'; readonly cardNumber: string } & Validity)
  | ({ readonly op: 'update-card'; readonly cardNumber: string } & Validity)
  | { readonly op: 'remove-card'; readonly cardNumber: string }
  | { readonly op: 'list-cards'; readonly offset: number; readonly limit: number }
  | { readonly op: 'set-settings'; readonly settings: Partial<LockSettings> }
  | { readonly op: 'set-clock'; readonly now: number; readonly timezoneRawOffset: number }
  | { readonly op: 'get-status' }
  | { readonly op: 'resend-events'; readonly epoch: string; readonly from: number; readonly to: number };

/** Where this command wants the bolt; undefined: it leaves it where it is. */
export function wantedBy({ op }: LockCommand): OpenState | undefined {
  if (op === 'lock') return 'locked';
  return op === 'unlock' ? 'unlocked' : undefined;
}

/** What `list-cards` returns. */
export interface CardListing {
  readonly cards: readonly CardOnLock[];
  readonly total: number;
}

/** How a command that was sent has ended. `no-reply`: nothing came before the deadline; `lost`: the connection or session ended first. */
export type CommandOutcome =
  | { readonly kind: 'ok'; readonly state?: OpenState; readonly listing?: CardListing }
  | { readonly kind: 'refused'; readonly error: string; readonly message: string }
  | { readonly kind: 'no-reply' }
  | { readonly kind: 'lost' };
