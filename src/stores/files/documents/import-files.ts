// One file of rows for each import: what it is, and what it does with each person. They last an hour or a day, and no backup has them: a
// restored gateway applies nothing. A damaged one is set aside.
import { z } from 'zod';
import { DomainError } from '../../../domain/errors.ts';
import type { Log } from '../../../domain/part.ts';
import type { ImportStep, ImportStore, StoredImport } from '../../../domain/people/import-ports.ts';
import type { FileLayer } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import type { FollowedFolder } from '../followed.ts';
import { NewerSchemaError } from './document-format.ts';
import { removeIfThere } from './durable-file.ts';
import { foreignRows } from './foreign-rows.ts';
import { accountId, credentialId, grantId, lockId, personId, scheduleId, sha256 } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';
import { writeRowFile } from './row-writer.ts';
import type { RowFile } from './rows.ts';

const importId = z.string().regex(/^[0-9a-f]{16}$/);
const count = z.int().min(0);

const head = z.strictObject({
  importId,
  plan: sha256,
  surroundings: sha256,
  doors: z.array(z.strictObject({ header: z.string(), key: z.string() })),
  absent: z.enum(['keep', 'revoke']),
  createdAt: z.int(),
  createdBy: z.string(),
  lines: count,
  counts: z.strictObject({ added: count, updated: count, unchanged: count, extraneous: count }),
  changes: count,
  locks: z.array(z.strictObject({ lockId, added: count, removed: count, different: count })),
  removesMoreThanAQuarter: z.boolean(),
  widened: z.array(lockId),
  state: z.enum(['planned', 'applying', 'applied', 'stopped']),
  // The local administrator has the id 0.
  appliedBy: z
    .strictObject({ accountId: z.union([accountId, z.literal(0)]), username: z.string(), tokenId: z.int().nullable() })
    .nullable() as z.ZodType<StoredImport['appliedBy']>,
  changedAt: z.int(),
  conflicts: z.array(z.strictObject({ line: z.int().nullable(), personId: personId.nullable(), message: z.string() })),
  conflictCount: count,
  reason: z.string(),
}) satisfies z.ZodType<StoredImport>;

const step = z.strictObject({
  line: z.int().nullable(),
  personId: personId.nullable(),
  base: sha256.nullable(),
  target: z
    .strictObject({
      externalId: z.string().nullable(),
      name: z.string(),
      credentials: z.array(
        z.union([
          credentialId,
          z.strictObject({
            kind: z.enum(['card', 'passcode']),
            number: z.string(),
            name: z.string(),
            startDate: z.int(),
            endDate: z.int(),
          }),
        ]),
      ),
      grants: z.array(
        z.strictObject({
          grantId: grantId.nullable(),
          lockIds: z.array(lockId),
          groupIds: z.array(z.int()),
          startDate: z.int(),
          endDate: z.int(),
          scheduleId: scheduleId.nullable(),
        }),
      ),
    })
    .nullable(),
}) satisfies z.ZodType<ImportStep>;

type ImportRow = { readonly import: StoredImport } | { readonly step: ImportStep };

export const importRows: RowFormat<ImportRow> = {
  of: 'import',
  schemaVersion: 1,
  schema: z.union([z.strictObject({ step }), z.strictObject({ import: head })]),
};

export const importFileName = /^([0-9a-f]{16})\.jsonl$/;

export interface ImportFiles extends ImportStore {
  /** Reads what there is. Rejects when a newer program wrote one of them. */
  open(): Promise<void>;
  /** Resolves when no write is running. Never rejects. */
  idle(): Promise<void>;
}

export function createImportFiles({
  files,
  folder,
  log,
}: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
}): ImportFiles {
  const heads = new Map<string, StoredImport>();
  let writing: Promise<unknown> = Promise.resolve();
  /** The last one that was read, until it has been applied: reading the steps costs more than anything else of an import. */
  let lastRead: { readonly id: string; readonly file: RowFile<ImportRow> } | undefined;

  const fileOf = (id: string): RowFile<ImportRow> => createRowFile({ files, path: `${folder}/${id}.jsonl`, format: importRows });

  async function loaded(id: string): Promise<RowFile<ImportRow>> {
    if (lastRead?.id === id) return lastRead.file;
    const file = fileOf(id);
    try {
      if (await file.load()) {
        lastRead = { id, file };
        return file;
      }
    } catch (error) {
      throw storageUnavailable(error);
    }
    throw new DomainError('not-found', `there is no import ${id}`);
  }
  async function takeIn(id: string): Promise<void> {
    const file = fileOf(id);
    try {
      await file.load();
      const row = file.get('import');
      if (row === undefined || !('import' in row) || row.import.importId !== id) throw new Error(`${folder}/${id}.jsonl is damaged`);
      heads.set(id, row.import);
    } catch (error) {
      if (error instanceof NewerSchemaError) throw error;
      await files.rename(`${folder}/${id}.jsonl`, `${folder}/${id}.jsonl.damaged`);
      log.warn({ code: 'import-lost', err: error, kept: `imports/${id}.jsonl.damaged` }, 'an import was unusable and is set aside');
    }
  }
  /** What other nodes change: what an import does with each person is read when somebody asks. */
  const followed: FollowedFolder = {
    at(name) {
      const id = importFileName.exec(name)?.[1];
      if (id === undefined) return undefined;
      return {
        changed(content) {
          const rows = foreignRows(`${folder}/${name}`, importRows, content);
          return () => {
            if (lastRead?.id === id) lastRead = undefined;
            for (const [, row] of rows) if (row !== null && 'import' in row) heads.set(id, row.import);
          };
        },
      };
    },
    gone(name) {
      const id = importFileName.exec(name)?.[1] ?? '';
      if (lastRead?.id === id) lastRead = undefined;
      heads.delete(id);
    },
  };
  /** One write after the other: there are few. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = writing.then(work);
    writing = done.catch(() => undefined);
    return done;
  }

  return {
    all: () => [...heads.values()],
    get: (id) => heads.get(id),
    add: (one, steps) =>
      inTurn(async () => {
        await writeRowFile({ files, path: `${folder}/${one.importId}.jsonl`, format: importRows }, rowsOf(one, steps));
        heads.set(one.importId, one);
      }),
    update: (id, change) =>
      inTurn(async () => {
        const file = await loaded(id);
        const newest = heads.get(id);
        if (newest === undefined) throw new DomainError('not-found', `there is no import ${id}`);
        const after = change(newest);
        lastRead = undefined;
        await file.update(() => [['import', { import: after }]]);
        if (after.state === 'applying') lastRead = { id, file };
        heads.set(id, after);
        return after;
      }),
    async steps(id) {
      const file = await loaded(id);
      return [...file.entries()].flatMap(([, row]) => ('step' in row ? [row.step] : []));
    },
    remove: (id) =>
      inTurn(async () => {
        if (!heads.has(id)) return;
        if (lastRead?.id === id) lastRead = undefined;
        try {
          await removeIfThere(files, `${folder}/${id}.jsonl`);
          await files.syncFolder(folder);
        } catch (error) {
          throw storageUnavailable(error);
        }
        heads.delete(id);
      }),
    async open() {
      files.tables?.followFolder(folder, followed);
      const names = await files.readdir(folder);
      const ids = names.flatMap((name) => importFileName.exec(name)?.[1] ?? []);
      for (const id of ids) await takeIn(id);
      const inOrder = [...heads].sort(([, one], [, other]) => one.createdAt - other.createdAt);
      heads.clear();
      for (const [id, one] of inOrder) heads.set(id, one);
    },
    async idle() {
      await writing;
    },
  };
}

function* rowsOf(one: StoredImport, steps: Iterable<ImportStep>): Generator<[key: string, row: ImportRow]> {
  yield ['import', { import: one }];
  let number = 0;
  for (const step of steps) {
    number += 1;
    yield [`step ${number}`, { step }];
  }
}
