// gateway.json: the id under which this gateway is known where several may be, such as on a broker. It is made once, and a backup has it: a restored
// gateway is the same one.
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { createDocument } from './document.ts';
import { DamagedDocumentError, type DocumentFormat } from './document-format.ts';

interface GatewayDocument {
  /** 8 hex digits. */
  readonly gatewayId: string;
}

export const gatewayFileName = 'gateway.json';

export const gatewayFormat: DocumentFormat<GatewayDocument> = {
  schemaVersion: 1,
  schema: z.strictObject({ gatewayId: z.string().regex(/^[0-9a-f]{8}$/) }),
};

/** The id; makes one, durably, when there is none. A damaged document is set aside, because no door depends on it. */
export async function openGatewayId(files: FileLayer, directory: string, log: Log): Promise<string> {
  const path = `${directory}/${gatewayFileName}`;
  const document = createDocument({ files, path, format: gatewayFormat });
  try {
    if (await document.load()) return document.current().gatewayId;
  } catch (error) {
    if (!(error instanceof DamagedDocumentError)) throw error;
    await files.rename(path, `${path}.damaged`);
    log.warn(
      { code: 'gateway-id-made', err: error, kept: `${basename(path)}.damaged` },
      'the id of this gateway was damaged; a new one was made, under which Home Assistant takes it for another gateway',
    );
  }
  return (await document.put({ gatewayId: randomBytes(4).toString('hex') })).gatewayId;
}
