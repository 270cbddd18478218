// The access log on the disk. Lines that arrive during a flush go out together. Look-ups read one line of each index; memory holds what
// stands, and the places of the lines in the last file.
import {
  type AccessDraft,
  type AccessLine,
  type AccessLog,
  type AccessSubject,
  stands,
  topicOf,
} from '../../../domain/access/access-log.ts';
import { createMutex } from '../../../domain/mutex.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { nextTick } from '../records/next-turn.ts';
import { linesUnder } from './access-file.ts';
import { type AccessFilesOptions, createAccessFiles } from './access-files.ts';
import { contactKey, credentialKey, keyOfEntry, lockKey, numberKey, personKey } from './access-line.ts';
import { createCurrentFacts, factPrintOf } from './current-facts.ts';

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
  const accessFiles = createAccessFiles({ ...options, facts });
  /** Look-ups and the deletion for age take turns: the files of a look-up stay as they are. */
  const reading = createMutex();
  let highest = 0;
  let queue: Waiting[] = [];
  /** The last of the lines that are not written yet, by lock and by topic, and how many there are. */
  const coming = new Map<AccessDraft['lockId'], Map<string, { readonly draft: AccessDraft; lines: number }>>();
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;

  function expect(draft: AccessDraft): void {
    const ofLock = coming.get(draft.lockId) ?? new Map();
    coming.set(draft.lockId, ofLock);
    const topic = topicOf(draft);
    ofLock.set(topic, { draft, lines: (ofLock.get(topic)?.lines ?? 0) + 1 });
  }
  function arrived(draft: AccessDraft): void {
    const ofLock = coming.get(draft.lockId);
    const topic = topicOf(draft);
    const expected = ofLock?.get(topic);
    if (ofLock === undefined || expected === undefined) return;
    expected.lines -= 1;
    if (expected.lines === 0) ofLock.delete(topic);
    if (ofLock.size === 0) coming.delete(draft.lockId);
  }
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
        if (failed === undefined) facts.set(draft);
        arrived(draft);
        written(failed);
      }
    }
    writing = undefined;
  }
  async function linesOf(keys: readonly string[], until: number): Promise<readonly AccessLine[]> {
    return reading(async () => {
      const found = new Map<number, AccessLine>();
      try {
        for (const file of accessFiles.all()) {
          for (const line of await linesUnder(options.files, file, keys)) if (line.recordedAt <= until) found.set(line.id, line);
        }
      } catch (error) {
        throw storageUnavailable(error);
      }
      return [...found.values()].sort((a, b) => a.id - b.id);
    });
  }

  return {
    async open() {
      await accessFiles.open();
      highest = accessFiles.newest().id;
    },
    append(drafts) {
      if (drafts.length === 0) return Promise.resolve();
      return new Promise<void>((resolve, reject) => {
        let left = drafts.length;
        const written = (error?: Error): void => {
          left -= 1;
          if (error !== undefined) reject(error);
          else if (left === 0) resolve();
        };
        for (const draft of drafts) {
          expect(draft);
          queue.push({ draft, written });
        }
        writing ??= writeAll();
      });
    },
    async stored() {
      await writing;
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
    says(draft) {
      const expected = coming.get(draft.lockId)?.get(topicOf(draft));
      const last = expected === undefined ? facts.get(draft.lockId, topicOf(draft)) : factPrintOf(expected.draft);
      return last === factPrintOf(draft);
    },
    topicsOf(lockId) {
      const topics = new Set(facts.topics(lockId));
      for (const [topic, { draft }] of coming.get(lockId) ?? []) {
        if (stands(draft)) topics.add(topic);
        else topics.delete(topic);
      }
      return topics;
    },
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
