// Whether a listener of ours can really be reached, asked from outside: by a connection over the machine's own network.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

const timeoutMs = 5_000;
const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/**
 * Resolves with 'ok' or with what is wrong. HTTP must answer a request, with TLS, too. For MQTT being accepted is enough: a login that is refused would
 * be in the log each time, and under a storm whatever waits for an answer there would have doors restarted for being busy. With TLS the
 * handshake is made, because one that is broken off would be in the log, too; but a listener under attack that gives it up was reached all the same.
 */
export function checkListener(options: {
  readonly scheme: 'http' | 'https' | 'mqtt' | 'mqtts';
  readonly host: string;
  readonly port: number;
}): Promise<string> {
  const { scheme, port } = options;
  // Connecting to "every address" is not defined everywhere.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[options.host] ?? options.host;
  return new Promise((resolve) => {
    const isTls = scheme === 'https' || scheme === 'mqtts';
    const isHttp = scheme === 'http' || scheme === 'https';
    // Nothing is said there, so it does not matter whose certificate it is.
    const socket = isTls ? connectTls({ host, port, rejectUnauthorized: false }) : connect({ host, port });
    let wasReached = false;
    let isSecure = false;
    const end = (result: string) => {
      resolve(result);
      socket.destroy();
    };
    socket.setTimeout(timeoutMs, () => end(`no answer within ${timeoutMs / 1000} s`));
    socket.on('error', (error: NodeJS.ErrnoException) => end(gaveUp() ? 'ok' : (error.code ?? error.message)));
    socket.once('connect', () => {
      wasReached = true;
      if (scheme === 'mqtt') end('ok');
      if (scheme === 'http') socket.write(request);
    });
    socket.once('secureConnect', () => {
      isSecure = true;
      if (isHttp) {
        socket.write(request);
        return;
      }
      resolve('ok');
      // Not destroyed: the far end must see the last message of the handshake.
      socket.end();
    });
    if (isHttp) socket.once('data', (start) => end(start.toString('latin1').startsWith('HTTP/1.1 200 ') ? 'ok' : 'an unexpected answer'));
    else socket.resume();
    socket.once('end', () => end(gaveUp() ? 'ok' : 'the connection was ended without an answer'));

    function gaveUp(): boolean {
      return isTls && wasReached && !isSecure;
    }
  });
}
