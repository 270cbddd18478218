// The real daemon and a real PostgreSQL with a certificate: it is trusted, or refused with a line that says why.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeAuthority, makeKey, makeServerCertificate } from '../../../src/platform/tls/x509.ts';
import { type PostgresServer, startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/site.ts';
import { createRuns } from '../../support/site-process.ts';

const runs = createRuns();
const folder = mkdtempSync(join(tmpdir(), 'latchd-database-tls-'));
const authority = join(folder, 'ca.crt');
let server: PostgresServer;
let made: TestDatabase;

/** The certificate is for `localhost` alone. */
beforeAll(async () => {
  server = await startPostgres({ fsync: true });
  const validity = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2040, 0, 1) };
  const key = makeKey();
  const ca = await makeAuthority({ key, name: 'test', ...validity });
  writeFileSync(authority, ca);
  const certificate = await makeServerCertificate({ key, authority: { certificate: ca, key }, names: ['localhost'], ...validity });
  for (const [name, text] of [
    ['server.key', key],
    ['server.crt', certificate],
  ] as const) {
    // The server writes its own files: they must be its own, and closed to others.
    const lines = `SELECT unnest(string_to_array('${text.trim()}', E'\\n'))`;
    await server.query(`COPY (${lines}) TO PROGRAM 'umask 077; cat > ${name}'`);
  }
  await server.query('ALTER SYSTEM SET ssl = on');
  await server.query('SELECT pg_reload_conf()');
  await until(async () => (await server.query('SHOW ssl'))[0]?.['ssl'] === 'on', 'the server speaks TLS');
  made = await server.newDatabase({ isEmpty: true });
});
afterAll(async () => {
  await runs.endAll();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const urlAt = (host: string): string => `${made.url.replace('127.0.0.1', host)}?sslmode=verify-full`;
let directories = 0;

/** `latchd` with the database at this host. */
function daemonAt(host: string, environment: Readonly<Record<string, string>>) {
  directories += 1;
  const given = ['--data-dir', join(folder, `data-${directories}`), '--store', urlAt(host), '--discovery-enabled', 'false'];
  return { given, run: runs.begin(['serve', ...given, '--http-port', '0', '--mqtt-port', '0'], environment) };
}

interface Finding {
  readonly check: string;
  readonly verdict: string;
  readonly seen: string;
}

async function doctor(given: readonly string[], environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { stdout } = await runs.finish(['doctor', '--json', ...given, '--http-port', '0', '--mqtt-port', '0'], environment);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  return findings.filter(({ check }) => check === 'database').map(({ verdict, seen }) => `${verdict} ${seen}`);
}

test('a certificate of an authority that is named, for the host that is named, is trusted', async () => {
  const environment = { NODE_EXTRA_CA_CERTS: authority };
  const { given, run } = daemonAt('localhost', environment);
  await until(() => run.log().some(({ code }) => code === 'ready'), 'it serves');
  const connections = await server.query(
    "SELECT ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'latchd %' AND usename IS NOT NULL",
  );
  expect(connections.length).toBeGreaterThan(0);
  expect(connections.filter(({ ssl }) => ssl !== true)).toEqual([]);
  expect(await doctor(given, environment)).toContainEqual(
    expect.stringMatching(/^ok PostgreSQL \d+\.\d+ answers postgres, encrypted \(TLSv1\.3\), and its certificate is verified$/),
  );
  run.signal('SIGTERM');
  expect(await run.ended).toBe(0);
});

test.each([
  ['one for another name', '127.0.0.1', () => ({ NODE_EXTRA_CA_CERTS: authority }), /its certificate is for another name/],
  [
    'one of an authority that nobody named',
    'localhost',
    () => ({}),
    /its certificate is of an authority that is not known here: NODE_EXTRA_CA_CERTS/,
  ],
])('%s is refused, and the log and doctor say so', async (_title, host, environment, reason) => {
  const { given, run } = daemonAt(host, environment());
  await until(() => run.log().some(({ code }) => code === 'database-away'), 'it is refused');
  expect(run.log().find(({ code }) => code === 'database-away')?.['reason']).toMatch(reason);
  expect(run.log().some(({ code }) => code === 'ready')).toBe(false);
  expect(await doctor(given, environment())).toEqual([expect.stringMatching(new RegExp(`^fail it does not answer: .*${reason.source}`))]);
  run.signal('SIGTERM');
  expect(await run.ended).toBe(0);
});
