// Stores messages of locks that cannot become records, for a person to look at: one file of limited size and its previous generation (Store
// 6).
import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import type { Quarantine } from '../../domain/records/record-ports.ts';
import { bodyOf, checksummedExtra, jsonOf } from './checksummed-line.ts';
import { codeOf, type FileLayer } from './files.ts';
import { storageUnavailable } from './flush-guard.ts';
import { createJournal, type Journal } from './records/journal.ts';
import { createJournalFile, recoverJournal } from './records/journal-recovery.ts';

const maxBytes = 1 << 20;
const maxPayloadLength = 65_536;

const quarantineLine = z.object({ at: z.int(), deviceId: z.string(), reason: z.string(), payload: z.string() });

export interface QuarantineFile extends Quarantine {
  open(): Promise<void>;
  close(): Promise<void>;
}

export function createQuarantine(options: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}): QuarantineFile {
  const { files, folder, clock, log } = options;
  const path = `${folder}/quarantine.jsonl`;
  let journal: Journal | undefined;
  /** Bytes in the file, including those that are being written. */
  let size = 0;
  let turning: Promise<void> | undefined;

  async function begin(): Promise<void> {
    journal = createJournal(await createJournalFile(files, path), 0);
    size = 0;
  }
  /** The full file becomes the previous generation, and a new one begins. */
  function turn(): Promise<void> {
    turning ??= (async () => {
      await journal?.close();
      journal = undefined;
      await files.rename(path, `${folder}/quarantine.previous.jsonl`).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
      await begin();
    })().finally(() => {
      turning = undefined;
    });
    return turning;
  }

  return {
    async open() {
      const recovered = await recoverJournal(files, path, log, holdsMessage).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return begin();
        log.error(
          { code: 'quarantine-unreadable', err: error },
          'the quarantine file cannot be read: doors and records go on, and what comes next is kept in a new one',
        );
        // Doors do not wait for this file: the next `keep` tries again.
        return turn().catch(() => undefined);
      });
      if (!recovered) return;
      journal = createJournal(recovered.file, recovered.length);
      size = recovered.length;
    },
    async keep(deviceId, reason, payload) {
      const body = bodyOf({ at: clock.now(), deviceId, reason, payload: payload.slice(0, maxPayloadLength) });
      const length = Buffer.byteLength(body) + checksummedExtra;
      try {
        while (turning || !journal || (size > 0 && size + length > maxBytes)) await turn();
        size += length;
        await journal.append(body);
      } catch (error) {
        size = journal?.length() ?? size;
        throw storageUnavailable(error);
      }
    },
    async close() {
      await turning?.catch(() => undefined);
      await journal?.close();
      journal = undefined;
    },
  };
}

/** Whether an intact line holds a message as `keep` writes it. */
export function holdsMessage(line: Buffer): boolean {
  return quarantineLine.safeParse(jsonOf(line)).success;
}
