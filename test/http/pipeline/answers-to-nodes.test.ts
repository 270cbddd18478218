// What a node says to another one that sends it requests, beside the answers for the clients.
import { Agent, type RequestOptions, request } from 'node:https';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { newAuthority } from '../../../src/platform/tls/local-ca.ts';
import { makePeerIdentity } from '../../../src/platform/tls/peer-certificate.ts';
import { createServerUnderTest, sampleToken } from '../../support/fake-services.ts';
import { freePort } from '../../support/free-port.ts';

let authority: Awaited<ReturnType<typeof newAuthority>>;
beforeAll(async () => {
  authority = await newAuthority(createClock());
});

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

/** A server that lets nodes in; resolves with how another node asks it. */
async function started(lease = { leftMs: () => 1_000 }) {
  const { server, origin } = createServerUnderTest(undefined, undefined, undefined, undefined, [], undefined, lease);
  open.push(server);
  await server.start();
  const port = await freePort();
  const identity = await makePeerIdentity(authority, 'one.node.latchd');
  await server.startForPeers({ host: '127.0.0.1', port, identity: { current: () => identity, onChange: () => undefined } });
  const said = { 'latchd-address': '10.0.0.7', 'latchd-scheme': 'http', 'latchd-expires': '999999999', 'latchd-hops': '1' };
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, how: RequestOptions = {}) =>
    new Promise<{ status: number | undefined; account: unknown; isNotBegun: boolean; isAskedForBody: boolean }>((resolve, reject) => {
      let isAskedForBody = false;
      const where = { host: '127.0.0.1', port, path, agent: false, ...identity, servername: 'one.node.latchd', ...how };
      const asked = request({ ...where, headers: { host: 'one.node.latchd', ...said, ...headers, ...how.headers } }, (answer) => {
        const { 'latchd-account': account, 'latchd-not-begun': notBegun } = answer.headers;
        resolve({ status: answer.resume().statusCode, account, isNotBegun: notBegun !== undefined, isAskedForBody });
      });
      asked.once('continue', () => {
        isAskedForBody = true;
        asked.end('{}');
      });
      asked.once('error', reject);
      if (how.headers === undefined) asked.end();
      else asked.flushHeaders();
    });
  return { ask, origin, server };
}

const list = '/api/v1/lock/list?pageNo=1&pageSize=20';

describe('a node that is asked by another one', () => {
  test('says whose token it has found, also in a refusal, and nothing of a request without one', async () => {
    const { ask, origin } = await started();
    const authorization = `Bearer ${sampleToken}`;
    expect(await ask(list, { authorization })).toMatchObject({ status: 200, account: '3' });
    expect(await ask(`${list}0000`, { authorization })).toMatchObject({ status: 400, account: '3' });
    expect(await ask(list, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401, account: undefined });
    expect(await ask('/openapi.json')).toMatchObject({ status: 200, account: undefined });
    const direct = await fetch(`${origin()}${list}`, { headers: { authorization, 'latchd-account': '3' } });
    expect([direct.status, direct.headers.get('latchd-account')]).toEqual([200, null]);
  });

  test('says with its clock whether it takes requests', async () => {
    let left = 1_000;
    const { ask } = await started({ leftMs: () => left });
    expect((await ask('/counter')).status).toBe(200);
    left = 0;
    expect((await ask('/counter')).status).toBe(503);
    expect(await ask(list)).toMatchObject({ status: 503, isNotBegun: true });
  });

  test('says to those that want to hear it when it begins to stop, and from then on that it has begun nothing that comes', async () => {
    const { ask, server } = await started();
    const agent = new Agent({ keepAlive: true });
    expect(await ask(list, { authorization: `Bearer ${sampleToken}` }, { agent })).toMatchObject({ status: 200, isNotBegun: false });
    const heard = ask('/stop');
    // It is asked at least as late as this.
    await ask('/counter');
    const stopped = server.stop();
    expect((await heard).status).toBe(200);
    // Over the connection that was there before.
    expect(await ask(list, { authorization: `Bearer ${sampleToken}` }, { agent })).toMatchObject({ status: 503, isNotBegun: true });
    agent.destroy();
    await stopped;
  });

  test('asks for a body when it has taken the request, and for none of one that it refuses', async () => {
    let left = 1_000;
    const { ask } = await started({ leftMs: () => left });
    const body = { method: 'POST', headers: { expect: '100-continue', 'content-length': '2' } };
    expect(await ask('/api/v1/gateway/accounts', {}, body)).toMatchObject({ status: 401, isAskedForBody: true });
    left = 0;
    expect(await ask('/api/v1/gateway/accounts', {}, body)).toMatchObject({ status: 503, isNotBegun: true, isAskedForBody: false });
  });
});
