// One document per removed lock, in a folder: the cost of a removal does not depend on the number of earlier ones. A damaged document is
// set aside.
import { z } from 'zod';
import type { DeviceId, Lock, LockId } from '../../../domain/locks/lock.ts';
import type { RemovedLockStore } from '../../../domain/locks/lock-ports.ts';
import type { RemovedLock } from '../../../domain/locks/removed-lock.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { storageUnavailable } from '../flush-guard.ts';
import { type BeforeUpgrade, createDocument, type Document } from './document.ts';
import { type DocumentFormat, NewerSchemaError } from './document-format.ts';
import { removeIfThere } from './durable-file.ts';
import { createFollowedDocuments } from './followed-documents.ts';
import { accountId, deviceId, lockId } from './id-schemas.ts';

export const removedLockFormat: DocumentFormat<RemovedLock> = {
  schemaVersion: 1,
  schema: z.strictObject({
    lockId,
    deviceId,
    name: z.string(),
    alias: z.string(),
    administrator: accountId,
    removedAt: z.int(),
    removedBy: z
      .literal(0)
      .or(accountId)
      .transform((id) => id as RemovedLock['removedBy']),
  }) satisfies z.ZodType<RemovedLock>,
};

export const removedLockFileName = /^([1-9]\d{0,15})\.json$/;

const none: readonly LockId[] = [];

function idIn(name: string): LockId | undefined {
  const digits = removedLockFileName.exec(name)?.[1];
  return digits === undefined ? undefined : (Number(digits) as LockId);
}

export interface RemovedLockFiles extends RemovedLockStore {
  /** Reads every document. Rejects when a newer program wrote one of them. */
  open(): Promise<void>;
  /** Deletes those for which `isRegistered` is true: a power cut came between the two steps of the removal, which was never acknowledged. */
  forgetUnfinished(isRegistered: (lockId: LockId) => boolean): Promise<void>;
  /** The earlier lockIds of the lock's device, in the order of registration. */
  earlierIds(lock: Pick<Lock, 'lockId' | 'deviceId'> | undefined): readonly LockId[];
  /** Deletes the documents of locks removed before that date; resolves with the names of the files. `storage-unavailable`. */
  forgetBefore(removedAt: number): Promise<readonly string[]>;
  highest(): { readonly lockId: number };
  /** The names of all documents, with their content on the disk. */
  flushed(): readonly (readonly [name: string, text: () => Buffer])[];
  /** Resolves when no write is running. */
  idle(): Promise<void>;
}

export function createRemovedLockFiles(options: {
  readonly files: FileLayer;
  readonly folder: string;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): RemovedLockFiles {
  const { files, folder, log, beforeUpgrade } = options;
  const documents = new Map<LockId, Document<RemovedLock>>();
  const byDevice = new Map<DeviceId, readonly LockId[]>();
  let sorted: readonly RemovedLock[] | undefined;
  let isOpen = false;

  const pathOf = (id: LockId): string => `${folder}/${id}.json`;
  function documentOf(id: LockId): Document<RemovedLock> {
    const onFlushed = (): void => {
      if (isOpen) enter(document);
    };
    const document = createDocument({ files, path: pathOf(id), format: removedLockFormat, onFlushed, beforeUpgrade });
    return document;
  }
  const idsOf = (device: DeviceId): readonly LockId[] => byDevice.get(device) ?? none;

  /** Readers see the lock of this document from now on. */
  function enter(document: Document<RemovedLock>): void {
    const { lockId: id, deviceId: device } = document.current();
    documents.set(id, document);
    byDevice.set(
      device,
      [...idsOf(device).filter((other) => other !== id), id].sort((a, b) => a - b),
    );
    sorted = undefined;
  }
  /** Nobody sees it any more. */
  function leave(id: LockId): void {
    const device = documents.get(id)?.current().deviceId;
    if (device === undefined) return;
    documents.delete(id);
    const others = idsOf(device).filter((other) => other !== id);
    if (others.length > 0) byDevice.set(device, others);
    else byDevice.delete(device);
    sorted = undefined;
  }
  async function forget(id: LockId): Promise<void> {
    try {
      for (const path of [`${pathOf(id)}.previous`, pathOf(id)]) await removeIfThere(files, path);
      await files.syncFolder(folder);
    } catch (error) {
      throw storageUnavailable(error);
    }
    leave(id);
  }
  async function takeIn(id: LockId): Promise<void> {
    const document = documentOf(id);
    try {
      await document.load();
      const foundId = document.current().lockId;
      if (foundId !== id) throw new Error(`${pathOf(id)} is damaged: it holds lock ${foundId}`);
      enter(document);
    } catch (error) {
      if (error instanceof NewerSchemaError) throw error;
      await files.rename(pathOf(id), `${pathOf(id)}.damaged`);
      log.error(
        { code: 'removed-lock-lost', err: error, kept: `removed/${id}.json.damaged` },
        'what was left of a removed lock was unusable and is set aside: its records can be exported, but not read through the API',
      );
    }
  }

  return {
    all() {
      sorted ??= [...documents.values()].map((document) => document.current()).sort((a, b) => a.removedAt - b.removedAt);
      return sorted;
    },
    get: (id) => documents.get(id)?.current(),
    async add(removed) {
      await documentOf(removed.lockId).put(removed);
    },
    forget,
    async open() {
      const leaving = (document: Document<RemovedLock>) => leave(document.current().lockId);
      files.tables?.followFolder(
        folder,
        createFollowedDocuments({ idIn, get: (id) => documents.get(id), make: documentOf, leave: leaving }),
      );
      for (const name of await files.readdir(folder)) {
        const id = idIn(name);
        if (id !== undefined) await takeIn(id);
      }
      isOpen = true;
    },
    async forgetUnfinished(isRegistered) {
      for (const id of [...documents.keys()].filter(isRegistered)) await forget(id);
    },
    earlierIds(lock) {
      // Called for every message of every lock, and most gateways have removed none.
      const ids = lock === undefined || byDevice.size === 0 ? none : idsOf(lock.deviceId);
      return ids.length === 0 ? none : ids.filter((id) => id !== lock?.lockId);
    },
    async forgetBefore(removedAt) {
      const names: string[] = [];
      for (const removed of [...documents.values()].map((document) => document.current())) {
        if (removed.removedAt >= removedAt) continue;
        await forget(removed.lockId);
        names.push(`removed/${removed.lockId}.json`);
      }
      return names;
    },
    highest: () => ({ lockId: Math.max(0, ...documents.keys()) }),
    flushed: () => [...documents].map(([id, document]) => [`${id}.json`, document.flushedText()] as const),
    async idle() {
      await Promise.all([...documents.values()].map((document) => document.idle()));
    },
  };
}
