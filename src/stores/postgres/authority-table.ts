// The certificate authority of all nodes that share a database. It is in a data directory as `tls/ca.crt` and `tls/ca.key`.
import type { Database, Query } from './database.ts';

/** PEM, both. */
export interface StoredAuthority {
  readonly certificate: string;
  readonly key: string;
}

export interface AuthorityTable {
  find(): Promise<StoredAuthority | undefined>;
  /** Resolves with the authority that holds from then on: this one, unless another node has stored one before. */
  store(authority: StoredAuthority): Promise<StoredAuthority>;
}

export const selectAuthority = 'SELECT certificate, key FROM authority';

const names = { certificate: 'tls/ca.crt', key: 'tls/ca.key' };

/** Whether a file in a data directory, by its name there, is that of the authority. */
export const isOfAuthority = (name: string): boolean => Object.values(names).includes(name);

export function createAuthorityTable(database: Pick<Database, 'query' | 'transaction'>): AuthorityTable {
  const find = (query: Query) => query<StoredAuthority>(selectAuthority);
  return {
    async find() {
      const [found] = await find(database.query);
      return found;
    },
    async store({ certificate, key }) {
      return database.transaction(async (query) => {
        await query('INSERT INTO authority (certificate, key) VALUES ($1, $2) ON CONFLICT DO NOTHING', [certificate, key]);
        const [found] = await find(query);
        return found as StoredAuthority;
      });
    },
  };
}

/** The files of a data directory. */
export async function* authorityFiles(query: Query): AsyncGenerator<{ readonly name: string; readonly bytes: Buffer }> {
  for (const { certificate, key } of await query<StoredAuthority>(selectAuthority)) {
    yield { name: names.certificate, bytes: Buffer.from(certificate) };
    yield { name: names.key, bytes: Buffer.from(key) };
  }
}

/** Takes the authority of a data directory, if it has one, in place of what there is. */
export async function moveInAuthority(query: Query, given: readonly string[], read: (name: string) => Promise<Buffer>): Promise<void> {
  if (!Object.values(names).every((name) => given.includes(name))) return;
  const [certificate, key] = [(await read(names.certificate)).toString(), (await read(names.key)).toString()];
  await query('DELETE FROM authority');
  await query('INSERT INTO authority (certificate, key) VALUES ($1, $2)', [certificate, key]);
}
