// Checks from outside whether a listener of the gateway answers: with a connection over the machine's own network.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

type Scheme = 'http' | 'https' | 'mqtt' | 'mqtts' | 'devices';

/** The client id of the check over MQTT; the broker rejects it without logging it (`BrokerOptions.checkedBy`). */
export const checkerId = 'latchd-check';

/** The result when a listener accepts the connection and closes it. */
const endedUnanswered = 'the connection was ended without an answer';
export const cutOff: ReadonlySet<string> = new Set([endedUnanswered, 'ECONNRESET', 'EPIPE']);

const patienceMs = 5_000;
const httpRequest = Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');

/**
 * Resolves with 'ok' or with what is wrong. HTTP must answer a request with 200, MQTT a CONNECT with any CONNACK: nobody logs in here.
 * `devices` may end the connection instead, which a process that hangs does not: this machine need not be in its networks. A
 * TLS handshake that is broken off would be logged, so the check completes it; a listener under attack that gives the handshake up counts
 * as reachable all the same.
 */
export function checkListener(options: {
  readonly scheme: Scheme;
  readonly host: string;
  readonly port: number;
  readonly timeoutMs?: number;
}): Promise<string> {
  const { scheme, port, timeoutMs = patienceMs } = options;
  // Not every system can connect to the address that means "every address".
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[options.host] ?? options.host;
  return new Promise((resolve) => {
    const isTls = scheme === 'https' || scheme === 'mqtts';
    const isHttp = scheme === 'http' || scheme === 'https';
    // The check sends no secret, so the certificate does not matter.
    const socket = isTls ? connectTls({ host, port, rejectUnauthorized: false }) : connect({ host, port });
    let isReached = false;
    let isOpen = false;
    const end = (result: string) => {
      resolve(result);
      socket.destroy();
    };
    const isTurnedAway = (how: string) => scheme === 'devices' && isReached && cutOff.has(how);
    const brokenOff = (how: string) => end((isTls && isReached && !isOpen) || isTurnedAway(how) ? 'ok' : how);
    socket.setTimeout(timeoutMs, () => end(`no answer within ${timeoutMs / 1_000} s`));
    socket.on('error', (error: NodeJS.ErrnoException) => brokenOff(error.code ?? error.message));
    socket.once('end', () => brokenOff(endedUnanswered));
    socket.once('connect', () => {
      isReached = true;
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      isOpen = true;
      socket.write(isHttp ? httpRequest : mqttConnect());
    });
    socket.once('data', (start) => {
      const isAnswer = isHttp ? start.toString('latin1').startsWith('HTTP/1.1 200 ') : start[0] === connackByte;
      end(isAnswer ? 'ok' : 'an unexpected answer');
    });
  });
}

const connackByte = 0x20;

/** MQTT 3.1.1 section 3.1: a clean session, no username, a keep alive of a minute. */
function mqttConnect(): Buffer {
  const body = Buffer.concat([
    Buffer.from('\0\x04MQTT\x04\x02\0\x3c', 'latin1'),
    Buffer.from([0, checkerId.length]),
    Buffer.from(checkerId),
  ]);
  return Buffer.concat([Buffer.from([0x10, body.length]), body]);
}
