// Everything the domain can tell a lock of any kind, and how that can end. A closed union: a forgotten case does not compile.
import type { CardOnLock, Validity } from '../credentials/card.ts';
import type { LockSettings, OpenState } from './lock.ts';

declare const commandIdBrand: unique symbol;
/** At most 96 characters, opaque to the lock; names the account, signed. */
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
  | { readonly op: 'get-status' };

/**
 * What a driver tells its lock of its own accord, such as the time. It waits in the queue of the lock like any other command; what it says,
 * the driver alone knows.
 */
export interface DriverCommand {
  readonly op: 'driver';
  /** For the log. */
  readonly name: string;
  /** As `LockSession.send`, in the session of now. */
  send(commandId: CommandId, ttlMs: number): Promise<CommandOutcome>;
}

/** Where this command wants the bolt; undefined: it leaves it where it is. */
export function wantedBy({ op }: { readonly op: string }): OpenState | undefined {
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
