// The rows become a data directory again: what was moved in and has not changed since comes back byte for byte.
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { FileLayer, OpenFile } from '../files/files.ts';
import { sortFile } from '../files/records/sort-file.ts';
import type { Query } from './database.ts';
import { derivedFiles } from './derived-files.ts';

interface Carried {
  readonly name: string;
  readonly goesWith: string | null;
  readonly made: string | null;
  readonly isSorted: boolean;
}

export interface MoveOutOptions {
  /** Of one transaction, begun with `ofOneMoment` or holding what it reads. */
  readonly query: Query;
  readonly files: FileLayer;
  /** It is there, and empty. */
  readonly directory: string;
  /** Whether a file is wanted, by its name. */
  readonly wanted: (name: string) => boolean;
}

/** The first statement of a transaction in which everything is of one moment, however long it takes. */
export const ofOneMoment = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** Makes the files below the directory, flushed. */
export async function moveOut(options: MoveOutOptions): Promise<void> {
  const { query, files, directory, wanted } = options;
  const columns = 'name, goes_with AS "goesWith", made, is_sorted AS "isSorted"';
  const carried = await query<Carried>(`SELECT ${columns} FROM carried_file ORDER BY name`);
  const folders = new Set(['', 'locks', 'cards', 'records']);
  for (const folder of folders) await files.makeFolder(join(directory, folder));
  async function open(name: string): Promise<OpenFile> {
    const folder = name.includes('/') ? dirname(name) : '';
    if (!folders.has(folder)) await files.makeFolder(join(directory, folder));
    folders.add(folder);
    return files.open(join(directory, name), 'replace');
  }
  /** Writes it as it was moved in; false: those bytes are those of the rows. */
  async function bringBack(name: string): Promise<boolean> {
    const [row] = await query<{ bytes: Buffer | null }>('SELECT bytes FROM carried_file WHERE name = $1', [name]);
    if (row?.bytes == null) return false;
    const file = await open(name);
    try {
      await file.write(row.bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    return true;
  }

  const made = await writeDerived(options, carried, open);
  const isUnchanged = ({ name, made: before }: Carried): boolean => before !== null && made.get(name) === before;
  const unchanged = new Set(carried.filter(isUnchanged).map(({ name }) => name));
  for (const { name, goesWith, made: before, isSorted } of carried.filter((one) => wanted(one.name))) {
    const comesBack = before === null ? goesWith === null || unchanged.has(goesWith) : unchanged.has(name);
    if (comesBack && !(await bringBack(name)) && isSorted) await sortFile(files, join(directory, name));
  }
  for (const folder of folders) await files.syncFolder(join(directory, folder));
}

/** Writes the files that the rows give; resolves with the checksum of each. */
async function writeDerived(
  { query, wanted }: MoveOutOptions,
  carried: readonly Carried[],
  open: (name: string) => Promise<OpenFile>,
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  let sum = createHash('sha256');
  let file: OpenFile | undefined;
  let position = 0;
  try {
    for await (const { name, bytes, isLast } of derivedFiles(
      query,
      carried.map((one) => one.name),
    )) {
      sum.update(bytes);
      if (wanted(name)) {
        file ??= await open(name);
        await file.write(bytes, position);
        position += bytes.length;
      }
      if (!isLast) continue;
      made.set(name, sum.digest('hex'));
      await file?.sync();
      await file?.close();
      [sum, file, position] = [createHash('sha256'), undefined, 0];
    }
  } finally {
    await file?.close();
  }
  return made;
}
