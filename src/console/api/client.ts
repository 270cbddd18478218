// Sends requests to the gateway. The browser adds the cookie of the sign-in, which no script can read, and `latchd-console` proves that the
// request comes from this page and not from another site's form.
import { Problem, problemOf } from './problem.ts';

/** An unlock waits in the lock's queue and for the lock's reply; no request takes longer than this, unless it says so. */
const answerWithinMs = 60_000;

type Query = Readonly<Record<string, string | number | undefined>>;
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A page of a list (HTTP API, Conventions). */
export interface Page<Row> {
  readonly list: readonly Row[];
  readonly pageNo: number;
  readonly pages: number;
  readonly total: number;
}

interface Request {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: object;
  /** A table, in place of `body`. */
  readonly csv?: string;
  /** Nobody waits for the answer any more when it is aborted. */
  readonly signal?: AbortSignal;
  /** It takes as long as it takes: what is not done yet when nobody waits any more is left undone. */
  readonly isPatient?: true;
}

export interface Client {
  /** Rejects only with a `Problem`. `path` is below `/api/v1/`. */
  ask<Answer>(method: Method, path: string, more?: Request): Promise<Answer>;
  get<Answer>(path: string, query?: Query): Promise<Answer>;
  /** The answer and its ETag; undefined: it is still the one with this ETag. */
  getChanged<Answer>(
    path: string,
    etag: string | undefined,
  ): Promise<{ readonly answer: Answer; readonly etag: string | undefined } | undefined>;
  /** An answer that is no JSON; `accept` is its media type. */
  text(path: string, query?: Query, accept?: string): Promise<string>;
  /** An answer that is a file; it takes as long as it takes. */
  file(path: string, body: object): Promise<Blob>;
  /** Reads an answer that goes on until `signal` is aborted. */
  stream(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? path : `${path}?${text}`;
}

async function jsonOf<Answer>(response: Response): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    throw new Problem('unreachable', String(error));
  }
}

/** `onSignedOut` is called when the gateway no longer accepts our cookie. */
export function createClient(onSignedOut: () => void): Client {
  async function request(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, 'latchd-console': '1' };
    let response: Response;
    try {
      response = await fetch(`api/v1/${path}`, { ...init, headers, cache: 'no-store', credentials: 'same-origin', redirect: 'error' });
    } catch (error) {
      throw new Problem('unreachable', String(error));
    }
    if (response.ok || response.status === 304) return response;
    const problem = await problemOf(response);
    // What is wrong with a password or an invitation is 401 as well.
    if (problem.code.startsWith('token-')) onSignedOut();
    throw problem;
  }

  const client: Client = {
    async ask<Answer>(method: Method, path: string, { query = {}, body, csv, signal, isPatient }: Request = {}) {
      const response = await request(withQuery(path, query), {
        method,
        headers: {
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
          ...(csv !== undefined && { 'content-type': 'text/csv' }),
        },
        body: body ? JSON.stringify(body) : (csv ?? null),
        // A removal is sent although the page is being closed.
        keepalive: method === 'DELETE',
        signal: AbortSignal.any([...(isPatient ? [] : [AbortSignal.timeout(answerWithinMs)]), ...(signal ? [signal] : [])]),
      });
      return jsonOf<Answer>(response);
    },
    async getChanged<Answer>(path: string, etag: string | undefined) {
      const headers = { accept: 'application/json', ...(etag && { 'if-none-match': etag }) };
      const response = await request(path, { headers, signal: AbortSignal.timeout(answerWithinMs) });
      if (response.status === 304) return undefined;
      return { answer: await jsonOf<Answer>(response), etag: response.headers.get('etag') ?? undefined };
    },
    get: (path, query) => client.ask('GET', path, query && { query }),
    async text(path, query = {}, accept = '*/*') {
      const response = await request(withQuery(path, query), { headers: { accept }, signal: AbortSignal.timeout(answerWithinMs) });
      return response.text();
    },
    async file(path, body) {
      const headers = { accept: 'application/octet-stream', 'content-type': 'application/json' };
      const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return response.blob().catch((error: unknown) => Promise.reject(new Problem('unreachable', String(error))));
    },
    async stream(path, headers, signal) {
      const response = await request(path, { headers: { accept: 'text/event-stream', ...headers }, signal });
      if (!response.body) throw new Problem('unreachable', 'no body');
      return response.body;
    },
  };
  return client;
}
