// Reads the names in the folder of lock documents: which locks are registered, and which documents are lost.
import { basename } from 'node:path';
import type { LockId } from '../../../domain/locks/lock.ts';

const lockFileName = /^[1-9]\d{0,15}\.json$/;
const previousName = /^[1-9]\d{0,15}\.json\.previous$/;

/** The locks whose documents are in the folder, in order. */
export function registeredLocks(names: readonly string[]): LockId[] {
  return numbersOf(names, lockFileName);
}

function numbersOf(names: readonly string[], pattern: RegExp): LockId[] {
  const lockIds = names.filter((name) => pattern.test(name)).map((name) => Number.parseInt(name, 10) as LockId);
  return lockIds.sort((a, b) => a - b);
}

/** The locks that have a previous generation but no document: a removal deletes the copies first, so these documents are lost. */
export function lostDocuments(names: readonly string[]): LockId[] {
  const present = new Set(registeredLocks(names));
  return numbersOf(names, previousName).filter((lockId) => !present.has(lockId));
}

/** The error for a lost document. */
export function missingLock(path: string): string {
  return `${path} is missing, though what it held before is there (${basename(path)}.previous): put it back from a backup, or remove that, too, if the lock is to be gone`;
}
