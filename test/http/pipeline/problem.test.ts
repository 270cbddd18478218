// Every refusal: its status, its body, its headers (HTTP API 1.4 and 4, RFC 9457).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DomainError, type ErrorCode, invalidParameter } from '../../../src/domain/errors.ts';
import { createServerUnderTest, sampleCaller, sampleToken } from '../../support/fake-services.ts';

const under = createServerUnderTest();
const http = () => request(under.origin());
const bearer = `Bearer ${sampleToken}`;

beforeAll(() => under.server.start());
afterAll(() => under.server.stop());

describe('HTTP API 4: each code of the table has its status and title', () => {
  test.each<[ErrorCode, number, string]>([
    ['invalid-parameter', 400, 'Invalid parameter'],
    ['outside-retention', 400, 'Outside retention'],
    ['token-missing', 401, 'Token missing'],
    ['token-invalid', 401, 'Token invalid'],
    ['token-expired', 401, 'Token expired'],
    ['not-lock-administrator', 403, 'Not the lock administrator'],
    ['forbidden', 403, 'Forbidden'],
    ['lock-not-found', 404, 'Lock not found'],
    ['card-not-found', 404, 'Card not found'],
    ['not-found', 404, 'Not found'],
    ['method-not-allowed', 405, 'Method not allowed'],
    ['not-acceptable', 406, 'Not acceptable'],
    ['card-exists', 409, 'Card exists'],
    ['conflict', 409, 'Conflict'],
    ['not-supported', 409, 'Not supported'],
    ['too-large', 413, 'Too large'],
    ['unsupported-media-type', 415, 'Unsupported media type'],
    ['rate-limited', 429, 'Rate limited'],
    ['lock-busy', 429, 'Lock busy'],
    ['internal-error', 500, 'Internal error'],
    ['lock-refused', 502, 'Lock refused'],
    ['lock-offline', 503, 'Lock offline'],
    ['state-unknown', 503, 'State unknown'],
    ['storage-unavailable', 503, 'Storage unavailable'],
    ['lock-timeout', 504, 'Lock timeout'],
  ])('%s answers %i', async (code, status, title) => {
    under.locks.battery = () => {
      throw new DomainError(code, 'a sentence for the caller');
    };
    const answer = await http().get('/api/v1/lock/battery?lockId=7').set('Authorization', bearer);
    const detail = code === 'internal-error' ? expect.stringContaining('inside the gateway') : 'a sentence for the caller';
    expect(answer.body).toEqual({
      type: `urn:latchd:problem:${code}`,
      title,
      status,
      detail,
      code,
      requestId: answer.headers['x-request-id'],
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('lock-refused carries the error code of the lock', async () => {
    under.locks.setAutoLock = async () => {
      throw new DomainError('lock-refused', 'the lock refused', { lockError: 'no-space' });
    };
    const answer = await http().post('/api/v1/lock/set-auto-lock-timer?lockId=7&seconds=5').set('Authorization', bearer);
    expect([answer.status, answer.body.lockError]).toEqual([502, 'no-space']);
  });

  test('lock-busy says in Retry-After when to come back', async () => {
    under.locks.setBolt = async () => {
      throw new DomainError('lock-busy', 'too many commands wait', { retryAfterSeconds: 4 });
    };
    const answer = await http().post('/api/v1/lock/unlock?lockId=7').set('Authorization', bearer);
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '4']);
  });

  test('an invalid-parameter of a service names its parameter like one of ours', async () => {
    under.cards.add = async () => {
      throw invalidParameter('endDate', 'must not be in the past');
    };
    const path = '/api/v1/identity-card/add?lockId=7&cardNumber=1&method=regular&addType=2&startDate=1&endDate=2';
    const answer = await http().post(path).set('Authorization', bearer);
    expect(answer.body).toMatchObject({
      status: 400,
      detail: 'endDate must not be in the past',
      errors: [{ parameter: 'endDate', message: 'must not be in the past' }],
    });
  });

  test('a bug is logged whole, once, and the client sees a fixed sentence (Decision 4: no stack traces, no paths, no library names)', async () => {
    const bug = new TypeError('secret detail in /some/path.ts');
    under.locks.battery = () => {
      throw bug;
    };
    under.log.lines.length = 0;
    const answer = await http().get('/api/v1/lock/battery?lockId=7').set('Authorization', bearer);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/secret|path\.ts|TypeError/);
    const errors = under.log.lines.filter(({ level }) => level === 'error');
    expect(errors).toEqual([
      { level: 'error', fields: { code: 'bug', requestId: answer.headers['x-request-id'], err: bug }, message: expect.any(String) },
    ]);
  });
});

describe('HTTP API 1.4: checks come in the order path, method, authentication, Accept, parameters, then the service', () => {
  test('an unknown path is 404 even without a token', async () => {
    for (const path of ['/api/v1', '/api/v1/lock', '/api/v1/lock/list/', '/api/v1/Lock/list', '/api/v1/lock%2Flist', '//', '/metrics']) {
      const answer = await http().get(path);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not-found']);
    }
  });

  test('a known path with another method is 405 with Allow, even without a token; OPTIONS too', async () => {
    const get = await http().get('/api/v1/lock/unlock?lockId=7');
    expect([get.status, get.headers['allow'], get.body.code]).toEqual([405, 'POST', 'method-not-allowed']);
    const options = await http().options('/api/v1/gateway/locks');
    expect([options.status, options.headers['allow']]).toEqual([405, 'POST, GET, HEAD']);
    const patch = await http().patch('/api/v1/gateway/locks/7');
    expect([patch.status, patch.headers['allow']]).toEqual([405, 'PUT, DELETE']);
  });

  test('HEAD is GET without the body', async () => {
    under.locks.battery = () => 83;
    const answer = await http().head('/api/v1/lock/battery?lockId=7').set('Authorization', bearer);
    expect([answer.status, answer.headers['content-length'], answer.text]).toEqual([200, '24', undefined]);
  });

  test('no token comes before a wrong Accept, a wrong Accept before wrong parameters, and those before the service', async () => {
    const first = await http().get('/api/v1/lock/battery?lockId=x').set('Accept', 'text/html');
    expect(first.status).toBe(401);
    const second = await http().get('/api/v1/lock/battery?lockId=x').set('Accept', 'text/html').set('Authorization', bearer);
    expect(second.status).toBe(406);
    const third = await http().get('/api/v1/lock/battery?lockId=x').set('Authorization', bearer);
    expect(third.status).toBe(400);
  });

  test.each([
    ['application/json', 200],
    ['*/*', 200],
    ['application/*;q=0.1', 200],
    ['text/html, application/json;q=0.9', 200],
    ['APPLICATION/JSON; charset=utf-8', 200],
    ['', 200],
    ['text/html', 406],
    ['application/problem+json', 406],
    ['application/json;q=0', 406],
    ['application/json;q=0, */*', 406],
    ['garbage', 406],
  ])('Accept: %s answers %i', async (accept, status) => {
    under.locks.battery = () => 83;
    const answer = await http().get('/api/v1/lock/battery?lockId=7').set('Authorization', bearer).set('Accept', accept);
    expect(answer.status).toBe(status);
  });

  test.each(['status', 'home-assistant'])('gateway/%s is for gateway administrators only', async (what) => {
    const authenticate = under.accounts.authenticate;
    under.accounts.authenticate = () => ({ ...sampleCaller, gatewayAdministrator: false, tokenId: 1 });
    const answer = await http().get(`/api/v1/gateway/${what}`).set('Authorization', bearer);
    under.accounts.authenticate = authenticate;
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  });

  test('readyz answers 503 with what is not ready, and needs neither token nor Accept', async () => {
    const waiting = createServerUnderTest(() => ({ ready: false, parts: { store: 'ok', mqtt: 'not listening' } }));
    await waiting.server.start();
    const answer = await request(waiting.origin()).get('/readyz').set('Accept', 'text/html');
    await waiting.server.stop();
    expect([answer.status, answer.body]).toEqual([503, { ready: false, parts: { store: 'ok', mqtt: 'not listening' } }]);
  });
});

describe('HTTP API 1.2 and Fault T18: access logs', () => {
  test('each request leaves one line with its id, and only harmless parameters', async () => {
    under.cards.add = async () => 41 as never;
    under.log.lines.length = 0;
    const path =
      '/api/v1/identity-card/add?lockId=7&cardNumber=1325672378&method=reverse&addType=2&startDate=0&endDate=0&cardName=Bobs+card';
    const answer = await http().post(path).set('Authorization', bearer).set('X-Request-Id', 'chosen-by-the-client');
    expect(under.log.lines).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          requestId: answer.headers['x-request-id'],
          method: 'POST',
          path: '/api/v1/identity-card/add',
          parameters: { lockId: '7', method: 'reverse', addType: '2', startDate: '0', endDate: '0' },
          account: 'alice',
          status: 200,
          ms: 0,
        },
      },
    ]);
    expect(answer.headers['x-request-id']).not.toBe('chosen-by-the-client');
  });

  test('a health check that succeeds is logged at debug, one that fails at info', async () => {
    under.log.lines.length = 0;
    await http().get('/healthz');
    await http().get('/readyz');
    await http().post('/healthz');
    expect(under.log.lines.map(({ level }) => level)).toEqual(['debug', 'debug', 'info']);
  });

  test('card numbers, passcodes, tokens and keys never show, wherever a client puts them', async () => {
    under.log.lines.length = 0;
    const secret = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFy';
    const add = 'lockId=7&method=regular&addType=1&startDate=0&endDate=0';
    await http().post(`/api/v1/identity-card/add?${add}&cardNumber=1325672378x`).set('Authorization', bearer);
    await http().get('/api/v1/lock/state?lockId=1325672378x').set('Authorization', bearer);
    await http().get('/api/v1/lock/state?lockId=7').set('Authorization', `Bearer ${secret}`);
    await http().get(`/api/v1/lock/state?lockId=7&access_token=${secret}`);
    await http().get(`/api/v1/nothing/${secret}/1325672378?cardNumber=1325672378`).set('Authorization', bearer);
    await http().delete(`/api/v1/gateway/tokens/${secret}`).set('Authorization', bearer);
    const body = { lockMac: 'a4:c1:38:7f:02:e9', lockName: 'Door', noKeyPwd: '1325672378', lockData: secret, wrong: 1 };
    await http().post('/api/v1/gateway/locks').set('Authorization', bearer).send(body);
    expect(under.log.lines).toHaveLength(7);
    expect(JSON.stringify(under.log.lines)).not.toMatch(/1325672378|Zm9vYmFy/);
  });
});
