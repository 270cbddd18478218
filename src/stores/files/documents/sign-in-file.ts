// sign-ins.jsonl stores which browsers are signed in, and who is invited, by the hashes of their secrets: 256 random bits each, so nobody
// can sign in with the file. No backup contains it: after a restore, nobody is signed in or invited.
import { z } from 'zod';
import { type Invitation, type SignIn, signInMs } from '../../../domain/accounts/sign-in.ts';
import { createSignInBook } from '../../../domain/accounts/sign-in-book.ts';
import type { SignInStore } from '../../../domain/accounts/sign-in-ports.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import type { BeforeUpgrade } from './document.ts';
import { NewerSchemaError } from './document-format.ts';
import { accountId, idSchema, sha256 } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';

const signIn = z.strictObject({
  hash: sha256,
  sessionId: z.string().min(1),
  accountId,
  method: z.enum(['token', 'password', 'passkey', 'handover']),
  tokenId: idSchema.nullable(),
  passkeyId: idSchema.nullable(),
  stay: z.boolean(),
  createdAt: z.int(),
  lastUsedAt: z.int(),
  expiresAt: z.int(),
  address: z.string(),
  agent: z.string(),
}) satisfies z.ZodType<SignIn>;

const invitation = z.strictObject({ accountId, hash: sha256, expiresAt: z.int() }) satisfies z.ZodType<Invitation>;

/** Before there were passwords, each sign-in was by a token, for its whole time. */
const olderSignIn = z.strictObject({ hash: sha256, tokenId: idSchema, accountId, expiresAt: z.int() });

type SignInRow = SignIn | Invitation;

export const signInFormat: RowFormat<SignInRow> = {
  of: 'sign-ins',
  schemaVersion: 2,
  schema: z.union([signIn, invitation]),
  older: {
    schemaVersions: [1],
    schema: olderSignIn,
    upgrade: (rows) => Array.from(rows as Iterable<z.infer<typeof olderSignIn>>, (row) => [row.hash, withAll(row)] as const),
  },
};

function withAll({ hash, tokenId, accountId, expiresAt }: z.infer<typeof olderSignIn>): SignIn {
  const createdAt = expiresAt - signInMs;
  const begun = { method: 'token', tokenId, passkeyId: null, stay: true, address: '', agent: '' } as const;
  // Twelve digits of a hash tell all sign-ins apart, and help nobody to find its secret.
  return { hash, sessionId: hash.slice(0, 12), accountId, ...begun, createdAt, lastUsedAt: createdAt, expiresAt };
}

export interface SignInFile extends SignInStore {
  /** Reads it; a damaged file is set aside, and people must sign in again. */
  open(): Promise<void>;
  /** Makes it where there is none. */
  beginFile(): Promise<void>;
  /** Waits for running writes. Never rejects. */
  close(): Promise<void>;
}

export function createSignInFile({
  files,
  path,
  log,
  emit,
  beforeUpgrade,
}: {
  readonly files: FileLayer;
  readonly path: string;
  readonly log: Log;
  readonly emit: Emit;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): SignInFile {
  const begin = () => createRowFile({ files, path, format: signInFormat, beforeUpgrade, onFlushed });
  const invitations = new Map<string, Invitation>();
  const book = createSignInBook();
  let rows = begin();
  let isOpen = false;

  function onFlushed(key: string, row: SignInRow | undefined, before: SignInRow | undefined): void {
    if (before !== undefined && isInvitation(before)) invitations.delete(before.hash);
    if (row !== undefined && isInvitation(row)) invitations.set(row.hash, row);
    else {
      // Another gateway has ended it.
      const ended = book.stored(key, row);
      if (ended !== undefined && isOpen) emit('access-ended', { accountId: ended.accountId });
    }
  }
  function drop(keys: readonly string[]): Promise<void> {
    return rows.update(({ get }) => keys.filter((key) => get(key) !== undefined).map((key) => [key, null]));
  }
  async function setAside(error: unknown): Promise<void> {
    if (error instanceof NewerSchemaError) throw error;
    await files.rename(path, `${path}.damaged`);
    // What was read before the damage is dropped too: the damaged part may have contained its end.
    invitations.clear();
    for (const { hash } of book.all()) book.stored(hash, undefined);
    rows = begin();
    const aside = 'sign-ins.jsonl.damaged';
    log.warn({ code: 'sign-ins-lost', err: error, kept: aside }, 'who stays signed in could not be read; people sign in again');
  }

  return {
    async open() {
      await rows.load().catch(setAside);
      isOpen = true;
    },
    async beginFile() {
      if (!rows.isThere()) await rows.create([]);
    },
    get: book.get,
    named: book.named,
    of: book.of,
    all: book.all,
    begin(one) {
      book.begin(one);
      return rows.update(() => [[one.hash, one]]);
    },
    async end(hashes) {
      book.end(hashes);
      await drop(hashes);
      // Of one that came and went by one write nobody has said so.
      for (const hash of hashes) book.stored(hash, undefined);
    },
    noteUses: (uses) =>
      rows.update(() =>
        uses.flatMap(({ hash, lastUsedAt }) => {
          const one = book.get(hash);
          return one === undefined ? [] : [[hash, { ...one, lastUsedAt: Math.max(one.lastUsedAt, lastUsedAt) }] as const];
        }),
      ),
    invitation: (hash) => invitations.get(hash),
    invitations: () => [...invitations.values()],
    invite: (invited) => rows.update(() => [[keyOf(invited.accountId), invited]]),
    endInvitation: (id) => drop([keyOf(id)]),
    close: () => rows.idle(),
  };
}

function isInvitation(row: SignInRow): row is Invitation {
  return !('sessionId' in row);
}

function keyOf(id: number): string {
  return `invitation ${id}`;
}
