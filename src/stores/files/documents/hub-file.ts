// hubs.json: the hubs and the hashes of their keys. Which locks are bound to which hub stands in the locks' documents.
import { z } from 'zod';
import type { Hub } from '../../../domain/locks/hub.ts';
import type { HubStore, Hubs } from '../../../domain/ports.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, createDocument, type Document, type DocumentFormat } from './document.ts';
import { deviceId, sha256 } from './id-schemas.ts';

const hub = z.strictObject({
  deviceId,
  name: z.string(),
  createdAt: z.int(),
  keyHash: sha256,
}) satisfies z.ZodType<Hub>;

export const hubFormat: DocumentFormat<Hubs> = { schemaVersion: 1, schema: z.strictObject({ hubs: z.array(hub) }) };

export interface HubFile extends HubStore {
  readonly document: Document<Hubs>;
}

/** What a gateway without hubs begins with. */
export const noHubs: Hubs = { hubs: [] };

export function createHubFile(files: FileLayer, path: string, beforeUpgrade?: BeforeUpgrade): HubFile {
  const document = createDocument({ files, path, format: hubFormat, beforeUpgrade });
  return { document, current: () => document.current(), update: (change) => document.update(change) };
}
