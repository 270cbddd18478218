// status.json: what each lock last said of itself. In memory at once, on the disk within seconds and at a clean stop;
// losing it costs nothing that the locks do not say again.
import { z } from 'zod';
import { type LockId, type LockStatus, unknownStatus } from '../domain/lock.ts';
import type { Log } from '../domain/part.ts';
import type { Clock, StatusStore } from '../domain/ports.ts';
import { type BeforeUpgrade, createDocument, NewerSchemaError } from './document.ts';
import type { FileLayer } from './files.ts';
import { createLateSaving } from './late-saving.ts';

const saveDelayMs = 5_000;

const millis = z.int().nullable();
const status = z.strictObject({
  lockId: z
    .int()
    .min(1)
    .transform((number) => number as LockId),
  state: z.enum(['locked', 'unlocked']).nullable(),
  stateAt: millis,
  batteryPercent: z.int().min(0).max(100).nullable(),
  lastSeenAt: millis,
}) satisfies z.ZodType<LockStatus>;
export const statusFormat = { schemaVersion: 1, schema: z.strictObject({ statuses: z.array(status) }) };

export interface StatusFile extends StatusStore {
  /** Loads it; a damaged one is set aside. */
  open(): Promise<void>;
  /** Writes what is not yet on the disk and ends the timer. Never rejects. */
  close(): Promise<void>;
}

export function createStatusFile(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): StatusFile {
  const { files, path, clock, log } = options;
  const document = createDocument({ files, path, format: statusFormat, beforeUpgrade: options.beforeUpgrade });
  const known = new Map<LockId, LockStatus>();
  const saving = createLateSaving({
    clock,
    delayMs: saveDelayMs,
    save: () => document.put({ statuses: [...known].map(([lockId, one]) => ({ lockId, ...one })) }),
    onFailed: (error) =>
      log.warn({ code: 'status-not-saved', err: error }, 'the status of the locks could not be saved; it is tried again'),
  });

  return {
    async open() {
      try {
        if (!(await document.load())) return;
      } catch (error) {
        if (error instanceof NewerSchemaError) throw error;
        await files.rename(path, `${path}.damaged`);
        log.warn(
          { code: 'status-lost', err: error, kept: 'status.json.damaged' },
          'the saved status of the locks was unusable; they will say it again',
        );
        return;
      }
      for (const { lockId, ...one } of document.current().statuses) known.set(lockId, one);
    },
    get: (lockId) => known.get(lockId) ?? unknownStatus,
    patch(lockId, change) {
      known.set(lockId, { ...(known.get(lockId) ?? unknownStatus), ...change });
      saving.touch();
    },
    remove(lockId) {
      if (known.delete(lockId)) saving.touch();
    },
    async close() {
      await document.idle();
      await saving.close();
    },
  };
}
