// home-code.json: the hash of the code that an UNLOCK from Home Assistant must carry. It exists once somebody has set one.
import { basename } from 'node:path';
import { z } from 'zod';
import type { Emit } from '../../../domain/event-bus.ts';
import type { HomeCodeStore } from '../../../domain/home-assistant/home-code-service.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { createDocument, type Document } from './document.ts';
import { DamagedDocumentError, type DocumentFormat } from './document-format.ts';

interface HomeCode {
  /** As the password hash writes it, with its salt and cost; null: there is no code any more. */
  readonly hash: string | null;
}

export const homeCodeName = 'home-code.json';

export const homeCodeFormat: DocumentFormat<HomeCode> = {
  schemaVersion: 1,
  schema: z.strictObject({ hash: z.string().startsWith('$scrypt$').nullable() }),
};

export interface HomeCodeFile extends HomeCodeStore {
  readonly document: Document<HomeCode>;
  open(): Promise<void>;
}

export function createHomeCodeFile(files: FileLayer, directory: string, log: Log, emit: Emit): HomeCodeFile {
  const path = `${directory}/${homeCodeName}`;
  let hash: ReturnType<HomeCodeStore['hash']> = null;
  let isOpen = false;
  function onFlushed(code: HomeCode): void {
    hash = code.hash;
    if (isOpen) emit('home-code-changed', { isSet: hash !== null });
  }
  const document = createDocument({ files, path, format: homeCodeFormat, onFlushed });
  return {
    document,
    /** A damaged one stays where it is: set aside, it would be none at the next start, and doors would open without a code. */
    async open() {
      try {
        await document.load();
      } catch (error) {
        if (!(error instanceof DamagedDocumentError)) throw error;
        hash = 'unreadable';
        const sentence = 'the code for Home Assistant is damaged: its UNLOCK is refused until somebody sets or removes the code';
        log.warn({ code: 'home-code-damaged', err: error, file: basename(path) }, sentence);
      }
      isOpen = true;
    },
    hash: () => hash,
    async put(newest) {
      await document.put({ hash: newest });
    },
  };
}
