// home-code.json: the hash of the code that an UNLOCK from Home Assistant must carry. It exists once somebody has set one.
import { z } from 'zod';
import type { HomeCodeStore } from '../../../domain/home-assistant/home-code-service.ts';
import type { FileLayer } from '../files.ts';
import { createDocument, type Document, type DocumentFormat } from './document.ts';

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

export function createHomeCodeFile(files: FileLayer, directory: string): HomeCodeFile {
  const document = createDocument({ files, path: `${directory}/${homeCodeName}`, format: homeCodeFormat });
  let isThere = false;
  return {
    document,
    async open() {
      isThere = await document.load();
    },
    hash: () => (isThere ? document.current().hash : null),
    async put(hash) {
      await document.put({ hash });
      isThere = true;
    },
  };
}
