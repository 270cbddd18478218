// A raw HTTP/1.1 client on one keep-alive connection, one request at a time: it reads the status and counts the bytes of
// the answer, nothing more.
import type { Address } from '../daemon.ts';
import { openSocket } from './socket.ts';

export type Answered = (status: number, bodyBytes: number) => void;

export interface HttpClient {
  /** Sends a whole request as it stands; one at a time. */
  ask(request: string, answered: Answered): void;
  isOpen(): boolean;
  close(): void;
}

async function openHttpClient(address: Address): Promise<HttpClient> {
  let answered: Answered | undefined;
  let head = '';
  let status = 0;
  let bodyBytes = 0;
  let missing = 0;
  let closed = false;

  function finish(): void {
    const done = answered;
    answered = undefined;
    done?.(status, bodyBytes);
  }

  const socket = await openSocket({
    ...address,
    onBytes(bytes) {
      // A 408 for a connection that was idle too long, and is closed now.
      if (answered === undefined) return;
      if (missing > 0) {
        missing -= bytes.length;
        if (missing === 0) finish();
        return;
      }
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head);
      if (length === null) throw new Error(`an answer without Content-Length: ${head.slice(0, end)}`);
      bodyBytes = Number(length[1]);
      missing = end + 4 + bodyBytes - head.length;
      head = '';
      if (missing === 0) finish();
    },
    onClose() {
      closed = true;
      status = 0;
      finish();
    },
  });

  return {
    ask(request, done) {
      if (closed) return done(0, 0);
      answered = done;
      socket.write(request, 'latin1');
    },
    isOpen: () => !closed,
    close: () => void socket.destroy(),
  };
}

export function openHttpClients(address: Address, count: number): Promise<HttpClient[]> {
  return Promise.all(Array.from({ length: count }, () => openHttpClient(address)));
}

/** Servers close what was idle for some seconds, as it is while others are measured: opens those anew. */
export async function reopen(clients: HttpClient[], address: Address): Promise<void> {
  for (const [index, client] of clients.entries()) if (!client.isOpen()) clients[index] = await openHttpClient(address);
}

/** A request without a body. */
export function requestText(method: string, path: string, token: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n${method === 'POST' ? 'Content-Length: 0\r\n' : ''}\r\n`;
}
