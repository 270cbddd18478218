// What a site has stored, in its files or in its database, for tests that look at it or put something there.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestDatabase } from './postgres.ts';
import type { Site } from './site.ts';

/** The name of a file of records, which a database passes on as it is. */
const padding = 'records/2020-01-01-1.order';

type StoredSite = Pick<Site, 'stored' | 'storedNames' | 'allStored' | 'put' | 'damage' | 'pad' | 'wipe'>;

/** `database`: absent with files. */
export function createStoredSite(dataDir: string, database: TestDatabase | undefined): StoredSite {
  async function fileNames(): Promise<readonly string[]> {
    const found = await readdir(dataDir, { recursive: true, withFileTypes: true });
    return found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(dataDir.length + 1));
  }
  const inFiles: StoredSite = {
    stored: (name) => readFile(join(dataDir, name), 'utf8'),
    storedNames: fileNames,
    async allStored() {
      const names = await fileNames();
      // One that a running daemon has replaced meanwhile is there under its name, too.
      const read = (name: string) => readFile(join(dataDir, name), 'latin1').catch(() => '');
      return new Map(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
    },
    async put(name, content) {
      const path = join(dataDir, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, JSON.stringify(content));
    },
    async damage(name) {
      const path = join(dataDir, name);
      await writeFile(path, (await readFile(path, 'utf8')).slice(0, -40));
    },
    async pad(bytes) {
      await mkdir(join(dataDir, 'tls'), { recursive: true });
      await writeFile(join(dataDir, 'tls', 'padding.pem'), randomBytes(bytes));
    },
    wipe: () => rm(dataDir, { recursive: true }),
  };
  if (database === undefined) return inFiles;
  const { query } = database;
  return {
    async stored(name) {
      const rows = await query(`SELECT body::text FROM latchd.document_row WHERE name = '${name}'`);
      if (rows.length === 0) throw new Error(`there is no ${name} in the database`);
      return rows.map(({ body }) => asInFile(String(body))).join('\n');
    },
    storedNames: async () => (await query('SELECT name FROM latchd.document')).map(({ name }) => String(name)),
    async allStored() {
      const tables = await query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'latchd'");
      const texts = tables.map(async ({ name }) => {
        const rows = await query(`SELECT row_to_json(t)::text AS row FROM latchd.${name} AS t`);
        return [String(name), rows.map(({ row }) => row).join('\n')] as const;
      });
      const documents = (await query('SELECT name, body::text FROM latchd.document_row')).map(({ name, body }) => [name, body] as const);
      const byName = new Map<string, string>();
      for (const [name, body] of documents) byName.set(String(name), `${byName.get(String(name)) ?? ''}${body}\n`);
      const ofTables = (await Promise.all(texts)).filter(([name]) => name !== 'document_row');
      return new Map([...(await inFiles.allStored()), ...ofTables, ...byName]);
    },
    async put(name, content) {
      await query(`INSERT INTO latchd.document VALUES ('${name}', NULL, 1) ON CONFLICT DO NOTHING`);
      await query(
        `INSERT INTO latchd.document_row (name, key, body) VALUES ('${name}', '', '${JSON.stringify(content)}')
         ON CONFLICT (name, key) DO UPDATE SET body = excluded.body`,
      );
    },
    // A row is always JSON.
    damage: async (name) =>
      void (await query(`UPDATE latchd.document_row SET body = (body::jsonb #- '{lock,name}')::json WHERE name = '${name}'`)),
    async pad(bytes) {
      const noise = `SELECT string_agg(sha512(n::text::bytea), ''::bytea) FROM generate_series(1, ${Math.ceil(bytes / 64)}) AS n`;
      await query(`INSERT INTO latchd.carried_file (name, is_sorted, bytes) SELECT '${padding}', false, (${noise})`);
    },
    async wipe() {
      await inFiles.wipe();
      await query('DROP SCHEMA latchd CASCADE');
    },
  };
}

/** What is no JSON is stored in base64. */
function asInFile(body: string): string {
  return body.startsWith('"') ? Buffer.from(JSON.parse(body) as string, 'base64').toString() : body;
}
