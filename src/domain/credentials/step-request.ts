// What goes with a step that somebody asked for, from the request until it is done.
import type { AccountId } from '../accounts/account.ts';
import type { CommandRequest } from '../locks/command-service.ts';
import type { Held } from './entry.ts';

/** All of a command but the command. */
export interface SendRequest extends Required<Omit<CommandRequest, 'makeCommand' | 'onSent' | 'needs' | 'timeoutMs' | 'accountId'>> {
  readonly accountId: AccountId;
  /** Call it when the command may be sent: throws `forbidden` when the caller has lost the role meanwhile. */
  readonly check: () => void;
}

/** What else is known of a step that is done. */
export type SentEnd = Pick<Held, 'commandId' | 'reference'>;

/** How the gateway knows what the lock holds now: a `Held` but for the window. */
export type Proof = Omit<Held, 'window' | 'before'>;
