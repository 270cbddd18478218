// access-paused.json: since when no card or passcode is sent, because a backup was restored. A person ends it.
import { z } from 'zod';
import type { PauseStore } from '../../../domain/credentials/access-pause.ts';
import type { FileLayer } from '../files.ts';
import { createDocument, type Document } from './document.ts';
import type { DocumentFormat } from './document-format.ts';

interface Pause {
  /** null: it is over. */
  readonly since: number | null;
}

export const pauseName = 'access-paused.json';

export const pauseFormat: DocumentFormat<Pause> = {
  schemaVersion: 1,
  schema: z.strictObject({ since: z.int().min(0).nullable() }),
};

export interface PauseFile extends PauseStore {
  readonly document: Document<Pause>;
  /** A directory without the file is not paused. */
  open(): Promise<void>;
}

export function createPauseFile(files: FileLayer, directory: string): PauseFile {
  let since: number | null = null;
  function onFlushed(pause: Pause): void {
    since = pause.since;
  }
  const document = createDocument({ files, path: `${directory}/${pauseName}`, format: pauseFormat, onFlushed });
  return {
    document,
    async open() {
      await document.load();
    },
    since: () => since,
    async end() {
      if (since !== null) await document.put({ since: null });
    },
  };
}
