// people.jsonl stores people with their credentials and grants, a row for each person. A damaged file stops the start: without it nothing would
// be wanted any more, and every lock would lose its credentials.
import { basename } from 'node:path';
import { z } from 'zod';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import { createPeopleBook } from '../../../domain/people/people-book.ts';
import type { LocalPeopleView, PersonStore } from '../../../domain/people/people-ports.ts';
import type { Credential, Grant, Person, PersonId } from '../../../domain/people/person.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { loadNeeded } from './document.ts';
import { credentialId, grantId, lockId, personId, scheduleId } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';
import type { NewestRows } from './rows.ts';

const credential = z.strictObject({
  credentialId,
  kind: z.enum(['card', 'passcode']),
  number: z.string().regex(/^\d+$/),
  width: z.union([z.literal(4), z.literal(7), z.literal(8)]).nullable(),
  name: z.string(),
  startDate: z.int(),
  endDate: z.int(),
  lost: z.strictObject({ at: z.int(), reason: z.string(), by: z.string() }).nullable(),
  once: z.boolean(),
  createdAt: z.int(),
  createdBy: z.string(),
}) satisfies z.ZodType<Credential>;

const grant = z.strictObject({
  grantId,
  lockIds: z.array(lockId),
  groupIds: z.array(z.int()),
  startDate: z.int(),
  endDate: z.int(),
  scheduleId: scheduleId.nullable(),
  excluded: z.array(z.strictObject({ lockId, credentialId })),
  createdAt: z.int(),
  createdBy: z.string(),
}) satisfies z.ZodType<Grant>;

const person = z.strictObject({
  personId,
  externalId: z.string().min(1).nullable(),
  name: z.string(),
  note: z.string(),
  suspended: z.boolean(),
  removed: z.boolean(),
  createdAt: z.int(),
  createdBy: z.string(),
  credentials: z.array(credential),
  grants: z.array(grant),
}) satisfies z.ZodType<Person>;

export const personRows: RowFormat<Person> = { of: 'people', schemaVersion: 1, schema: person, dropsSecret };

/** A passcode was taken from the person. */
function dropsSecret({ credentials }: Person, after: Person | null): boolean {
  const left = new Set(after?.credentials.map(({ number }) => number));
  return credentials.some(({ kind, number }) => kind === 'passcode' && !left.has(number));
}

export const peopleName = 'people.jsonl';

export interface PersonFile extends PersonStore {
  /** False when the file does not exist. Rejects with a sentence that names it. */
  open(): Promise<boolean>;
  /** Creates the file of a gateway without people, where there is none. */
  begin(): Promise<void>;
  highest(): { readonly personId: number; readonly credentialId: number; readonly grantId: number };
  /** For a backup: the content that is on the disk now. */
  backupSource(): BackupSource;
  /** Once a day: the passcodes that were taken from people leave the disk. Never rejects. */
  tidy(): Promise<void>;
  /** Resolves when no write is under way or waiting. */
  idle(): Promise<void>;
}

export function createPersonFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly emit: Emit;
  /** See RowFileOptions. */
  readonly mayCompact: () => boolean;
}): PersonFile {
  const { files, directory, emit, mayCompact } = options;
  const path = `${directory}/${peopleName}`;
  const book = createPeopleBook();
  const view: LocalPeopleView = book;
  let isOpen = false;
  const rows = createRowFile({ files, path, format: personRows, mayCompact, onFlushed });

  function onFlushed(_key: string, after: Person | undefined, before: Person | undefined): void {
    book.changed(before, after);
    if (isOpen) emit('person-changed', { before, after });
  }
  function present(newest: NewestRows<Person>, personId: PersonId): Person {
    const found = newest.get(keyOf(personId));
    if (found === undefined) throw new DomainError('not-found', `there is no person ${personId}`);
    return found;
  }

  return {
    ...view,
    async open() {
      isOpen = await loadNeeded(rows, `${directory}/${basename(path)}`);
      return isOpen;
    },
    async begin() {
      if (!rows.isThere()) await rows.create([]);
      isOpen = true;
    },
    add: (added) => rows.update(() => [[keyOf(added.personId), added]]),
    async update(personId, change) {
      let after: Person | undefined;
      await rows.update((newest) => {
        const before = present(newest, personId);
        after = change(before);
        return after === before ? [] : [[keyOf(personId), after]];
      });
      return after as Person;
    },
    remove: (personId) =>
      rows.update((newest) => {
        present(newest, personId);
        return [[keyOf(personId), null]];
      }),
    highest: book.highest,
    backupSource: () => rows.backupSource(peopleName),
    tidy: () => rows.tidy(),
    idle: () => rows.idle(),
  };
}

function keyOf(personId: PersonId): string {
  return `person ${personId}`;
}
