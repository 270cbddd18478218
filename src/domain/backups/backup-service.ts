// Backups for gateway administrators: making one, looking at those that are there, and carrying one away, encrypted (HTTP API 13.5).
import type { Caller } from '../accounts/account.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';

/** A finished backup in the usual folder. */
export interface Archive {
  /** The name of the file, without a folder. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly madeAt: number;
  readonly bytes: number;
  /** It was made before a newer latchd upgraded the data. */
  readonly beforeUpgrade: boolean;
}

/** The folder of the backups. */
export interface Archives {
  /** The newest first. Rejects with `storage-unavailable` when the folder cannot be read. */
  list(): Promise<readonly Archive[]>;
  /**
   * Makes one. Calls `onProgress` with the bytes of data that are in it so far. Rejects with a sentence for the operator; then nothing is
   * left behind.
   */
  make(onProgress: (bytes: number) => void): Promise<Pick<Archive, 'name' | 'bytes'>>;
  /** The archive in the age format (age-encryption.org/v1), for this passphrase. Its first piece rejects with `not-found`. */
  encrypted(name: string, passphrase: string): AsyncIterable<Buffer>;
}

/** The backup that somebody asked for last, since the start. */
export interface Making {
  readonly state: 'running' | 'done' | 'failed';
  readonly startedAt: number;
  /** Of data, so far. */
  readonly bytes: number;
  /** Of the archive, when it is done. */
  readonly name: string | null;
  /** Why it failed, as a sentence. */
  readonly error: string | null;
}

export interface BackupService {
  /** Begins a backup. Throws `conflict` while one is under way that was begun here. */
  begin(caller: Caller): Making;
  list(caller: Caller, page: PageRequest): Promise<Page<Archive> & { readonly making: Making | null }>;
  /** Throws `rate-limited` while as many are under way as the gateway sends at once; its first piece rejects with `not-found`. */
  download(caller: Caller, name: string, passphrase: string): AsyncIterable<Buffer>;
}

/** Each costs CPU for its encryption, and the reading of all data. */
const downloadsAtOnce = 2;

export function createBackupService({
  clock,
  audit,
  archives,
}: {
  readonly clock: Pick<Clock, 'now'>;
  readonly audit: Pick<AuditTrail, 'note'>;
  readonly archives: Archives;
}): BackupService {
  let making: Making | null = null;
  let downloads = 0;

  async function make(caller: Caller, begun: Making): Promise<void> {
    const onProgress = (bytes: number) => {
      making = { ...begun, bytes };
    };
    try {
      const { name } = await audit.note(caller, { action: 'backup', object: 'backup' }, () => archives.make(onProgress));
      making = { ...(making ?? begun), state: 'done', name };
    } catch (error) {
      making = { ...(making ?? begun), state: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  }

  async function* counted(caller: Caller, name: string, passphrase: string): AsyncIterable<Buffer> {
    if (downloads >= downloadsAtOnce) {
      throw new DomainError('rate-limited', `${downloadsAtOnce} backups are being downloaded already`, { retryAfterSeconds: 10 });
    }
    downloads += 1;
    try {
      const pieces = archives.encrypted(name, passphrase)[Symbol.asyncIterator]();
      // The line is written before the first byte leaves the gateway.
      const first = await audit.note(caller, { action: 'backup-download', object: `backup ${name}` }, () => pieces.next());
      try {
        for (let next = first; next.done !== true; next = await pieces.next()) yield next.value;
      } finally {
        await pieces.return?.();
      }
    } finally {
      downloads -= 1;
    }
  }

  return {
    begin(caller) {
      requireGatewayAdministrator(caller);
      if (making?.state === 'running') throw new DomainError('conflict', 'a backup is under way already');
      const begun: Making = { state: 'running', startedAt: clock.now(), bytes: 0, name: null, error: null };
      making = begun;
      void make(caller, begun);
      return begun;
    },
    async list(caller, page) {
      requireGatewayAdministrator(caller);
      return { ...paginate(await archives.list(), page), making };
    },
    download(caller, name, passphrase) {
      requireGatewayAdministrator(caller);
      return counted(caller, name, passphrase);
    },
  };
}
