import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from '@jest/globals';
import { destroyByReset } from '../../src/broker/byte-stream.ts';
import { createTlsHandshakes, wireHighWaterMark } from '../../src/broker/tls-handshakes.ts';
import { makeLoopbackCertificate } from '../support/loopback-certificate.ts';
import { until } from '../support/site.ts';

const { key, ca, cert } = await makeLoopbackCertificate();

const cleanUps: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

/** A server whose handshakes begin when `grant` says so. */
async function opened(atMost = 10, onAccepted: (socket: Socket) => void = () => undefined) {
  const accepted: Socket[] = [];
  const failed: string[] = [];
  let grants = 0;
  let refusals = 0;
  let resume: (() => void) | undefined;
  const handshakes = createTlsHandshakes({
    atMost,
    identity: { current: () => ({ key, cert }), onChange: () => {} },
    readSlot(owner) {
      resume = owner.resume;
      return {
        mayRead() {
          if (grants === 0) refusals++;
          return grants > 0 && grants-- > 0;
        },
      };
    },
    accept(socket) {
      accepted.push(socket);
      onAccepted(socket);
    },
    onFailed: (_, reason) => failed.push(reason),
  });
  const server = createServer({ highWaterMark: wireHighWaterMark }, handshakes.begin).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  cleanUps.push(
    () => server.close(),
    () => handshakes.end(),
    () => {
      for (const socket of accepted) socket.destroy();
    },
  );
  const keep = <S extends Socket>(socket: S): S => {
    socket.on('error', () => {});
    cleanUps.push(() => socket.destroy());
    return socket;
  };
  return {
    accepted,
    failed,
    handshakes,
    port,
    refusals: () => refusals,
    grant(count: number) {
      grants = count;
      resume?.();
    },
    secure: () => keep(connectTls({ host: '127.0.0.1', port, ca })),
    plain: () => keep(connect({ host: '127.0.0.1', port })),
  };
}

test('a connection may be reset as soon as it is accepted, and the process lives', async () => {
  const { port, grant } = await opened(10, (socket) => void Promise.resolve().then(() => destroyByReset(socket)));
  for (let n = 0; n < 20; n++) {
    const client = connectTls({ host: '127.0.0.1', port, ca }).on('error', () => undefined);
    // What comes with the end of the handshake is read in the same turn.
    client.write(Buffer.alloc(3_000));
    const granting = setInterval(grant, 5, 1);
    await once(client, 'close');
    clearInterval(granting);
  }
});

test('a handshake begins only when its turn has come, and those that wait are served in order', async () => {
  const { accepted, grant, secure, handshakes, refusals } = await opened();
  const clients = [];
  for (let n = 1; n <= 3; n++) {
    clients.push(secure());
    await until(() => refusals() === n, 'its first message is there');
  }
  expect(accepted).toHaveLength(0);
  grant(1);
  await until(() => accepted.length === 1, 'one is done');
  expect(handshakes.stats().underWay).toBe(2);
  grant(2);
  await until(() => accepted.length === 3, 'all are done');
  expect(accepted.map(({ remotePort }) => remotePort)).toEqual(clients.map(({ localPort }) => localPort));
  expect(handshakes.stats()).toEqual({ underWay: 0, gaveWay: 0 });
});

test('a client that leaves before its turn has failed, once', async () => {
  const { failed, plain, grant, handshakes } = await opened();
  const client = plain();
  await once(client, 'connect');
  await new Promise((resolve) => client.write('half of a', resolve));
  await until(() => handshakes.stats().underWay === 1, 'it has come');
  client.resetAndDestroy();
  await until(() => {
    grant(1);
    return handshakes.stats().underWay === 0;
  }, 'it is forgotten');
  expect(failed).toEqual(['ECONNRESET']);
});

test('a client that hangs up without a word has failed, and is not kept', async () => {
  const { failed, plain, handshakes } = await opened();
  plain().end();
  await until(() => failed.length > 0, 'it has failed');
  expect(handshakes.stats().underWay).toBe(0);
});

test('what is no first message of a handshake is refused, when its turn has come or when it is too long for one', async () => {
  const { failed, plain, grant, handshakes } = await opened();
  plain().write('x'.repeat(100_000));
  await until(() => failed.length === 1, 'the first has failed');
  expect(failed).toEqual(['ERR_SSL_RECORD_TOO_LARGE']);
  plain().write('GET / HTTP/1.1\r\n\r\n');
  await until(() => handshakes.stats().underWay === 1, 'it has come');
  await until(() => {
    grant(1);
    return failed.length === 2;
  }, 'the second has failed');
  expect(failed[1]).toBe('ERR_SSL_HTTP_REQUEST');
});

test('beyond so many handshakes the oldest gives way', async () => {
  const { failed, plain, handshakes } = await opened(2);
  const first = plain();
  await until(() => handshakes.stats().underWay === 1, 'it has come');
  for (let n = 0; n < 2; n++) plain();
  await until(() => handshakes.stats().gaveWay === 1, 'one gives way');
  await until(() => first.resume().destroyed, 'it is closed');
  expect(handshakes.stats().underWay).toBe(2);
  expect(failed).toEqual(['ECONNRESET']);
});
