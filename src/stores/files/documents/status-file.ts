// status.json stores the last report of each lock. Changes are in memory at once and on the disk within seconds and at a clean stop; locks
// report again what is lost.
import { z } from 'zod';
import type { Emit } from '../../../domain/event-bus.ts';
import { type LockId, type LockStatus, unknownStatus } from '../../../domain/locks/lock.ts';
import type { StatusStore } from '../../../domain/locks/lock-ports.ts';
import { lockId } from './id-schemas.ts';
import { createWriteBehindDocument, type WriteBehindOptions } from './write-behind-document.ts';

const saveDelayMs = 5_000;

const millis = z.int().nullable();
const status = z.strictObject({
  lockId,
  state: z.enum(['locked', 'unlocked']).nullable(),
  stateAt: millis,
  batteryPercent: z.int().min(0).max(100).nullable(),
  lastSeenAt: millis,
  cardsOnLock: z.int().min(0).nullable(),
}) satisfies z.ZodType<LockStatus>;
export const statusFormat = {
  schemaVersion: 2,
  upgrades: { 1: withoutCards },
  schema: z.strictObject({ statuses: z.array(status) }),
};

export interface StatusFile extends StatusStore {
  /** Loads it; sets a damaged file aside. */
  open(): Promise<void>;
  /** Writes what is not on the disk yet and ends the timer. Never rejects. */
  close(): Promise<void>;
}

export function createStatusFile({ emit, ...options }: WriteBehindOptions & { readonly emit: Emit }): StatusFile {
  const known = new Map<LockId, LockStatus>();
  const document = createWriteBehindDocument(options, {
    ...{ format: statusFormat, delayMs: saveDelayMs, holds: 'the status of the locks', whenLost: 'they will say it again' },
    value: () => ({ statuses: [...known].map(([lockId, one]) => ({ lockId, ...one })) }),
  });

  return {
    async open() {
      for (const { lockId, ...one } of (await document.load())?.statuses ?? []) known.set(lockId, one);
    },
    get: (lockId) => known.get(lockId) ?? unknownStatus,
    patch(lockId, change) {
      const before = known.get(lockId) ?? unknownStatus;
      const after = { ...before, ...change };
      known.set(lockId, after);
      document.touch();
      emit('status-changed', { lockId, before, after });
    },
    async remove(lockId) {
      if (known.delete(lockId)) document.touch();
    },
    close: document.close,
  };
}

/** Schema 1 did not store how many cards a lock has. Other content passes unchanged, and the schema rejects it. */
function withoutCards(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('statuses' in content) || !Array.isArray(content.statuses)) return content;
  return { ...content, statuses: content.statuses.map((one: object) => ({ ...one, cardsOnLock: null })) };
}
