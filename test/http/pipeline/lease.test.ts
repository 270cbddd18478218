// What a node answers that does not serve, and what becomes of requests under way when its lease ends.
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DomainError } from '../../../src/domain/errors.ts';
import { createServerUnderTest, sampleToken } from '../../support/fake-services.ts';

type Under = ReturnType<typeof createServerUnderTest>;

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function started(lease: { leftMs: () => number }): Promise<Under> {
  const ready = () => ({ ready: lease.leftMs() > 0, parts: {} });
  const metrics = { exposition: async () => ({ contentType: 'text/plain', text: 'latchd_x 1\n' }), request: () => undefined };
  const under = createServerUnderTest(ready, undefined, metrics, undefined, [], undefined, lease);
  open.push(under.server);
  await under.server.start();
  return under;
}

describe('a node without a lease', () => {
  test('answers health, readiness and metrics', async () => {
    const under = await started({ leftMs: () => 0 });
    await request(under.origin()).get('/healthz').expect(200, { status: 'ok' });
    await request(under.origin()).get('/readyz').expect(503, { ready: false, parts: {} });
    await request(under.origin()).get('/metrics').expect(200);
  });

  test.each([
    ['GET', '/api/v1/lock/list', undefined],
    ['GET', '/api/v1/lock/list', sampleToken],
    ['POST', '/api/v1/lock/unlock?lockId=7', sampleToken],
    ['GET', '/nothing/here', undefined],
    ['GET', '/', undefined],
    ['GET', '/openapi.json', undefined],
    ['POST', '/api/v1/session', undefined],
  ])('answers %s %s (token: %s) with storage-unavailable before it looks at the token', async (method, path, token) => {
    const under = await started({ leftMs: () => 0 });
    const asked = method === 'GET' ? request(under.origin()).get(path) : request(under.origin()).post(path);
    const { status, body, headers } = await asked.set(token === undefined ? {} : { authorization: `Bearer ${token}` });
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'storage-unavailable', '1']);
  });

  test('what it refuses is no line about the disk', async () => {
    const under = await started({ leftMs: () => 0 });
    await request(under.origin()).get('/api/v1/lock/list');
    expect(JSON.stringify(under.log.lines)).not.toContain('change-refused');
  });
});

test.each([
  ['GET', 'list', '/api/v1/lock/list?pageNo=1&pageSize=20', 'a question was not answered'],
  ['POST', 'setBolt', '/api/v1/lock/unlock?lockId=7', 'a change was refused'],
] as const)('what the storage keeps from being done is said of %s as what it is', async (method, name, path, sentence) => {
  const under = await started({ leftMs: () => 1 });
  under.locks[name] = () => {
    throw new DomainError('storage-unavailable', 'The database does not answer');
  };
  const asked = method === 'GET' ? request(under.origin()).get(path) : request(under.origin()).post(path);
  expect((await asked.set({ authorization: `Bearer ${sampleToken}` })).status).toBe(503);
  expect(JSON.stringify(under.log.lines)).toContain(`${sentence} because of the disk or the database`);
});

describe('a process that stood still while its lease ended', () => {
  test.each([
    ['POST', '/api/v1/lock/unlock', 504, 'lock-timeout', 'the outcome is unknown'],
    ['GET', '/api/v1/lock/list', 503, 'storage-unavailable', 'nothing was done'],
    ['PUT', '/api/v1/lock/rename', 503, 'storage-unavailable', 'nobody knows whether it was done'],
  ] as const)('answers %s %s, which was under way, with %d %s: %s', async (method, path, status, code, sentence) => {
    let left = 1;
    const under = await started({ leftMs: () => left });
    const ended = <T>(value: T): T => {
      left = 0;
      return value;
    };
    under.locks.setBolt = async () => ended({ success: true });
    under.locks.list = () => ended({ list: [], total: 0, pages: 0, pageNo: 1, pageSize: 20 });
    under.locks.rename = async () => ended(undefined);
    const query = { GET: 'pageNo=1&pageSize=20', POST: 'lockId=7', PUT: 'lockId=7&lockAlias=Gate' }[method];
    const answer = await fetch(`${under.origin()}${path}?${query}`, { method, headers: { authorization: `Bearer ${sampleToken}` } });
    const body = (await answer.json()) as { readonly code: string; readonly detail: string };
    expect(left).toBe(0);
    expect([answer.status, body.code, body.detail]).toEqual([status, code, expect.stringContaining(sentence)]);
  });
});

describe('a process that is stopped between its answer and the writing of it', () => {
  /** This process stands still until another one lets it go on. */
  function standStill(): void {
    spawn('sh', ['-c', `sleep 0.4; kill -CONT ${process.pid}`], { stdio: 'ignore' });
    process.kill(process.pid, 'SIGSTOP');
  }

  /** Asks a node that is stopped once it has looked for the last time whether it serves; resolves with the status, or how the answer ended. */
  async function askOneThatStops(method: string, path: string): Promise<{ readonly said: unknown; readonly leftMs: number }> {
    const until = performance.now() + 300;
    let isDone = false;
    const leftMs = () => {
      const left = Math.max(0, until - performance.now());
      if (isDone && left > 0) standStill();
      return left;
    };
    const under = await started({ leftMs });
    under.locks.setBolt = async () => {
      isDone = true;
      return { success: true };
    };
    under.locks.list = () => {
      isDone = true;
      return { list: [], total: 0, pages: 0, pageNo: 1, pageSize: 20 };
    };
    const said = await fetch(`${under.origin()}${path}`, { method, headers: { authorization: `Bearer ${sampleToken}` } }).then(
      ({ status }) => status,
      ({ cause }: { readonly cause: { readonly code: string } }) => cause.code,
    );
    return { said, leftMs: until - performance.now() };
  }

  test.each([
    ['POST', '/api/v1/lock/unlock?lockId=7'],
    ['GET', '/api/v1/lock/list?pageNo=1&pageSize=20'],
  ])('cuts off the answer to %s %s when its lease ended meanwhile', async (method, path) => {
    const { said, leftMs } = await askOneThatStops(method, path);
    expect(leftMs).toBeLessThan(0);
    expect(said).toBe('UND_ERR_SOCKET');
  });
});
