// battery.json: how the battery of each lock went. In memory at once, on the disk within the hour and at a clean stop: a disk of flash should
// not wear out for a line in a chart, and what a power cut takes is said again by the lock.
import { z } from 'zod';
import type { BatteryLevel, LockId } from '../domain/lock.ts';
import type { Log } from '../domain/part.ts';
import type { BatteryStore, Clock } from '../domain/ports.ts';
import { type BeforeUpgrade, createDocument, type Document, NewerSchemaError } from './document.ts';
import type { FileLayer } from './files.ts';
import { createLateSaving } from './late-saving.ts';

const saveDelayMs = 3_600_000;

const level = z.strictObject({ at: z.int(), percent: z.int().min(0).max(100) }) satisfies z.ZodType<BatteryLevel>;
const history = z.strictObject({
  lockId: z
    .int()
    .min(1)
    .transform((number) => number as LockId),
  levels: z.array(level).readonly(),
});
export const batteryFormat = { schemaVersion: 1, schema: z.strictObject({ batteries: z.array(history) }) };

export interface BatteryFile extends BatteryStore {
  readonly document: Document<z.output<typeof batteryFormat.schema>>;
  /** Loads it; a damaged one is set aside. */
  open(): Promise<void>;
  /** Writes what is not yet on the disk and ends the timer. Never rejects. */
  close(): Promise<void>;
}

export function createBatteryFile(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): BatteryFile {
  const { files, path, clock, log } = options;
  const document = createDocument({ files, path, format: batteryFormat, beforeUpgrade: options.beforeUpgrade });
  const known = new Map<LockId, readonly BatteryLevel[]>();
  const saving = createLateSaving({
    clock,
    delayMs: saveDelayMs,
    save: () => document.put({ batteries: [...known].map(([lockId, levels]) => ({ lockId, levels })) }),
    onFailed: (error) => log.warn({ code: 'status-not-saved', err: error }, 'the battery levels could not be saved; it is tried again'),
  });

  return {
    document,
    async open() {
      try {
        if (!(await document.load())) return;
      } catch (error) {
        if (error instanceof NewerSchemaError) throw error;
        await files.rename(path, `${path}.damaged`);
        log.warn(
          { code: 'status-lost', err: error, kept: 'battery.json.damaged' },
          'the saved battery levels were unusable; they begin anew',
        );
        return;
      }
      for (const { lockId, levels } of document.current().batteries) known.set(lockId, levels);
    },
    levels: (lockId) => known.get(lockId) ?? [],
    put(lockId, levels) {
      known.set(lockId, levels);
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
