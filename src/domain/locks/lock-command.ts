// All commands that the domain can send to a lock of any kind, and their outcomes. A closed union: a forgotten case does not compile.
import type { CardOnLock, Validity } from '../credentials/card.ts';
import type { CredentialKind, ValidWindow } from '../credentials/entry.ts';
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
  | { readonly op: 'get-status' }
  | CredentialsCommand
  | PasscodeCommand;

/** For locks that hold cards and passcodes alike, with hours and one-time codes as far as they say. */
export type CredentialsCommand =
  /** Stores each item; a number that is there gets the new values, whole. 1 to 20 items. */
  | { readonly op: 'put-credentials'; readonly items: readonly CredentialOnLock[] }
  /** 1 to 20 items; it is no error that one was not there. */
  | { readonly op: 'remove-credentials'; readonly items: readonly CredentialKey[] }
  | { readonly op: 'list-credentials'; readonly offset: number; readonly limit: number };

export interface CredentialKey {
  readonly kind: CredentialKind;
  /** Of cards without leading zeros. */
  readonly number: string;
}

/** A credential in the memory of a lock. */
export interface CredentialOnLock extends CredentialKey, ValidWindow {}

/** What a lock holds after one of these commands. */
export interface CredentialsReply {
  readonly count: number;
  /** As in its hello. */
  readonly digest: string;
  /** Items that it did not store, by their place in the command, with its word for the reason. */
  readonly failed: readonly { readonly index: number; readonly error: string }[];
  /** Of `list-credentials`: this page, and how many there are in all. A number that the lock does not show is null. */
  readonly listing?: {
    readonly credentials: readonly (Omit<CredentialOnLock, 'number'> & { readonly number: string | null })[];
    readonly total: number;
  };
}

/** For the makes that have passcodes. */
export type PasscodeCommand =
  /** Adds a passcode; with `reference` it replaces the one that the lock knows by it, or takes that place. */
  | ({ readonly op: 'put-passcode'; readonly code: string; readonly name: string; readonly reference?: string } & Validity)
  | { readonly op: 'remove-passcode'; readonly reference: string }
  | { readonly op: 'list-passcodes' };

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

/** A passcode as the lock has it; what it does not tell is absent. */
export interface PasscodeOnLock extends Partial<Validity> {
  /** By what the lock knows it: a number that it gave, or a slot. */
  readonly reference: string;
  readonly name?: string;
  readonly code?: string;
  readonly isEnabled?: boolean;
}

/** A change of a passcode that the lock has made. */
export interface PasscodeChange {
  readonly reference: string;
  /** `read-back`: the lock has shown since that it is so; `said`: it says that it has done it. */
  readonly proof: 'read-back' | 'said';
}

/** What `list-passcodes` returns: all that the lock has. */
export interface PasscodeListing {
  readonly passcodes: readonly PasscodeOnLock[];
}

/** Why a device of another make refuses, in one word; a native lock has words of its own besides. */
export type Refusal =
  | 'jammed'
  | 'low-battery'
  | 'busy'
  /** It does not allow lock actions over MQTT. */
  | 'remote-not-allowed'
  | 'not-calibrated'
  | 'failed'
  | 'not-supported';

/**
 * How a command has ended. `no-reply`: nothing came before the deadline; `lost`: the connection or session ended first; `unsent`: the lock
 * may not be there to take it, so nothing of it was sent, and `message` says why.
 */
export type CommandOutcome =
  | {
      readonly kind: 'ok';
      readonly state?: OpenState;
      readonly listing?: CardListing;
      /** Absent in the reply to a change: what the lock holds now is unknown. */
      readonly credentials?: CredentialsReply;
      readonly passcode?: PasscodeChange;
      readonly passcodes?: PasscodeListing;
    }
  | { readonly kind: 'refused'; readonly error: string; readonly message: string }
  | { readonly kind: 'unsent'; readonly message: string }
  | { readonly kind: 'no-reply' }
  | { readonly kind: 'lost' };
