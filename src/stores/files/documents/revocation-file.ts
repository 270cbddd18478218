// revocations.jsonl stores what was reported lost, a row for each. A damaged file stops the start: without it a lost card would be like any
// other.
import { z } from 'zod';
import type { Emit } from '../../../domain/event-bus.ts';
import type { Revocation, RevocationId } from '../../../domain/revocations/revocation.ts';
import type { RevocationStore } from '../../../domain/revocations/revocation-ports.ts';
import type { BackupSource } from '../backup/backup-sources.ts';
import type { FileLayer } from '../files.ts';
import { loadNeeded } from './document.ts';
import { credentialId, lockId, personId, revocationId } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';

const revocation = z.strictObject({
  revocationId,
  credentialId: credentialId.nullable(),
  personId: personId.nullable(),
  kind: z.enum(['card', 'passcode']),
  numbers: z.array(z.string()),
  lostDate: z.int(),
  reason: z.string(),
  by: z.string(),
  lockIds: z.array(lockId),
  certainDate: z.int().nullable(),
  foundDate: z.int().nullable(),
}) satisfies z.ZodType<Revocation>;

export const revocationRows: RowFormat<Revocation> = { of: 'revocations', schemaVersion: 1, schema: revocation };

export const revocationsName = 'revocations.jsonl';

export interface RevocationFile extends RevocationStore {
  /** False when the file does not exist. Rejects with a sentence that names it. */
  open(): Promise<boolean>;
  /** Creates the file of a gateway on which nothing is lost, where there is none. */
  begin(): Promise<void>;
  highest(): { readonly revocationId: number };
  /** For a backup: the content that is on the disk now. */
  backupSource(): BackupSource;
  /** Resolves when no write is under way or waiting. */
  idle(): Promise<void>;
}

export function createRevocationFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly emit: Emit;
  /** See RowFileOptions. */
  readonly mayCompact: () => boolean;
}): RevocationFile {
  const { files, directory, emit, mayCompact } = options;
  const path = `${directory}/${revocationsName}`;
  let isOpen = false;
  let all: readonly Revocation[] | undefined;
  const rows = createRowFile({ files, path, format: revocationRows, mayCompact, onFlushed });

  function onFlushed(_key: string, after: Revocation | undefined, before: Revocation | undefined): void {
    all = undefined;
    if (isOpen) emit('revocation-changed', { before, after });
  }

  return {
    all() {
      all ??= [...rows.entries()].map(([, row]) => row).sort((one, other) => one.revocationId - other.revocationId);
      return all;
    },
    get: (id) => rows.get(keyOf(id)),
    put: (changed) => rows.update(() => [[keyOf(changed.revocationId), changed]]),
    remove: (id) => rows.update(() => [[keyOf(id), null]]),
    async open() {
      isOpen = await loadNeeded(rows, path);
      return isOpen;
    },
    async begin() {
      if (!rows.isThere()) await rows.create([]);
      isOpen = true;
    },
    highest: () => ({ revocationId: [...rows.entries()].reduce((most, [, row]) => Math.max(most, row.revocationId), 0) }),
    backupSource: () => rows.backupSource(revocationsName),
    idle: () => rows.idle(),
  };
}

function keyOf(id: RevocationId): string {
  return `revocation ${id}`;
}
