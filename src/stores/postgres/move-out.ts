// The rows become a data directory again: what was moved in and has not changed since comes back byte for byte.
import { dirname, join } from 'node:path';
import type { FileLayer } from '../files/files.ts';
import type { Query } from './database.ts';
import { type DerivedFile, derivedFiles } from './derived-files.ts';
import { checksumOf, sortedByLock } from './move-in.ts';

interface Carried {
  readonly name: string;
  readonly goesWith: string | null;
  readonly made: string | null;
  readonly isSorted: boolean;
}

/** The first statement of a transaction in which everything is of one moment, however long it takes. */
export const ofOneMoment = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** Makes the files below `directory`, which is there and empty, flushed. `wanted`: whether a file is wanted, by its name. */
export async function moveOut(options: {
  /** Of one transaction, begun with `ofOneMoment` or holding what it reads. */
  readonly query: Query;
  readonly files: FileLayer;
  readonly directory: string;
  readonly wanted: (name: string) => boolean;
}): Promise<void> {
  const { query, files, directory, wanted } = options;
  const folders = new Set(['locks', 'cards', 'records']);
  for (const folder of folders) await files.makeFolder(join(directory, folder));
  for await (const { name, bytes } of filesOfDatabase(query)) {
    if (!wanted(name)) continue;
    const folder = dirname(name);
    if (folder !== '.' && !folders.has(folder)) await files.makeFolder(join(directory, folder));
    if (folder !== '.') folders.add(folder);
    const file = await files.open(join(directory, name), 'create');
    try {
      await file.write(bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  for (const folder of ['', ...folders]) await files.syncFolder(join(directory, folder));
}

async function* filesOfDatabase(query: Query): AsyncGenerator<DerivedFile> {
  const columns = 'name, goes_with AS "goesWith", made, is_sorted AS "isSorted"';
  const carried = await query<Carried>(`SELECT ${columns} FROM carried_file ORDER BY name`);
  const byName = new Map(carried.map((one) => [one.name, one]));
  const unchanged = new Set<string>();
  const bytesOf = async (name: string): Promise<Buffer | null> => {
    const [row] = await query<{ bytes: Buffer | null }>('SELECT bytes FROM carried_file WHERE name = $1', [name]);
    return row?.bytes ?? null;
  };
  for await (const { name, bytes } of derivedFiles(query, [...byName.keys()])) {
    const one = byName.get(name);
    if (one === undefined || one.made !== checksumOf(bytes)) {
      yield { name, bytes };
      continue;
    }
    unchanged.add(name);
    yield { name, bytes: (await bytesOf(name)) ?? (one.isSorted ? sortedByLock(bytes) : bytes) };
  }
  for (const { name, goesWith, made } of carried) {
    if (made !== null || (goesWith !== null && !unchanged.has(goesWith))) continue;
    const bytes = await bytesOf(name);
    if (bytes !== null) yield { name, bytes };
  }
}
