// A line of the access log as it lies in its files (Store 10). Members that say nothing are left out: most lines have few.
import { z } from 'zod';
import type { AccessLine } from '../../../domain/access/access-log.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import { isIntact, jsonOf } from '../checksummed-line.ts';

const id = z.int().min(1).nullable().default(null);

const line = z.object({
  id: z.int().min(1),
  recordedAt: z.int(),
  what: z.enum(['wanted', 'unwanted', 'held', 'gone', 'unsure', 'role', 'account', 'online', 'offline', 'clock']),
  lockId: id.transform((value) => value as LockId | null),
  kind: z.enum(['card', 'passcode']).nullable().default(null),
  number: z.string().nullable().default(null),
  entryId: id,
  credentialId: id,
  personId: id,
  accountId: id,
  name: z.string().default(''),
  notBefore: z.int().optional(),
  notAfter: z.int().optional(),
  startDate: z.int().default(0),
  endDate: z.int().default(0),
  hours: z.string().default(''),
  basis: z.enum(['reply', 'digest', 'list', 'phone', 'event', 'reset']).nullable().default(null),
  commandId: z.string().nullable().default(null),
  detail: z.string().default(''),
});

/** The members of a line that is written: dates that equal `recordedAt`, and what is null, empty or zero, are left out. */
export function writtenLine(of: AccessLine): object {
  const said: Record<string, unknown> = {};
  for (const name of Object.keys(of) as (keyof AccessLine)[]) {
    const value = of[name];
    const isDate = name === 'notBefore' || name === 'notAfter';
    if (isDate ? value !== of.recordedAt : value !== null && value !== '' && value !== 0) said[name] = value;
  }
  return said;
}

/** Undefined when the bytes (without the newline) are not an access line as it was written. */
export function accessLineOf(bytes: Buffer): AccessLine | undefined {
  if (!isIntact(bytes)) return undefined;
  const parsed = line.safeParse(jsonOf(bytes));
  if (!parsed.success) return undefined;
  const { notBefore, notAfter, ...more } = parsed.data;
  return { ...more, notBefore: notBefore ?? more.recordedAt, notAfter: notAfter ?? more.recordedAt };
}

/** Under what a line is looked up: its lock or the gateway, the contact with a lock, its entry, its person, its credential, its card number. */
export function keysOf({ what, lockId, entryId, personId, credentialId, number }: AccessLine): string[] {
  const keys = [lockKey(lockId)];
  if (what === 'online' || what === 'offline' || what === 'clock') keys.push(contactKey(lockId));
  if (entryId !== null) keys.push(keyOfEntry(entryId));
  if (personId !== null) keys.push(personKey(personId));
  if (credentialId !== null) keys.push(credentialKey(credentialId));
  if (number !== null) keys.push(numberKey(number));
  return keys;
}

export function lockKey(lockId: number | null): string {
  return `lock ${lockId ?? 'none'}`;
}

export function contactKey(lockId: number | null): string {
  return `contact ${lockId ?? 'none'}`;
}

export function keyOfEntry(entryId: number): string {
  return `entry ${entryId}`;
}

export function personKey(personId: number): string {
  return `person ${personId}`;
}

export function credentialKey(credentialId: number): string {
  return `credential ${credentialId}`;
}

/** Leading zeros of a card's number do not matter. */
export function numberKey(number: string): string {
  return `number ${number.replace(/^0+(?=.)/, '')}`;
}
