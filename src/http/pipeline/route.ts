// The shape of a line in the route tables, and the answers that handlers give.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/account.ts';
import type { CancelSignal } from '../../domain/ports.ts';
import type { OperationId } from '../openapi/operations.ts';
import type { PathValues } from './raw-query.ts';
import type { Validated } from './validate.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request that has passed every check of this layer. */
export interface Asked<P, B> {
  readonly caller: Caller;
  readonly parameters: P;
  readonly body: B;
  /** Aborted when the client is gone before its answer. */
  readonly gone: CancelSignal;
}

export interface Answer {
  /** 200 when absent. */
  readonly status?: number;
  /** Name, value, name, value. */
  readonly headers?: readonly string[];
  readonly body: object;
}

/** What is not made for each request anew, or is not JSON. */
export interface TextAnswer {
  readonly contentType: string;
  readonly text: string | Buffer;
  /** The same, compressed, for who takes it so. */
  readonly gzipped?: Buffer;
  /** Names this very text, quotes included: who has it already is told so, and nothing else. */
  readonly etag?: string;
  /** Name, value, name, value. */
  readonly headers?: readonly string[];
  /** Its name changes with it, so that nobody has to ask for it again. */
  readonly isImmutable?: boolean;
}

/** What every endpoint with a token is. `path` is written as in OpenAPI, `/locks/{lockId}`; `parameters` covers path and query string. */
interface TokenRoute<P, B> {
  readonly method: Method;
  readonly path: string;
  /** What the document of the API says of it, in the `-docs.ts` beside its table. */
  readonly operation: OperationId;
  readonly parameters: Validated<P>;
  /** undefined: the endpoint takes no body, and ignores one. */
  readonly body: Validated<B> | undefined;
}

/** One endpoint. */
export interface Route<P = unknown, B = unknown> extends TokenRoute<P, B> {
  handle(asked: Asked<P, B>): Answer | Promise<Answer>;
}

/** An endpoint whose answer has no end: it goes on until one side has enough. */
export interface StreamRoute extends TokenRoute<unknown, undefined> {
  readonly mediaType: 'text/event-stream';
  /** What it throws before `open` is answered as a refusal. */
  begin(stream: {
    readonly caller: Caller;
    readonly headers: IncomingHttpHeaders;
    /** Whether the request would still be let in; else throws. */
    readonly authenticate: () => void;
    /** Sends the head of the answer; its body is the caller's from then on. */
    readonly open: () => ServerResponse;
  }): void;
}

/** An endpoint about the sign-in of a browser: it finds out by itself who asks. */
export interface SignInRoute<B = unknown> extends TokenRoute<unknown, B> {
  readonly isSignIn: true;
  handle(request: IncomingMessage, body: B): Promise<Answer & { readonly caller: Caller }>;
}

export type AnyRoute = Route | StreamRoute | SignInRoute | OpenRoute;

/** An endpoint that anybody may ask, without token or Accept. */
export interface OpenRoute {
  readonly method: 'GET';
  readonly path: string;
  readonly operation: OperationId;
  readonly open: true;
  /** `pathValues` as they were sent, percent-encoded. */
  handle(pathValues: PathValues): Answer | Promise<TextAnswer>;
}

/** An endpoint that takes all it needs from path and query string. */
export function route<P>(
  method: Method,
  path: string,
  operation: OperationId,
  parameters: Validated<P>,
  handle: (asked: Asked<P, undefined>) => Answer | Promise<Answer>,
): Route {
  return { method, path, operation, parameters, body: undefined, handle } satisfies Route<P, undefined> as Route;
}

/** An endpoint that takes a JSON body. */
export function bodyRoute<P, B>(
  method: Method,
  path: string,
  operation: OperationId,
  parameters: Validated<P>,
  body: Validated<B>,
  handle: (asked: Asked<P, B>) => Answer | Promise<Answer>,
): Route {
  return { method, path, operation, parameters, body, handle } satisfies Route<P, B> as Route;
}

/** 200 with this object. */
export function ok(body: object): Answer {
  return { body };
}

/** 201 with the object that was made. */
export function created(body: object): Answer {
  return { status: 201, body };
}

const success: Answer = { body: { success: true } };

/** 200 `{"success":true}` once `work` is done. */
export async function done(work: Promise<void>): Promise<Answer> {
  await work;
  return success;
}
