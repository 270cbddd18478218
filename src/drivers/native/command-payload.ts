// A command as it travels, and how its reply ends it (Protocol 5.1 and 5.2).
import type { CommandId, CommandOutcome } from '../../domain/locks/lock-command.ts';
import { type CommandMessage, cardListing, type ReplyMessage } from './messages.ts';
import type { NativeCommand } from './own-commands.ts';

/** The errors of Protocol 5.2; any other is `failed`. */
export const replyErrors = ['expired', 'jammed', 'low-battery', 'privacy-lock', 'no-space', 'not-found', 'not-supported', 'busy', 'failed'];

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
  const { op, ...args } = command;
  return args;
}

/** What the caller gets. An ok of list-cards without a valid listing is a refusal: the gateway must not reconcile cards by guessing. */
export function outcomeOf(command: NativeCommand, reply: ReplyMessage): CommandOutcome {
  if (!reply.ok) {
    const error = reply.error !== undefined && replyErrors.includes(reply.error) ? reply.error : 'failed';
    return { kind: 'refused', error, message: reply.message ?? '' };
  }
  const state = reply.state === undefined ? {} : { state: reply.state };
  if (command.op !== 'list-cards') return { kind: 'ok', ...state };
  const listing = cardListing.safeParse(reply.result);
  if (!listing.success) return { kind: 'refused', error: 'failed', message: 'the reply holds no valid list of cards' };
  return { kind: 'ok', ...state, listing: listing.data };
}
