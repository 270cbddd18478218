// What a lock said to a change that somebody asked for.
import { DomainError } from '../errors.ts';
import type { CredentialKind } from './entry.ts';
import type { LockEntries } from './lock-entries.ts';
import type { LockMemory, StepEnd } from './lock-memory.ts';
import type { SentEnd } from './step-request.ts';

/** What is known of a step that the lock says it has done. Throws the error of any other end. */
export function takenBy(end: StepEnd, kind: CredentialKind): SentEnd {
  if (end.kind === 'unsent') throw new DomainError('lock-offline', 'the lock is not connected; nothing was sent');
  if (end.kind === 'refused') throw kind === 'card' ? refused(end.error, end.message || end.error) : withoutDigits(end.error);
  if (end.kind !== 'done') throw new DomainError('lock-timeout', 'the command was sent, but no reply came in time: the outcome is unknown');
  const [failed] = end.failed;
  if (failed !== undefined) throw kind === 'card' ? refused(failed.error, failed.error) : withoutDigits(failed.error);
  const [reference] = end.references;
  return { commandId: end.commandId, ...(reference !== undefined && { reference }) };
}

export function refused(lockError: string, words: string): DomainError {
  return new DomainError('lock-refused', `the lock refused: ${words}`, { lockError });
}

/** The words about a passcode may hold its digits: nothing of them goes any further but one word without digits. */
function withoutDigits(word: string): DomainError {
  const lockError = /\d{4}/.test(word) ? 'failed' : word;
  return refused(lockError, lockError);
}

/** Whether the lock says that it holds now what these entries say, with the step done whose outcome is open. */
export function isSaid(end: StepEnd, memory: LockMemory, { entries }: LockEntries): boolean {
  if (end.kind !== 'done' || end.digest === undefined || memory.digest === undefined) return true;
  const held = entries.flatMap(({ kind, number, held }) => (held?.window == null ? [] : [{ kind, number, window: held.window }]));
  return memory.digest(held) === end.digest;
}
