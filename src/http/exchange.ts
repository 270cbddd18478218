// One request from arrival to answer, its checks in the order of HTTP API 1:
// path, method, authentication, Accept, parameters; existence and rights are the services' business.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Caller } from '../domain/account.ts';
import { DomainError, type ParameterProblem } from '../domain/errors.ts';
import type { Log } from '../domain/part.ts';
import type { Clock } from '../domain/ports.ts';
import type { TurnEnd } from '../domain/turn-end.ts';
import { writeAccessLog } from './access-log.ts';
import { type Authenticate, plainAddress } from './authenticate.ts';
import { ClientGone } from './client-gone.ts';
import { requireAccepted, requireOneHost } from './headers.ts';
import { readJsonBody } from './json-body.ts';
import { invalidParameters, problemOf } from './problem.ts';
import { pathOf, rawParameters } from './raw-query.ts';
import type { Answer, SignInRoute, StreamRoute, TextAnswer } from './route.ts';
import type { Found } from './route-table.ts';

/** Answers a request; never throws. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** For whoever counts requests. */
export interface EndedRequest {
  readonly method: string;
  /** As the route table writes it; undefined for a path that is in none. */
  readonly route: string | undefined;
  /** undefined: the client was gone before its answer. */
  readonly status: number | undefined;
  readonly ms: number;
}

interface Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Where the request goes; undefined: nowhere. */
  readonly found: Found | undefined;
  readonly startedAt: number;
  account: string | undefined;
  code: string | undefined;
  parameters: Readonly<Record<string, string>>;
}

/** An answer, with its head made, that is about to leave. */
interface Ending {
  readonly response: ServerResponse;
  readonly body: string | Buffer | undefined;
}

const json = 'application/json; charset=utf-8';
const problemJson = 'application/problem+json';

const sliceBytes = 16 * 1024;

/**
 * A text of so many characters leaves as bytes. As a string it would be copied whole each time it is measured, joined with its head or
 * written, into strings so large that V8 makes them old: four clients that read pages of 1,000 records took 50 MB more.
 */
const largeText = 64 * 1024;

const uncached = ['Cache-Control', 'no-store'];

const none: Readonly<Record<string, string>> = {};

/**
 * Makes the way of each request: its checks, its answer or problem, its one line in the log. Whatever a handler throws is answered
 * and never thrown on. `closing`: whether the server is stopping, so that connections end with their answer.
 * `onEnd` is told of each request that has ended.
 */
export function createServe(options: {
  clock: Clock;
  turnEnd: TurnEnd;
  log: Log;
  authenticate: Authenticate;
  find: (path: string) => Found | undefined;
  closing: () => boolean;
  onEnd: ((ended: EndedRequest) => void) | undefined;
}): Serve {
  const { clock, turnEnd, log, authenticate, find, closing, onEnd } = options;
  const respondSoon = turnEnd.together('requests', (exchange: Exchange) => void respond(exchange));
  const endSoon = turnEnd.together('answers', ({ response, body }: Ending) => response.end(body));

  return (request, response) => {
    const exchange: Exchange = {
      requestId: newRequestId(),
      request,
      response,
      found: find(pathOf(request.url ?? '')),
      startedAt: clock.monotonic(),
      account: undefined,
      code: undefined,
      parameters: none,
    };
    // Comes once; `once` would wrap it.
    response.on('close', () => note(exchange));
    respondSoon(exchange);
  };

  async function respond(exchange: Exchange): Promise<void> {
    try {
      const answered = await answer(exchange);
      if (answered === undefined) return;
      if ('text' in answered) return sendText(exchange, answered);
      const { status = 200, headers = [], body } = answered;
      send(exchange, status, ['Content-Type', json, ...uncached, ...headers], JSON.stringify(body));
    } catch (error) {
      refuse(exchange, error);
    }
  }

  /** undefined: the answer goes on, and is somebody else's now. */
  async function answer(exchange: Exchange): Promise<Answer | TextAnswer | undefined> {
    const { request, response, found } = exchange;
    requireOneHost(request.rawHeaders, request.httpVersion);
    if (found === undefined) throw new DomainError('not-found', 'there is nothing at this path');
    const { resource, pathValues } = found;
    const route = resource.routes.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
    if (route === undefined) throw new DomainError('method-not-allowed', `this path takes ${resource.allow}`);
    if ('open' in route) return route.handle(pathValues);
    if ('isSignIn' in route) return signIn(exchange, route);
    const caller = authenticate(request);
    exchange.account = caller.username;
    requireAccepted(request.headers.accept, 'begin' in route ? route.mediaType : 'application/json');
    const problems: ParameterProblem[] = [];
    const raw = rawParameters(request.url ?? '', pathValues, route.parameters.names, problems);
    const parameters = route.parameters.read(raw, problems);
    if ('begin' in route) return begin(exchange, route, caller, problems);
    const body = route.body?.read(await readJsonBody(request, problems), problems);
    if (problems.length > 0) throw invalidParameters(problems);
    exchange.parameters = raw;
    const gone = new ClientGone(response);
    if ('json' in route) return { contentType: json, text: await route.json({ caller, parameters, body: undefined, gone }) };
    // Who only reads leaves no line in the audit log.
    const asking = route.method === 'GET' ? caller : { ...caller, address: plainAddress(request) };
    return await route.handle({ caller: asking, parameters, body, gone });
  }

  async function signIn(exchange: Exchange, route: SignInRoute): Promise<Answer> {
    const { request } = exchange;
    requireAccepted(request.headers.accept, 'application/json');
    const problems: ParameterProblem[] = [];
    const body = route.body?.read(await readJsonBody(request, problems), problems);
    if (problems.length > 0) throw invalidParameters(problems);
    const { caller, ...answer } = await route.handle(request, body);
    exchange.account = caller.username;
    return answer;
  }

  function begin(exchange: Exchange, route: StreamRoute, caller: Caller, problems: readonly ParameterProblem[]): undefined {
    const { request, response, requestId } = exchange;
    if (problems.length > 0) throw invalidParameters(problems);
    // It ends with its connection, so it needs no framing of its own; proxies are asked not to gather it.
    const head = ['Content-Type', route.mediaType, ...uncached, 'X-Accel-Buffering', 'no', 'Connection', 'close'];
    if (request.method === 'HEAD') {
      send(exchange, 200, head);
      return undefined;
    }
    const open = () => {
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, [...head, 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestId]);
      response.flushHeaders();
      return response;
    };
    route.begin({ caller, headers: request.headers, authenticate: () => void authenticate(request), open });
    return undefined;
  }

  function note({ requestId, request, response, found, startedAt, account, code, parameters }: Exchange): void {
    const { method = '', url = '' } = request;
    const route = found?.resource.path;
    const status = response.writableFinished ? response.statusCode : undefined;
    const ms = clock.monotonic() - startedAt;
    const reading = found?.resource.routes.get('GET');
    const isOpen = reading !== undefined && 'open' in reading;
    onEnd?.({ method, route, status, ms });
    const path = route ?? pathOf(url);
    writeAccessLog(log, { requestId, method, path, known: found !== undefined, isOpen, parameters, account, status, code, ms });
  }

  function refuse(exchange: Exchange, error: unknown): void {
    const { requestId, found } = exchange;
    const problem = problemOf(error, requestId);
    exchange.code = problem.code;
    if (problem.code === 'internal-error') log.error({ code: 'bug', requestId, err: error }, 'a request failed because of a bug');
    if (problem.code === 'storage-unavailable')
      log.warn(
        { code: 'change-refused', requestId, reason: error instanceof Error ? error.message : String(error) },
        'a change was refused because of the disk',
      );
    const headers = problem.status === 405 && found !== undefined ? ['Allow', found.resource.allow] : problem.headers;
    send(exchange, problem.status, ['Content-Type', problemJson, ...uncached, ...headers], problem.body);
  }

  /** A text with an ETag may be kept, if it is asked for again each time whether it is still the same (RFC 9111 5.2.2.4). */
  function sendText(exchange: Exchange, { contentType, text, etag, headers = [], isImmutable = false }: TextAnswer): void {
    const kept = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
    const all = ['Content-Type', contentType, ...(etag === undefined ? uncached : ['Cache-Control', kept, 'ETag', etag]), ...headers];
    if (etag !== undefined && exchange.request.headers['if-none-match']?.includes(etag)) send(exchange, 304, all);
    else send(exchange, 200, all, text);
  }

  function send(exchange: Exchange, status: number, headers: readonly string[], body?: string | Buffer): void {
    const { requestId, response } = exchange;
    if (response.destroyed || response.headersSent) return;
    const outgoing = typeof body === 'string' && body.length >= largeText ? Buffer.from(body) : body;
    const length = outgoing === undefined ? [] : ['Content-Length', String(Buffer.byteLength(outgoing))];
    const all = [...headers, ...length, 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestId];
    if (closing()) all.push('Connection', 'close');
    response.writeHead(status, all);
    // A slow reader of something large must not have all of it in our memory, which TLS would copy for each.
    if (typeof body === 'object' && exchange.request.method !== 'HEAD') Readable.from(slices(body)).pipe(response);
    else endSoon({ response, body: outgoing });
  }
}

function* slices(body: Buffer): Iterable<Buffer> {
  for (let start = 0; start < body.length; start += sliceBytes) yield body.subarray(start, start + sliceBytes);
}

/** Names one request in its answer and in the log; never taken from the client. 48 random bits, which Node draws in batches. */
export function newRequestId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(9, 13);
}
