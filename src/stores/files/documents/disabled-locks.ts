// The locks whose documents are damaged: each is disabled, and all others serve.
import type { DeviceId, LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { readableDeviceId } from './lock-document.ts';

export interface DisabledLock {
  readonly file: string;
  readonly reason: string;
}

export interface DisabledLocks {
  /** `readable`: the file from which the deviceId may still be read. */
  add(lockId: LockId, reason: string, readable: string): Promise<void>;
  has(lockId: LockId): boolean;
  hasDevice(deviceId: DeviceId): boolean;
  lockIds(): Iterable<LockId>;
  all(): readonly DisabledLock[];
}

export function createDisabledLocks({ files, log }: { readonly files: FileLayer; readonly log: Log }): DisabledLocks {
  const disabled = new Map<LockId, DisabledLock & { readonly deviceId: DeviceId | undefined }>();
  return {
    async add(lockId, reason, readable) {
      const text = await files.readFile(readable).then(String, () => '');
      const entry = { file: `locks/${lockId}.json`, reason, deviceId: readableDeviceId(text) };
      disabled.set(lockId, entry);
      log.error({ code: 'lock-disabled', ...entry }, 'a lock is disabled because its document cannot be used; all others serve');
    },
    has: (lockId) => disabled.has(lockId),
    hasDevice: (deviceId) => [...disabled.values()].some((lock) => lock.deviceId === deviceId),
    lockIds: () => disabled.keys(),
    all: () => [...disabled.values()].map(({ file, reason }) => ({ file, reason })),
  };
}
