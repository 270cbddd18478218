// A data directory becomes rows, in one transaction: its documents, what locks reported, its logs; and beside them what of its files the rows
// do not give byte for byte.
import { createHash } from 'node:crypto';
import type { FileLayer, OpenFile } from '../files/files.ts';
import { moveInAuthority } from './authority-table.ts';
import type { Query } from './database.ts';
import { derivedFiles, growingLogs } from './derived-files.ts';
import { createFileDigest, digestOfRecords, type FileDigest } from './file-digest.ts';
import { type FromDays, linesWithin, moveInAccess, moveInAudit, moveInQuarantine, moveInRecords } from './move-in-logs.ts';

/** A text that is no JSON is a JSON string in base64, as `document-tables.ts` writes it. */
const asBase64 = (bytes: Buffer): string => JSON.stringify(bytes.toString('base64'));
const reports = ['status.json', 'battery.json', 'quarantine.jsonl', 'quarantine.previous.jsonl'];
const isOfLog = (name: string): boolean => growingLogs.some(({ folder }) => name.startsWith(`${folder}/`));
const isCertificate = (name: string): boolean => name.startsWith('tls/');

/**
 * Rejects when a file cannot be made again from the rows, with its name. `names`: the files, relative to the directory. The caller has
 * checked them all, and is the writer.
 */
export async function moveIn(options: {
  readonly query: Query;
  readonly files: FileLayer;
  readonly directory: string;
  readonly names: readonly string[];
}): Promise<void> {
  const { query, files, directory, names } = options;
  const read = (name: string) => files.readFile(`${directory}/${name}`);
  async function within<T>(name: string, use: (file: OpenFile) => Promise<T>): Promise<T> {
    const file = await files.open(`${directory}/${name}`, 'read');
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }
  for (const name of names) {
    if (isOfLog(name) || reports.includes(name) || isCertificate(name)) continue;
    const bytes = await read(name);
    if (!name.endsWith('.jsonl'))
      await writeDocument(query, name, null, new Map([['', name.endsWith('.json') ? bytes.toString() : asBase64(bytes)]]));
    else {
      const { header, rows } = rowsOf(bytes);
      await writeDocument(query, name, header, rows);
    }
  }
  await moveInAuthority(query, names, read);
  if (names.includes('status.json')) await moveInStatuses(query, await read('status.json'));
  if (names.includes('battery.json')) await moveInBatteries(query, await read('battery.json'));
  for (const name of ['quarantine.previous.jsonl', 'quarantine.jsonl'])
    if (names.includes(name)) await moveInQuarantine(query, await read(name));
  const counters = JSON.parse((await read('counters.json')).toString()) as { readonly recordId: number };
  const from = { query, read, within, names, highest: counters.recordId };
  await moveInRecords(from);
  await moveInAccess(from);
  await moveInAudit(from);
  await carry(from);
}

async function writeDocument(query: Query, name: string, header: object | null, rows: ReadonlyMap<string, string>): Promise<void> {
  await query('SELECT write_document($1, 0, false, true, $2, $3, $4)', [
    name,
    header === null ? null : JSON.stringify(header),
    [...rows.keys()],
    [...rows.values()],
  ]);
}

/** What a file of rows says in the end (Store 3). */
function rowsOf(bytes: Buffer): { readonly header: object; readonly rows: ReadonlyMap<string, string> } {
  const [first = '{}', ...groups] = bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  const { of, schemaVersion } = JSON.parse(first) as { readonly of: string; readonly schemaVersion: number };
  const rows = new Map<string, string>();
  let top = 0;
  for (const group of groups) {
    const { rows: changes, top: highest } = JSON.parse(group) as {
      readonly rows: readonly [string, object | null][];
      readonly top?: number;
    };
    top = Math.max(top, highest ?? 0);
    for (const [key, row] of changes) {
      rows.delete(key);
      if (row !== null) rows.set(key, JSON.stringify(row));
    }
  }
  return { header: top > 0 ? { of, schemaVersion, top } : { of, schemaVersion }, rows };
}

async function moveInStatuses(query: Query, bytes: Buffer): Promise<void> {
  const { statuses } = JSON.parse(bytes.toString()) as { readonly statuses: readonly object[] };
  await query(
    `INSERT INTO status (lock_id, state, state_at, battery_percent, last_seen_at, cards_on_lock)
     SELECT "lockId", state, "stateAt", "batteryPercent", "lastSeenAt", "cardsOnLock" FROM json_to_recordset($1)
       AS s("lockId" bigint, state text, "stateAt" bigint, "batteryPercent" int, "lastSeenAt" bigint, "cardsOnLock" int)`,
    [JSON.stringify(statuses)],
  );
}

async function moveInBatteries(query: Query, bytes: Buffer): Promise<void> {
  const { batteries } = JSON.parse(bytes.toString()) as { readonly batteries: readonly object[] };
  await query(
    'INSERT INTO battery (lock_id, levels) SELECT "lockId", levels FROM json_to_recordset($1) AS b("lockId" bigint, levels json)',
    [JSON.stringify(batteries)],
  );
}

/** Keeps what the rows do not give byte for byte; rejects when a log would come back with other lines. */
async function carry({ query, read, within, names }: FromDays): Promise<void> {
  const logNames = names.filter((name) => isOfLog(name) && name.endsWith('.jsonl'));
  const left = new Set(names);
  const insert = (name: string, goesWith: string | null, made: string | null, isSorted: boolean, bytes: Buffer | null) =>
    query('INSERT INTO carried_file (name, goes_with, made, is_sorted, bytes) VALUES ($1, $2, $3, $4, $5)', [
      name,
      goesWith,
      made,
      isSorted,
      bytes,
    ]);
  async function compareRecords(name: string, made: FileDigest): Promise<void> {
    const there = await within(name, digestOfRecords);
    const isSorted = there.checksum !== made.checksum;
    if (isSorted && (there.lines !== made.lines || !there.isSorted))
      throw new Error(`${name} has other lines than the records in the database`);
    await insert(name, null, made.checksum, isSorted, null);
  }
  async function compare(name: string, made: string): Promise<void> {
    const there = await read(name);
    const isSame = checksumOf(there) === made;
    // The name says where the next file of the log begins.
    if (!isSame || isOfLog(name)) await insert(name, null, made, false, isSame ? null : there);
  }
  let made = createFileDigest();
  for await (const { name, bytes, isLast } of derivedFiles(query, logNames)) {
    const isOfRecords = name.startsWith('records/');
    if (isOfRecords) for (const line of linesWithin(bytes)) made.addLine(line);
    else made.add(bytes);
    if (!isLast) continue;
    if (!left.delete(name)) throw new Error(`${name} would be made of the rows, and is not there`);
    const digest = made.digest();
    await (isOfRecords ? compareRecords(name, digest) : compare(name, digest.checksum));
    made = createFileDigest();
  }
  for (const name of left) {
    const log = name.replace(/\.(index|order|facts)$/, '.jsonl');
    const goesWith = log !== name ? log : name === 'quarantine.previous.jsonl' ? 'quarantine.jsonl' : null;
    await insert(name, goesWith, null, false, await read(name));
  }
}

function checksumOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
