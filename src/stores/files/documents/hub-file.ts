// hubs.json stores the hubs and the hashes of their keys. The documents of the locks say which hub a lock is bound to.
import { z } from 'zod';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { Hub } from '../../../domain/locks/hub.ts';
import type { HubStore } from '../../../domain/locks/hub-ports.ts';
import type { DeviceId } from '../../../domain/locks/lock.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, conflict, createDocument, type Document } from './document.ts';
import type { DocumentFormat } from './document-format.ts';
import { deviceId, sha256 } from './id-schemas.ts';

const hub = z.strictObject({
  deviceId,
  name: z.string(),
  createdAt: z.int(),
  keyHash: sha256,
}) satisfies z.ZodType<Hub>;

/** What the document holds. */
export interface Hubs {
  /** In the order of registration. */
  readonly hubs: readonly Hub[];
}

export const hubFormat: DocumentFormat<Hubs> = { schemaVersion: 1, schema: z.strictObject({ hubs: z.array(hub) }) };

export interface HubFile extends HubStore {
  readonly document: Document<Hubs>;
}

/** The hubs of a new gateway. */
export const noHubs: Hubs = { hubs: [] };

export function createHubFile(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly emit: Emit;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): HubFile {
  /** Looked up at every message of a lock. */
  let byDevice: ReadonlyMap<DeviceId, Hub> = new Map();
  function onFlushed({ hubs }: Hubs, old: Hubs | undefined): void {
    const earlier = byDevice;
    byDevice = new Map(hubs.map((one) => [one.deviceId, one]));
    if (old === undefined) return;
    for (const deviceId of new Set([...earlier.keys(), ...byDevice.keys()])) {
      const [before, after] = [earlier.get(deviceId), byDevice.get(deviceId)];
      if (before !== after) options.emit('hub-changed', { before, after });
    }
  }
  const document = createDocument({ ...options, format: hubFormat, onFlushed });

  function requireHub({ hubs }: Hubs, deviceId: DeviceId): Hub {
    const found = hubs.find((one) => one.deviceId === deviceId);
    if (found === undefined) throw new DomainError('not-found', `there is no hub ${deviceId}`);
    return found;
  }

  return {
    document,
    all: () => document.current().hubs,
    get: (deviceId) => byDevice.get(deviceId),
    async add(added) {
      await document.update(({ hubs }) => {
        if (hubs.some(({ deviceId }) => deviceId === added.deviceId)) throw conflict('a hub with this MAC address is registered already');
        return { hubs: [...hubs, added] };
      });
    },
    async update(deviceId, change) {
      const after = await document.update((now) => {
        const before = requireHub(now, deviceId);
        const changed = change(before);
        return changed === before ? now : { hubs: now.hubs.map((one) => (one === before ? changed : one)) };
      });
      return requireHub(after, deviceId);
    },
    async remove(deviceId) {
      await document.update((now) => {
        const gone = requireHub(now, deviceId);
        return { hubs: now.hubs.filter((one) => one !== gone) };
      });
    },
  };
}
