// Bearer tokens and the slow-down of those who guess (Specification 5, HTTP API 2.1, RFC 6750).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DomainError } from '../../../src/domain/errors.ts';
import { TtlockRefusal } from '../../../src/domain/ttlock/ttlock-access.ts';
import { createGuard } from '../../../src/http/pipeline/authenticate.ts';
import { createServerUnderTest, createSettableClock, sampleCaller, sampleToken } from '../../support/fake-services.ts';

let under: ReturnType<typeof createServerUnderTest>;

beforeEach(async () => {
  under = createServerUnderTest();
  under.locks.battery = () => 83;
  await under.server.start();
});
afterEach(() => under.server.stop());

function ask(authorization?: string) {
  const asking = request(under.origin()).get('/api/v1/lock/battery?lockId=7');
  return authorization === undefined ? asking : asking.set('Authorization', authorization);
}

describe('Specification 5: each request carries a bearer token', () => {
  test('without one, the challenge is bare and the code token-missing', async () => {
    for (const authorization of [undefined, '', 'Basic YWxpY2U6eA==']) {
      const answer = await ask(authorization);
      expect([answer.status, answer.body.code]).toEqual([401, 'token-missing']);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="latchd"');
    }
  });

  test('the scheme is case-insensitive, the token is not', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEARER ']) expect((await ask(`${scheme} ${sampleToken}`)).status).toBe(200);
    expect((await ask(`Bearer ${sampleToken.toUpperCase()}`)).status).toBe(401);
  });

  test.each([
    'Bearer',
    `Bearer${'x'.repeat(40)} `,
    `Bearer ${sampleToken} ${sampleToken}`,
    `Bearer ${sampleToken}, Bearer ${sampleToken}`,
    `Bearer "${sampleToken}"`,
    `Bearer ${'x'.repeat(600)}`,
    'Bearer tök',
  ])('a malformed header is refused: %s', async (authorization) => {
    const answer = await ask(authorization);
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe(authorization.startsWith('Bearerx') ? 'token-missing' : 'token-invalid');
  });

  test('an invalid or expired token is challenged with error="invalid_token" (RFC 6750 section 3.1)', async () => {
    for (const code of ['token-invalid', 'token-expired'] as const) {
      under.accounts.authenticate = () => {
        throw new DomainError(code, 'the access token has expired');
      };
      const answer = await ask('Bearer anything');
      expect([answer.status, answer.body.code]).toEqual([401, code]);
      expect(answer.headers['www-authenticate']).toBe(
        `Bearer realm="latchd", error="invalid_token", error_description="Token ${code.slice(6)}"`,
      );
    }
  });

  test('a token sent in two headers is refused, even when both are the same', async () => {
    const response = await fetchRaw(under.port(), [
      'GET /api/v1/lock/battery?lockId=7 HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${sampleToken}`,
      `authorization: Bearer ${sampleToken}`,
    ]);
    expect(response).toContain('"code":"token-invalid"');
  });
});

describe('HTTP API 2.1: failed authentications are slowed down', () => {
  test('after 20 within a minute further failures get 429 with Retry-After, while a valid token still passes', async () => {
    for (let failure = 0; failure < 20; failure++) expect((await ask('Bearer wrong')).status).toBe(401);
    under.clock.advance(20_000);
    const refused = await ask('Bearer wrong');
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([429, 'rate-limited', '40']);
    expect((await ask()).status).toBe(429);
    expect((await ask(`Bearer ${sampleToken}`)).status).toBe(200);
    under.clock.advance(40_000);
    expect((await ask('Bearer wrong')).status).toBe(401);
  });

  test('each address counts for itself, IPv4 the same in both spellings, of IPv6 each /64, and only so many are remembered', () => {
    const clock = createSettableClock();
    const guard = createGuard(clock);
    const refuse = () => {
      throw new DomainError('token-invalid', 'no');
    };
    const codeFor = (remoteAddress: string) => {
      try {
        guard.check({ socket: { remoteAddress } } as never, refuse);
        return sampleCaller.username;
      } catch (error) {
        return (error as DomainError).code;
      }
    };
    for (let failure = 0; failure < 10; failure++) {
      expect(codeFor('192.0.2.1')).toBe('token-invalid');
      expect(codeFor('::ffff:192.0.2.1')).toBe('token-invalid');
    }
    expect(codeFor('192.0.2.1')).toBe('rate-limited');
    expect(codeFor('::FFFF:192.0.2.1')).toBe('rate-limited');
    expect(codeFor('192.0.2.2')).toBe('token-invalid');
    for (let failure = 0; failure < 20; failure++) expect(codeFor(`2001:db8::${failure}`)).toBe('token-invalid');
    expect(codeFor('2001:DB8:0:0:ffff::1')).toBe('rate-limited');
    expect(codeFor('2001:db8:0:1::1')).toBe('token-invalid');
    for (let network = 0; network < 10_000; network++) codeFor(`2001:db9:0:${network.toString(16)}::1`);
    expect(codeFor('192.0.2.1')).toBe('token-invalid');
  });
});

describe('the guesses at TTLock logins and their access tokens', () => {
  const request = (remoteAddress = '192.0.2.1') => ({ socket: { remoteAddress } }) as never;
  const refusal = (reason: ConstructorParameters<typeof TtlockRefusal>[0]) => async () => {
    throw new TtlockRefusal(reason);
  };
  const saidOf = (work: () => Promise<unknown>) =>
    work().then(
      () => 'done',
      (error) => (error instanceof TtlockRefusal ? error.reason : (error as DomainError).code),
    );

  test('are refused from the 21st within a minute on, by address, while what is right passes at once', async () => {
    const clock = createSettableClock();
    const guard = createGuard(clock);
    const guesses = await Promise.all(
      Array.from({ length: 30 }, () => saidOf(() => guard.checkLater(request(), refusal('wrong-password')))),
    );
    expect(guesses).toEqual([...Array(20).fill('wrong-password'), ...Array(10).fill('rate-limited')]);
    expect(await guard.checkLater(request(), async () => 'a session')).toBe('a session');
    expect(await saidOf(() => guard.checkLater(request('192.0.2.2'), refusal('unknown-client')))).toBe('unknown-client');
    // What can be no guess counts as none.
    for (let n = 0; n < 30; n++)
      expect(await saidOf(() => guard.checkLater(request('192.0.2.3'), refusal('password-not-md5')))).toBe('password-not-md5');
    clock.advance(60_000);
    expect(await saidOf(() => guard.checkLater(request(), refusal('wrong-refresh-token')))).toBe('wrong-refresh-token');
  });

  test('count apart when each has a guard of its own', async () => {
    const clock = createSettableClock();
    const [logins, tokens] = [createGuard(clock), createGuard(clock)];
    const token = (reason?: 'token-unknown') =>
      saidOf(async () =>
        tokens.check(request(), () => {
          if (reason !== undefined) throw new TtlockRefusal(reason);
          return sampleCaller;
        }),
      );
    for (let n = 0; n < 20; n++) expect(await token('token-unknown')).toBe('token-unknown');
    expect([await token('token-unknown'), await token()]).toEqual(['rate-limited', 'done']);
    expect(await saidOf(() => logins.checkLater(request(), refusal('wrong-secret')))).toBe('wrong-secret');
  });
});

async function fetchRaw(port: number, lines: readonly string[]): Promise<string> {
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
}
