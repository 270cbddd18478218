// Where the data is: which URLs are one of a database, and that no password shows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../src/app/config.ts';
import { databaseAddress } from '../../src/app/config-store.ts';

describe('the store', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchd-config-store-'));
    writeFileSync(join(folder, 'latchd.yaml'), '');
    writeFileSync(join(folder, 'latchd.store'), 'secret\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const load = (flags: Record<string, string>, environment = {}) =>
    loadConfig({ file: join(folder, 'latchd.yaml'), environment, flags }).config;
  function problemsOf(store: string): readonly string[] {
    try {
      load({ '--store': store });
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
    return [];
  }

  test.each([
    ['postgres://latchd@127.0.0.1/doors', [{ host: '127.0.0.1', port: 5432 }], false],
    ['postgresql://latchd@localhost:6000/doors', [{ host: 'localhost', port: 6000 }], false],
    ['postgres://latchd@[::1]:6000/doors', [{ host: '::1', port: 6000 }], false],
    [
      'postgres://latchd@db-1.example.org,db-2.example.org:5433/doors',
      [
        { host: 'db-1.example.org', port: 5432 },
        { host: 'db-2.example.org', port: 5433 },
      ],
      true,
    ],
    [
      'postgres://latchd@127.0.0.1,10.0.0.2/doors',
      [
        { host: '127.0.0.1', port: 5432 },
        { host: '10.0.0.2', port: 5432 },
      ],
      true,
    ],
    ['postgres://latchd@10.0.0.2/doors?sslmode=disable', [{ host: '10.0.0.2', port: 5432 }], false],
    ['postgres://latchd@127.0.0.1/doors?sslmode=verify-full', [{ host: '127.0.0.1', port: 5432 }], true],
  ])('%s', (url, hosts, tls) => {
    expect(problemsOf(url)).toEqual([]);
    expect(databaseAddress(url)).toEqual({ hosts, user: 'latchd', database: 'doors', tls });
  });

  test.each([
    'postgres://127.0.0.1/doors',
    'postgres://latchd@/doors',
    'postgres://latchd@127.0.0.1',
    'postgres://latchd@127.0.0.1:0/doors',
    'postgres://latchd@127.0.0.1,/doors',
    'postgres://latchd@127.0.0.1/doors?sslmode=require',
    'postgres://latchd@127.0.0.1/doors?target_session_attrs=any',
    'mysql://latchd@127.0.0.1/doors',
    'file',
  ])('%s is refused', (url) => {
    expect(problemsOf(url)).toEqual([
      '--store: must be files, or postgres://USER@HOST[:PORT][,HOST[:PORT]]/DATABASE[?sslmode=disable|verify-full]',
    ]);
  });

  test.each(['postgres://latchd:Xyz7@127.0.0.1/doors', 'postgres://latchd:Xyz7@@[::1]/doors', 'postgres://a@b/c?password=Xyz7'])(
    'a password in the URL is refused and not shown: %s',
    (url) => {
      expect(problemsOf(url)).toEqual(['--store: must not contain a password: put it into the file that storePasswordFile names']);
    },
  );

  test('the credential latchd.store is the file of the password, unless another one is named', () => {
    const environment = { CREDENTIALS_DIRECTORY: folder };
    expect(load({}, environment).storePasswordFile).toBe(join(folder, 'latchd.store'));
    expect(load({ '--store-password-file': '/etc/other' }, environment).storePasswordFile).toBe('/etc/other');
    expect(load({}, { LATCHD_STORE_PASSWORD_FILE: '$CREDENTIALS_DIRECTORY/mine', ...environment }).storePasswordFile).toBe(
      join(folder, 'mine'),
    );
    expect(load({}).storePasswordFile).toBeUndefined();
  });
});
