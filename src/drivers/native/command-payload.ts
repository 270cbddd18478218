// A command as it travels, and how its reply ends it (Protocol 5.1 and 5.2).
import type { CommandId, CommandOutcome, CredentialOnLock, CredentialsCommand, CredentialsReply } from '../../domain/locks/lock-command.ts';
import { type CommandMessage, cardListing, credentialListing, credentialsResult, type ReplyMessage } from './messages.ts';
import type { NativeCommand } from './own-commands.ts';

/** The errors of Protocol 5.2; any other is `failed`. */
export const replyErrors = [
  ...['expired', 'jammed', 'low-battery', 'privacy-lock', 'no-space', 'clock-not-set', 'not-found', 'not-supported', 'busy', 'failed'],
];

export interface CommandEnvelope {
  readonly id: CommandId;
  readonly session: string;
  /** In the lock's own uptime. */
  readonly expires: number;
  readonly ttlMs: number;
}

/** The JSON text of Protocol 5.1. */
export function commandPayload(command: NativeCommand, { id, session, expires, ttlMs }: CommandEnvelope): string {
  return JSON.stringify({ id, session, op: command.op, args: argsOf(command), expires, ttl: ttlMs } satisfies CommandMessage);
}

function argsOf(command: NativeCommand): Record<string, unknown> {
  if (command.op === 'set-settings') return { ...command.settings };
  if (command.op === 'put-credentials') return { items: command.items.map(itemOf) };
  if (command.op === 'remove-credentials') return { items: command.items.map(({ kind, number }) => ({ kind, number })) };
  const { op, ...args } = command;
  return args;
}

/** What is usual is left out: at all hours, again and again. */
function itemOf({ kind, number, startDate, endDate, hours, once }: CredentialOnLock): object {
  return { kind, number, startDate, endDate, ...(hours !== '' && { hours }), ...(once && { once }) };
}

/**
 * What the caller gets. An ok to a listing that holds none is a refusal: the gateway must not reconcile cards and passcodes by guessing. An
 * ok to a change, whose result does not say what the lock holds now, has no `credentials`: it may have changed all or nothing.
 */
export function outcomeOf(command: NativeCommand, reply: ReplyMessage): CommandOutcome {
  if (!reply.ok) {
    const error = reply.error !== undefined && replyErrors.includes(reply.error) ? reply.error : 'failed';
    return { kind: 'refused', error, message: reply.message ?? '' };
  }
  const state = reply.state === undefined ? {} : { state: reply.state };
  if (command.op === 'list-cards') {
    const listing = cardListing.safeParse(reply.result);
    return listing.success ? { kind: 'ok', ...state, listing: listing.data } : invalid('list of cards');
  }
  if (command.op !== 'put-credentials' && command.op !== 'remove-credentials' && command.op !== 'list-credentials')
    return { kind: 'ok', ...state };
  const credentials = credentialsIn(command, reply.result);
  if (credentials === undefined) return command.op === 'list-credentials' ? invalid('list of credentials') : { kind: 'ok', ...state };
  return { kind: 'ok', ...state, credentials };
}

function invalid(what: string): CommandOutcome {
  return { kind: 'refused', error: 'failed', message: `the reply holds no valid ${what}` };
}

/** undefined: the result is not valid. */
function credentialsIn(command: CredentialsCommand, result: unknown): CredentialsReply | undefined {
  if (command.op === 'list-credentials') {
    const { data } = credentialListing.safeParse(result);
    if (data === undefined) return undefined;
    const { count, digest, total } = data;
    const credentials = data.credentials.map(({ hours = '', once = false, ...shown }) => ({ ...shown, hours, once }));
    return { count, digest, failed: [], listing: { credentials, total } };
  }
  const { data } = credentialsResult.safeParse(result);
  if (data === undefined) return undefined;
  const { count, digest, failed = [] } = data;
  return failed.every(({ index }) => index < command.items.length) ? { count, digest, failed } : undefined;
}
