// Requests with bodies, one after the other: how long each takes, what it costs, and for how long the daemon's loop stands still.
import type { Address, Daemon } from '../daemon.ts';
import { cpuMs } from '../processes.ts';
import { median } from '../rounds.ts';
import { type HttpClient, openHttpClients } from './http-client.ts';

export interface Asked {
  readonly method: 'POST' | 'PUT' | 'DELETE' | 'GET';
  readonly path: string;
  readonly body?: object;
}

export interface Changed extends Pick<Daemon, 'watchLoop'> {
  readonly http: Address;
  readonly pid: number;
  readonly token: string;
}

/** Sends one request and resolves with the status of its answer. */
function ask(client: HttpClient, token: string, { method, path, body }: Asked): Promise<number> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const about = `${text === '' ? '' : 'Content-Type: application/json\r\n'}Content-Length: ${Buffer.byteLength(text)}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`;
  return new Promise((resolve) => client.ask(`${head}${about}\r\n${text}`, resolve));
}

export interface Cost {
  /** The longest stop of the event loop, in milliseconds. */
  readonly stopMs: number;
  /** From a request to its answer, the median, in milliseconds. */
  readonly answerMs: number;
  /** CPU of the process for one change, in microseconds. */
  readonly cpuMicros: number;
}

/** Makes the first half of the changes while the loop is watched, and the second half alone, for time and CPU. */
export async function costOf(place: Changed, changes: readonly Asked[]): Promise<Cost> {
  const [client] = (await openHttpClients(place.http, 1)) as [HttpClient];
  const half = Math.ceil(changes.length / 2);
  const stopWatching = await place.watchLoop();
  await make(client, place.token, changes.slice(0, half));
  const stopMs = await stopWatching();
  const before = cpuMs(place.pid);
  const answers = await make(client, place.token, changes.slice(half));
  const cpuMicros = ((cpuMs(place.pid) - before) / answers.length) * 1_000;
  client.close();
  return { stopMs, answerMs: median(answers), cpuMicros };
}

/** How long each took, in milliseconds; rejects unless all are answered with 2xx. */
export async function make(client: HttpClient, token: string, changes: readonly Asked[]): Promise<number[]> {
  const answers: number[] = [];
  for (const change of changes) {
    const asked = performance.now();
    const status = await ask(client, token, change);
    if (status < 200 || status > 299) throw new Error(`${change.method} ${change.path} answered ${status}`);
    answers.push(performance.now() - asked);
  }
  return answers;
}
