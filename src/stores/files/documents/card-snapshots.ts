// What a backup reads of the files of cards: each as it was, also when its lock is removed meanwhile.
import type { LockId } from '../../../domain/locks/lock.ts';
import { type BackupSource, sourceOfBytes } from '../backup/backup-sources.ts';
import { storageUnavailable } from '../flush-guard.ts';

export interface CardSnapshots {
  /** Sources stay readable until the returned function is called. */
  hold(): () => void;
  isHeld(): boolean;
  /** For the sources of a lock whose file is about to be deleted during a `hold`. */
  keep(lockId: LockId, bytes: Buffer): void;
  /** The source of a lock's file, which falls back on what `keep` was given. */
  source(lockId: LockId, present: BackupSource): BackupSource;
}

export function createCardSnapshots(): CardSnapshots {
  let holds = 0;
  /** The content of files that were removed during a `hold`. */
  const removed = new Map<LockId, Buffer>();
  return {
    hold() {
      holds += 1;
      return () => {
        holds -= 1;
        if (holds === 0) removed.clear();
      };
    },
    isHeld: () => holds > 0,
    keep(lockId, bytes) {
      removed.set(lockId, bytes);
    },
    source: (lockId, present) => ({ name: present.name, open: () => openSource(present, () => removed.get(lockId)) }),
  };
}

async function openSource(present: BackupSource, removedBytes: () => Buffer | undefined): ReturnType<BackupSource['open']> {
  try {
    const content = await present.open();
    if (content !== undefined) return content;
  } catch (error) {
    if (removedBytes() === undefined) throw storageUnavailable(error);
  }
  const bytes = removedBytes();
  return bytes && sourceOfBytes(present.name, () => bytes).open();
}
