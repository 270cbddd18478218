// Somebody who guesses passwords, from as many addresses as it takes that no limit by address ends it.
import type { Address } from '../daemon.ts';
import { openSocket } from './socket.ts';

const addresses = 200;
const tickMs = 10;
/** Each address guesses at another name, so that no limit by account ends it either. */
const namesEach = 50;

/** Guesses for so long; resolves with how many were answered, and how many of these the gateway computed a hash for. */
export async function guessPasswords(
  { host, port }: Address,
  perSecond: number,
  ms: number,
): Promise<{ readonly answered: number; readonly computed: number }> {
  let answered = 0;
  let computed = 0;
  const onBytes = (bytes: Buffer): void => {
    const text = bytes.toString('latin1');
    answered += text.split('HTTP/1.1 ').length - 1;
    computed += text.split('HTTP/1.1 401').length - 1;
  };
  const open = (n: number) => openSocket({ host, port, localAddress: `127.0.4.${1 + n}`, onBytes, onClose: () => undefined });
  const sockets = await Promise.all(Array.from({ length: addresses }, (_, n) => open(n)));
  const startedAt = performance.now();
  for (let made = 0; performance.now() - startedAt < ms; ) {
    for (const due = ((performance.now() - startedAt) * perSecond) / 1_000; made < due; made += 1) {
      const name = `user-${made % addresses}-${Math.floor(made / addresses) % namesEach}`;
      sockets[made % addresses]?.write(requestOf(host, name), 'latin1');
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  for (const socket of sockets) socket.destroy();
  return { answered, computed };
}

function requestOf(host: string, username: string): string {
  const body = `{"username":"${username}","password":"guess-guess-guess"}`;
  const head = `POST /api/v1/session HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  return `${head}\r\n\r\n${body}`;
}
