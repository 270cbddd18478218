// What the names in the folder of the locks' documents say: which locks are registered, and of which the document is lost.
import { basename } from 'node:path';
import type { LockId } from '../../../domain/locks/lock.ts';

const lockFileName = /^[1-9]\d{0,15}\.json$/;
const previousName = /^[1-9]\d{0,15}\.json\.previous$/;

/** The locks whose documents are among the names in their folder, in order. */
export function registeredLocks(names: readonly string[]): LockId[] {
  return numbersOf(names, lockFileName);
}

function numbersOf(names: readonly string[], pattern: RegExp): LockId[] {
  const lockIds = names.filter((name) => pattern.test(name)).map((name) => Number.parseInt(name, 10) as LockId);
  return lockIds.sort((a, b) => a - b);
}

/** The locks, of the names in their folder, that have a previous generation and no document: whoever removes a lock takes the copies first. */
export function lostDocuments(names: readonly string[]): LockId[] {
  const present = new Set(registeredLocks(names));
  return numbersOf(names, previousName).filter((lockId) => !present.has(lockId));
}

/** The sentence for such a lock. */
export function missingLock(path: string): string {
  return `${path} is missing, though what it held before is there (${basename(path)}.previous): put it back from a backup, or remove that, too, if the lock is to be gone`;
}
