// Requests with bodies, one after the other, and how long the daemon answers nobody meanwhile.
import type { Address } from '../daemon.ts';
import { cpuMs, sleep } from '../processes.ts';
import { type HttpClient, openHttpClients } from './http-client.ts';

interface Asked {
  readonly method: 'POST' | 'PUT' | 'DELETE' | 'GET';
  readonly path: string;
  readonly body?: object;
}

/** Sends one request and resolves with the status of its answer. */
export function ask(client: HttpClient, token: string, { method, path, body }: Asked): Promise<number> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const about = `${text === '' ? '' : 'Content-Type: application/json\r\n'}Content-Length: ${Buffer.byteLength(text)}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`;
  return new Promise((resolve) => client.ask(`${head}${about}\r\n${text}`, resolve));
}

export interface Held {
  /** The longest that an answer of /healthz took, in milliseconds. */
  readonly longest: number;
  /** CPU of the process for one change, in microseconds. */
  readonly cpuMicros: number;
}

/**
 * Does these one after the other: the first half while another client asks /healthz all the time, the second half alone, for the CPU. Rejects
 * unless all are answered with 2xx.
 */
export async function whileChanging(
  { http, pid, token }: { readonly http: Address; readonly pid: number; readonly token: string },
  changes: readonly Asked[],
): Promise<Held> {
  const [changer, prober] = (await openHttpClients(http, 2)) as [HttpClient, HttpClient];
  const half = Math.ceil(changes.length / 2);
  async function make(some: readonly Asked[]): Promise<void> {
    for (const change of some) {
      const status = await ask(changer, token, change);
      if (status < 200 || status > 299) throw new Error(`${change.method} ${change.path} answered ${status}`);
    }
  }
  let isOver = false;
  const probing = longestAnswer(prober, token, () => isOver);
  await make(changes.slice(0, half));
  isOver = true;
  const longest = await probing;
  const before = cpuMs(pid);
  await make(changes.slice(half));
  const cpuMicros = ((cpuMs(pid) - before) / (changes.length - half)) * 1_000;
  for (const client of [changer, prober]) client.close();
  return { longest, cpuMicros };
}

async function longestAnswer(client: HttpClient, token: string, isOver: () => boolean): Promise<number> {
  let longest = 0;
  while (!isOver()) {
    const asked = performance.now();
    const status = await ask(client, token, { method: 'GET', path: '/healthz' });
    if (status !== 200) throw new Error(`/healthz answered ${status}`);
    longest = Math.max(longest, performance.now() - asked);
    await sleep(0);
  }
  return longest;
}
