// The access log on the disk. Lines that arrive during a flush go out together. Look-ups read one line of each index; memory holds what
// stands, and the places of the lines in the last file.
import type { AccessDraft, AccessLine, AccessLog, AccessSubject, NamedEntry } from '../../../domain/access/access-log.ts';
import { createMutex } from '../../../domain/mutex.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { nextTick } from '../records/next-turn.ts';
import { linesUnder } from './access-file.ts';
import { type AccessFilesOptions, createAccessFiles } from './access-files.ts';
import { contactKey, credentialKey, keyOfEntry, lockKey, numberKey, personKey } from './access-line.ts';
import { createCurrentFacts } from './current-facts.ts';
import { createExpectedLines } from './expected-lines.ts';

/** Lines of one flush. */
const mostLines = 200;

export interface AccessLogFiles extends AccessLog {
  open(): Promise<void>;
  /**
   * Condenses what is older than this many days or six calendar months to what still stands; nothing else goes. Resolves with the names of
   * the files that were deleted.
   */
  purge(now: number, days: number): Promise<string[]>;
  close(): Promise<void>;
}

interface Waiting {
  readonly draft: AccessDraft;
  readonly written: (error?: Error) => void;
}

export function createAccessLogFiles(options: Omit<AccessFilesOptions, 'facts'>): AccessLogFiles {
  const { clock } = options;
  const facts = createCurrentFacts();
  const expected = createExpectedLines(facts);
  const accessFiles = createAccessFiles({ ...options, facts });
  /** Look-ups and the deletion for age take turns: a file stays as it is while a look-up reads it. */
  const reading = createMutex();
  let highest = 0;
  let queue: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let newest: Promise<void> = Promise.resolve();
  let failure: Error | undefined;

  async function writeAll(): Promise<void> {
    await nextTick();
    while (queue.length > 0) {
      const group = queue.slice(0, mostLines);
      queue = queue.slice(mostLines);
      const recordedAt = clock.now();
      const lines: AccessLine[] = group.map(({ draft }, n) => ({ id: highest + 1 + n, recordedAt, ...draft }));
      const failed = await accessFiles.write(lines).then(
        () => undefined,
        (error: unknown) => storageUnavailable(error),
      );
      failure = failed;
      if (failed === undefined) highest += lines.length;
      for (const { draft, written } of group) {
        expected.arrived(draft, failed === undefined);
        written(failed);
      }
    }
    writing = undefined;
  }
  /**
   * Calls `onLine` for the lines under any of these keys. Other look-ups have their turns between the files. What is condensed meanwhile keeps
   * everything that stands, and some of it comes twice.
   */
  async function eachLine(keys: readonly string[], onLine: (line: AccessLine) => void): Promise<void> {
    const done = new Set<string>();
    const next = () => accessFiles.all().find(({ path }) => !done.has(path));
    const readNext = async (): Promise<void> => {
      const file = next();
      if (file === undefined) return;
      done.add(file.path);
      await linesUnder(options.files, file, keys, onLine);
    };
    try {
      while (next() !== undefined) await reading(readNext);
    } catch (error) {
      throw storageUnavailable(error);
    }
  }
  async function linesOf(keys: readonly string[], until: number): Promise<readonly AccessLine[]> {
    const found = new Map<number, AccessLine>();
    await eachLine(keys, (line) => line.recordedAt <= until && found.set(line.id, line));
    return [...found.values()].sort((a, b) => a.id - b.id);
  }

  return {
    async open() {
      await accessFiles.open();
      highest = accessFiles.newest().id;
    },
    append(drafts) {
      if (drafts.length === 0) return Promise.resolve();
      newest = new Promise<void>((resolve, reject) => {
        let left = drafts.length;
        const written = (error?: Error): void => {
          left -= 1;
          if (error !== undefined) reject(error);
          else if (left === 0) resolve();
        };
        for (const draft of drafts) {
          expected.expect(draft);
          queue.push({ draft, written });
        }
        writing ??= writeAll();
      });
      return newest;
    },
    async stored() {
      await newest.catch(() => undefined);
      if (failure !== undefined) throw failure;
    },
    ofLock: (lockId, until) => linesOf([lockKey(lockId)], until),
    contactOf: (lockIds) => linesOf([...lockIds.map(contactKey), contactKey(null)], Number.MAX_SAFE_INTEGER),
    async about(subject) {
      const lines = await linesOf(keysOfSubject(subject), Number.MAX_SAFE_INTEGER);
      // A line about the same entry may name another person, or nobody.
      const entryIds = new Set(lines.map(({ entryId }) => entryId).filter((entryId) => entryId !== null));
      return entryIds.size === 0 ? [] : linesOf([...entryIds].map(keyOfEntry), Number.MAX_SAFE_INTEGER);
    },
    async entriesOf(personId) {
      const found = new Map<string, Omit<NamedEntry, 'mayBeHeld'>>();
      await eachLine([personKey(personId)], ({ lockId, entryId, credentialId }) => {
        if (lockId !== null && entryId !== null) found.set(`${lockId} ${entryId} ${credentialId}`, { lockId, entryId, credentialId });
      });
      return [...found.values()].map((one) => ({ ...one, mayBeHeld: expected.mayBeHeld(one) }));
    },
    says: expected.says,
    topicsOf: expected.topicsOf,
    newestAt: () => accessFiles.newest().at,
    purge: (now, days) => reading(() => accessFiles.purge(now, days)),
    async close() {
      await writing;
      await accessFiles.close();
    },
  };
}

function keysOfSubject(subject: AccessSubject): readonly string[] {
  if ('personId' in subject) return [personKey(subject.personId)];
  if ('credentialId' in subject) return [credentialKey(subject.credentialId)];
  return subject.numbers.map(numberKey);
}
