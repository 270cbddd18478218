// hubs.json: the hubs and the hashes of their keys. Which locks are bound to which hub stands in the locks' documents.
import { z } from 'zod';
import type { Hub } from '../domain/hub.ts';
import type { DeviceId } from '../domain/lock.ts';
import type { HubStore, Hubs } from '../domain/ports.ts';
import { type BeforeUpgrade, createDocument, type Document, type DocumentFormat } from './document.ts';
import type { FileLayer } from './files.ts';

const hub = z.strictObject({
  deviceId: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .transform((text) => text as DeviceId),
  name: z.string(),
  createdAt: z.int(),
  keyHash: z.string().regex(/^[0-9a-f]{64}$/),
}) satisfies z.ZodType<Hub>;

export const hubFormat: DocumentFormat<Hubs> = { schemaVersion: 1, schema: z.strictObject({ hubs: z.array(hub) }) };

export interface HubFile extends HubStore {
  readonly document: Document<Hubs>;
}

/** What a gateway without hubs begins with. */
export const noHubs: Hubs = { hubs: [] };

export function createHubFile(files: FileLayer, path: string, beforeUpgrade?: BeforeUpgrade): HubFile {
  const document = createDocument({ files, path, format: hubFormat, beforeUpgrade });
  return { document, current: document.current, update: document.update };
}
