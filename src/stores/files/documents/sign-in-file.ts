// sign-ins.jsonl stores which browsers stay signed in, by the hashes of their secrets: 256 random bits each, so nobody can sign in with the
// file. No backup contains it: after a restore, nobody is signed in.
import { z } from 'zod';
import type { SignIn, SignInStore } from '../../../domain/accounts/account-ports.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { NewerSchemaError } from './document.ts';
import { accountId, idSchema, sha256 } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';

export const signInFormat: RowFormat<SignIn> = {
  of: 'sign-ins',
  schemaVersion: 1,
  schema: z.strictObject({ hash: sha256, tokenId: idSchema, accountId, expiresAt: z.int() }) satisfies z.ZodType<SignIn>,
};

export interface SignInFile extends SignInStore {
  /** Reads it; a damaged file is set aside, and people must sign in again. */
  open(): Promise<void>;
  /** Waits for running writes. Never rejects. */
  close(): Promise<void>;
}

export function createSignInFile({
  files,
  path,
  log,
}: {
  readonly files: FileLayer;
  readonly path: string;
  readonly log: Log;
}): SignInFile {
  const begin = () => createRowFile({ files, path, format: signInFormat });
  let rows = begin();
  /** The file is made with the first sign-in. */
  let made: Promise<void> | undefined;

  return {
    async open() {
      try {
        if (await rows.load()) made = Promise.resolve();
      } catch (error) {
        if (error instanceof NewerSchemaError) throw error;
        await files.rename(path, `${path}.damaged`);
        // Sign-ins that were read before the damage are dropped too: the damaged part may have contained their end.
        rows = begin();
        const setAside = 'sign-ins.jsonl.damaged';
        log.warn({ code: 'sign-ins-lost', err: error, kept: setAside }, 'who stays signed in could not be read; people sign in again');
      }
    },
    all: async () => [...rows.entries()].map(([, signIn]) => signIn),
    async keep(signIn) {
      made ??= rows.create([]);
      await made.catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      await rows.update(() => [[signIn.hash, signIn]]);
    },
    async end(hashes) {
      if (made === undefined) return;
      await made.catch(() => undefined);
      await rows.update(({ get }) => hashes.filter((hash) => get(hash) !== undefined).map((hash) => [hash, null]));
    },
    async close() {
      await made?.catch(() => undefined);
      await rows.idle();
    },
  };
}
