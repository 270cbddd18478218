// Opens the folder of the access log at a start: of finished files it reads the first line of the index, of the last file everything, and
// whatever is missing it makes again (Store 10).
import type { AccessLine } from '../../../domain/access/access-log.ts';
import type { Log } from '../../../domain/part.ts';
import { readIfThere, removeIfThere } from '../documents/durable-file.ts';
import type { FileLayer } from '../files.ts';
import { dayFileName, parseDayFileName } from '../records/day-file.ts';
import { createJournal, type Journal } from '../records/journal.ts';
import { recoverJournal } from '../records/journal-recovery.ts';
import { type AccessFile, accessFileOf, placesOf, readHead, writeIndex } from './access-file.ts';
import { accessLineOf } from './access-line.ts';
import type { CurrentFacts } from './current-facts.ts';

export interface OpenedAccess {
  /** In the order of their first ids. */
  readonly all: AccessFile[];
  /** Of the last file; undefined: there is none that can be written. */
  readonly journal: Journal | undefined;
}

interface FolderOptions {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
}

/** Fills `facts` with what stands at the end of the last file. */
export async function openAccessFolder(options: FolderOptions, facts: CurrentFacts): Promise<OpenedAccess> {
  const { files, folder, log } = options;
  await files.makeFolder(folder);
  const present = await files.readdir(folder);
  for (const name of present) if (name.endsWith('.tmp')) await removeIfThere(files, `${folder}/${name}`);
  const names = present.map(parseDayFileName).filter((name) => name !== undefined);
  const found = names.sort((a, b) => a.firstRecordId - b.firstRecordId).map((name) => accessFileOf(folder, name));
  const last = found.at(-1);
  const journal = last && (await openLast(options, last).catch(leaveOut(options, last)));
  const factsFrom = await loadFacts(options, found, facts);
  const all: AccessFile[] = [];
  for (const [n, file] of found.entries()) {
    const head = file === last ? undefined : await readHead(files, file).catch(() => undefined);
    if (head !== undefined && n < factsFrom) file.head = head;
    else {
      const isRead = await readWhole(options, file, (line) => n >= factsFrom && facts.set(line)).catch(leaveOut(options, file));
      if (isRead === undefined) continue;
      // It is as it was; only what stands was missing.
      if (head !== undefined) [file.head, file.places] = [head, undefined];
      else if (file !== last) await makeIndex(options, file);
    }
    all.push(file);
  }
  log.debug({ files: all.length, read: all.length - factsFrom }, 'the access log is open');
  return { all, journal };
}

async function openLast({ files, log }: FolderOptions, { path }: AccessFile): Promise<Journal> {
  const { file, length } = await recoverJournal(files, path, log, (line) => accessLineOf(line) !== undefined);
  return createJournal(file, length);
}

/** Loads the newest facts that are whole; resolves with the number of the first file whose lines they do not have. */
async function loadFacts({ files, log }: FolderOptions, all: readonly AccessFile[], facts: CurrentFacts): Promise<number> {
  for (let n = all.length - 1; n >= 0; n--) {
    const { factsPath, name } = all[n] as AccessFile;
    try {
      const bytes = await readIfThere(files, factsPath);
      if (bytes === undefined) continue;
      await facts.load(bytes);
      return n;
    } catch (error) {
      log.warn(
        { code: 'access-index-remade', file: dayFileName(name), err: error },
        'what stands in the access log is read again from its lines',
      );
    }
  }
  return 0;
}

async function readWhole({ files, log }: FolderOptions, file: AccessFile, onLine: (line: AccessLine) => void): Promise<true> {
  const { places, damaged } = await placesOf(files, file.path, onLine);
  const handle = await files.open(file.path, 'read');
  file.places = places;
  file.head = places.head(await handle.size().finally(handle.close), false);
  if (damaged > 0)
    log.error({ code: 'access-damaged', file: dayFileName(file.name), damaged }, 'damaged lines of the access log are left out');
  return true;
}

async function makeIndex({ files, log }: FolderOptions, file: AccessFile): Promise<void> {
  await writeIndex(files, file).catch((error: unknown) => {
    log.warn(
      { code: 'access-index-remade', file: dayFileName(file.name), err: error },
      'the index of a part of the access log was not written',
    );
  });
}

/** Doors do not wait for an unreadable file: it is left out until the next start tries it again. */
function leaveOut({ log }: FolderOptions, { name }: AccessFile): (error: unknown) => undefined {
  return (error) => {
    log.error(
      { code: 'access-unreadable', file: dayFileName(name), err: error },
      'a part of the access log cannot be read and is left out',
    );
    return undefined;
  };
}
