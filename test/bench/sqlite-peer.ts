// SQLite over the same records, as a peer to compare with: better-sqlite3, which is no dependency of ours and must be
// installed elsewhere (`BENCH_SQLITE=/path/to/node_modules/better-sqlite3`).
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
}
interface Database {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): Statement;
  transaction<A extends unknown[]>(action: (...args: A) => void): (...args: A) => void;
  close(): void;
}

export interface PeerRecord {
  readonly lockId: number;
  readonly seq: number;
  readonly type: string;
  readonly credential: string;
  readonly username: string;
  readonly lockDate: number;
  readonly serverDate: number;
}

export interface SqlitePeer {
  /** One transaction, flushed when it returns. */
  append(records: readonly PeerRecord[]): void;
  /** A page, newest first, with its total. */
  page(lockId: number, from: number, to: number, pageNo: number, pageSize: number): number;
  close(): void;
}

export function openSqlite(modulePath: string, folder: string): SqlitePeer {
  const open = createRequire(import.meta.url)(modulePath) as new (path: string) => Database;
  const database = new open(join(folder, 'peer.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(`CREATE TABLE IF NOT EXISTS record (recordId INTEGER PRIMARY KEY, lockId INTEGER, epoch TEXT, seq INTEGER, type TEXT,
    success INTEGER, credential TEXT, username TEXT, lockDate INTEGER, serverDate INTEGER, UNIQUE (lockId, epoch, seq));
    CREATE INDEX IF NOT EXISTS byLock ON record (lockId, recordId, lockDate)`);
  const insert = database.prepare(
    `INSERT OR IGNORE INTO record (lockId, epoch, seq, type, success, credential, username, lockDate, serverDate) VALUES (?, '7d3f', ?, ?, 1, ?, ?, ?, ?)`,
  );
  const append = database.transaction((records: readonly PeerRecord[]) => {
    for (const { lockId, seq, type, credential, username, lockDate, serverDate } of records) {
      insert.run(lockId, seq, type, credential, username, lockDate, serverDate);
    }
  });
  const count = database.prepare('SELECT count(*) AS total FROM record WHERE lockId = ? AND lockDate BETWEEN ? AND ?');
  const select = database.prepare(
    'SELECT * FROM record WHERE lockId = ? AND lockDate BETWEEN ? AND ? ORDER BY recordId DESC LIMIT ? OFFSET ?',
  );
  return {
    append,
    page(lockId, from, to, pageNo, pageSize) {
      const { total } = count.get(lockId, from, to) as { total: number };
      return total + select.all(lockId, from, to, pageSize, (pageNo - 1) * pageSize).length;
    },
    close: () => database.close(),
  };
}
