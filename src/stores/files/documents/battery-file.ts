// battery.json stores the battery history of each lock. Changes are in memory at once and on the disk within the hour and at a clean stop:
// a chart is not worth wearing out a flash disk, and a lock reports again what a power cut takes.
import { z } from 'zod';
import type { BatteryLevel, LockId } from '../../../domain/locks/lock.ts';
import type { BatteryStore } from '../../../domain/locks/lock-ports.ts';
import { lockId } from './id-schemas.ts';
import { createWriteBehindDocument, type WriteBehindOptions } from './write-behind-document.ts';

const saveDelayMs = 3_600_000;

const level = z.strictObject({ at: z.int(), percent: z.int().min(0).max(100) }) satisfies z.ZodType<BatteryLevel>;
const history = z.strictObject({ lockId, levels: z.array(level).readonly() });
export const batteryFormat = { schemaVersion: 1, schema: z.strictObject({ batteries: z.array(history) }) };

const none: readonly BatteryLevel[] = [];

export interface BatteryFile extends BatteryStore {
  /** Loads it; sets a damaged file aside. */
  open(): Promise<void>;
  /** Writes what is not on the disk yet and ends the timer. Never rejects. */
  close(): Promise<void>;
}

export function createBatteryFile(options: WriteBehindOptions): BatteryFile {
  const known = new Map<LockId, readonly BatteryLevel[]>();
  const document = createWriteBehindDocument(options, {
    ...{ format: batteryFormat, delayMs: saveDelayMs, holds: 'the battery levels', whenLost: 'they begin anew' },
    value: () => ({ batteries: [...known].map(([lockId, levels]) => ({ lockId, levels })) }),
  });

  return {
    async open() {
      for (const { lockId, levels } of (await document.load())?.batteries ?? []) known.set(lockId, levels);
    },
    levels: async (lockId) => known.get(lockId) ?? none,
    async update(lockId, change) {
      const before = known.get(lockId) ?? none;
      const after = change(before);
      if (after === before) return;
      known.set(lockId, after);
      document.touch();
    },
    async remove(lockId) {
      if (known.delete(lockId)) document.touch();
    },
    close: document.close,
  };
}
