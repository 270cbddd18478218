// All commands that the domain can send to a lock of any kind, and their outcomes. A closed union: a forgotten case does not compile.
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
 * A command that a driver sends on its own, such as one that sets the clock. It waits in the queue of the lock like any other command; only
 * the driver knows its content.
 */
export interface DriverCommand {
  readonly op: 'driver';
  /** For the log. */
  readonly name: string;
  /** As `LockSession.send`, in the current session. */
  send(commandId: CommandId, ttlMs: number): Promise<CommandOutcome>;
}

/** The state into which this command moves the bolt; undefined: it does not move it. */
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
