// What the doctor says of the way by which other nodes reach this one: its name, its port, and who answers there.
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Daemon } from '../../../src/admin/doctor/daemon.ts';
import { type AroundNodes, checkNodes } from '../../../src/admin/doctor/nodes.ts';
import type { Config } from '../../../src/app/config.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { type Authority, newAuthority } from '../../../src/platform/tls/local-ca.ts';
import { makePeerIdentity } from '../../../src/platform/tls/peer-certificate.ts';
import { freePort } from '../../support/free-port.ts';

let authority: Authority;
let another: Authority;
beforeAll(async () => {
  authority = await newAuthority(createClock());
  another = await newAuthority(createClock());
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** This process is the daemon. */
const daemon: Daemon = { pid: process.pid, uid: process.getuid?.(), answer: { cluster: { role: 'waiting' } }, silence: undefined };
const nobody: Daemon = { pid: undefined, uid: undefined, answer: undefined, silence: undefined };

async function said(url: string | undefined, given: Partial<AroundNodes> = {}): Promise<readonly string[]> {
  const around = { daemon, owner: process.getuid?.(), authority: async () => authority, addressesOf: async () => ['127.0.1.1'], ...given };
  const verdicts = await checkNodes({ cluster: { url, leaseSeconds: 30 } } as Pick<Config, 'cluster'>, around);
  return verdicts.map(({ verdict, seen }) => `${verdict} ${seen}`);
}

/** A listener for nodes as the daemon has it; resolves with its port. */
async function listening(): Promise<number> {
  const server = createTlsServer({
    ...(await makePeerIdentity(authority, 'one.node.latchd')),
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on('request', (_request, response) => {
    response.writeHead(503).end('1000');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

describe('the way for other nodes', () => {
  test('is not looked at where there is none', async () => {
    expect(await said(undefined)).toEqual([]);
  });

  test('is well when the name leads here and the daemon answers nodes', async () => {
    const port = await listening();
    expect(await said(`https://box-1.lan:${port}`)).toEqual([
      `ok cluster.url https://box-1.lan:${port} leads to this machine`,
      `ok nodes box-1.lan:${port} answers nodes, is the daemon's, and its certificate is of their authority`,
    ]);
  });

  test.each([
    ['another authority', async () => another, /^fail nodes 127\.0\.0\.1:\d+ is the daemon's and does not answer as to a node: \w+/],
    ['no authority', async () => undefined, /^fail .*: there is no authority in the database$/],
    [
      'no answer',
      () => Promise.reject(new Error('db-1:5432: ECONNREFUSED')),
      /^warn nodes .* can only be asked with the database: db-1:5432: ECONNREFUSED$/,
    ],
  ] as const satisfies readonly (readonly [string, AroundNodes['authority'], RegExp])[])(
    'is looked at with the authority of the database: %s',
    async (_what, ofDatabase, sentence) => {
      const port = await listening();
      expect(await said(`https://127.0.0.1:${port}`, { authority: ofDatabase })).toEqual([expect.stringMatching(sentence)]);
    },
  );

  test('is free without a daemon, and missing where one runs that does not know of it', async () => {
    const url = `https://127.0.0.1:${await freePort()}`;
    const { host } = new URL(url);
    expect(await said(url, { daemon: nobody })).toEqual([`ok nodes ${host} is free`]);
    expect(await said(url)).toEqual([`warn nodes ${host}: the daemon does not listen there`]);
    // It listens once the database has answered.
    expect(await said(url, { daemon: { ...daemon, answer: { cluster: { role: 'starting' } } } })).toEqual([`ok nodes ${host} is free`]);
  });

  test('has failed when another program has the port', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    expect(await said(`https://127.0.0.1:${port}`, { daemon: { ...daemon, pid: 1 } })).toEqual([
      expect.stringMatching(/^fail nodes 127\.0\.0\.1:\d+ is taken by /),
    ]);
  });

  test('has failed when nobody knows the name, and is to be looked at when that leads elsewhere', async () => {
    const url = `https://box-1.lan:${await freePort()}`;
    expect((await said(url, { addressesOf: async () => [] }))[0]).toBe(`fail cluster.url ${url}: no name service knows box-1.lan`);
    expect((await said(url, { addressesOf: async () => ['192.0.2.9'] }))[0]).toBe(
      `warn cluster.url ${url} leads to 192.0.2.9, which is not this machine`,
    );
  });
});
