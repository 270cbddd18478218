// The rows that store what people decided directly about the numbers of a lock and what the lock holds under them: entries, and past
// holders of card numbers.
import { z } from 'zod';
import type { Change } from '../../../domain/change.ts';
import { always, type Entry, type Held, isSameWindow, type ValidWindow } from '../../../domain/credentials/entry.ts';
import type { EntriesChange, HeldEntries, PastHolder } from '../../../domain/credentials/lock-entries.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import { cardId, lockId } from './id-schemas.ts';
import { entriesOf, type OlderRow, olderRow, pastHolder } from './older-card-row.ts';
import type { RowChange, RowFormat } from './row-reader.ts';

const millis = z.int();
const digits = z.string().regex(/^[0-9]+$/);

/** Most numbers are always valid, and share one object. */
const window = z
  .strictObject({ startDate: millis, endDate: millis, hours: z.string(), once: z.boolean() })
  .transform((read): ValidWindow => (isSameWindow(read, always) ? always : read));

const held = z.strictObject({
  window: window.nullable(),
  sure: z.boolean(),
  before: window.nullable().exactOptional(),
  since: millis,
  basis: z.enum(['reply', 'digest', 'list', 'phone', 'event', 'reset']),
  basisDate: millis,
  commandId: z.string().exactOptional(),
  reference: z.string().exactOptional(),
}) satisfies z.ZodType<Held>;

const entry = z.strictObject({
  entryId: cardId,
  lockId,
  kind: z.enum(['card', 'passcode']),
  number: digits,
  name: z.string(),
  createdAt: millis,
  createdBy: z.string(),
  managed: z.boolean(),
  direct: window.nullable(),
  credentialId: z.int().positive().nullable(),
  held: held.nullable(),
  missing: z.boolean(),
  missingSince: millis.exactOptional(),
  used: z.boolean(),
  accepted: z.strictObject({ as: z.literal('stranger'), window }).nullable(),
  scheduleId: z.int().positive().nullable(),
  custom: z.literal(true).exactOptional(),
  unanswered: z.literal(true).exactOptional(),
}) satisfies z.ZodType<Entry>;

export type EntryRow = Entry | PastHolder;

export const entryFormat: RowFormat<EntryRow> = {
  of: 'cards',
  schemaVersion: 2,
  schema: z.union([entry, pastHolder]),
  idOf: (row) => ('to' in row ? row.cardId : row.entryId),
  dropsSecret: (before, after) => after === null && 'kind' in before && before.kind === 'passcode',
  older: { schemaVersions: [1], schema: olderRow, upgrade: (rows) => rowsOfOlder(rows as Iterable<OlderRow>) },
};

export const cardFileName = /^([1-9]\d{0,15})\.jsonl$/;
/** The file of a lock's entries in the data directory. */
export const cardPath = (lockId: LockId): string => `cards/${lockId}.jsonl`;

const entryKey = (id: number): string => `entry ${id}`;
const pastKey = ({ cardId: id, from }: PastHolder): string => `past ${id} ${from}`;

/** The rows that a change writes. */
export function rowsOf({ put = [], remove = [], past = [] }: EntriesChange): readonly RowChange<EntryRow>[] {
  return [
    ...remove.map((id): RowChange<EntryRow> => [entryKey(id), null]),
    ...put.map((one): RowChange<EntryRow> => [entryKey(one.entryId), one]),
    ...past.map((one): RowChange<EntryRow> => [pastKey(one), one]),
  ];
}

/** What an older program stored of a lock. */
function rowsOfOlder(older: Iterable<OlderRow>): readonly (readonly [key: string, row: EntryRow])[] {
  const { entries, past } = entriesOf(older);
  return firstRows(entries, past);
}

/** The first rows of a new file. */
export function firstRows(put: readonly Entry[], past: readonly PastHolder[] = []): readonly (readonly [key: string, row: EntryRow])[] {
  return rowsOf({ put, past }) as readonly (readonly [string, EntryRow])[];
}

/** The changes that drop the rows of these past holders. */
export function rowsForgotten(holders: readonly PastHolder[]): readonly RowChange<EntryRow>[] {
  return holders.map((one) => [pastKey(one), null]);
}

/** Whether it is about an entry itself, not about a past holder. */
export function isEntryChange(change: Change<EntryRow>): change is Change<Entry> {
  return 'kind' in (change.after ?? change.before ?? {});
}

/** Updates the entries after a row has changed. */
export function follow(entries: HeldEntries, row: EntryRow | undefined, before: EntryRow | undefined): void {
  if (row === undefined) {
    if (before === undefined) return;
    if ('to' in before) entries.forget(before);
    else entries.apply({ remove: [before.entryId] });
  } else if (!('to' in row)) entries.apply({ put: [row] });
  else if (before === undefined) entries.apply({ past: [row] });
}
