// Whether a listener of ours can really be reached, asked from outside: by a connection over the machine's own network.
import { connect } from 'node:net';

const timeoutMs = 5_000;

/**
 * Resolves with 'ok' or with what is wrong. With `http` a request must be answered; without, being accepted is enough: a login that
 * is refused, or a handshake that ends, would be in the log each time.
 */
export function checkListener(options: { readonly host: string; readonly port: number; readonly http: boolean }): Promise<string> {
  const { port, http } = options;
  // Connecting to "every address" is not defined everywhere.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[options.host] ?? options.host;
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (result: string) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end(`no answer within ${timeoutMs / 1000} s`));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once('connect', () => {
      if (http) socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      else end('ok');
    });
    socket.once('data', (start) => end(start.toString('latin1').startsWith('HTTP/1.1 200 ') ? 'ok' : 'an unexpected answer'));
    socket.once('end', () => end('the connection was ended without an answer'));
  });
}
