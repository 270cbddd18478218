// The shape of a row of the route tables, and the answers that handlers give.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/account.ts';
import type { CancelSignal } from '../../domain/cancel-signal.ts';
import type { OperationId } from '../openapi/operations.ts';
import type { RequestEffect } from './effect.ts';
import type { PathValues } from './raw-query.ts';
import type { Rank } from './request-scheduler.ts';
import type { ServedPage } from './served-page.ts';
import type { Validated } from './validate.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request that has passed every check of the HTTP layer. */
export interface Asked<P, B> {
  readonly caller: Caller;
  readonly parameters: P;
  readonly body: B;
  /** Where the page of the request was served from; absent for reading, and for requests that come from no page. */
  readonly page?: ServedPage;
  /** Aborted when the client closes the connection before its answer. */
  readonly gone: CancelSignal;
  /** Which of the two types of a route the client would rather have; of any other route its only one. */
  readonly mediaType: string;
}

export interface Answer {
  /** 200 when absent. */
  readonly status?: number;
  /** Name, value, name, value. */
  readonly headers?: readonly string[];
  readonly body: object;
}

/** An answer that is made once for many requests, or that is not JSON. */
export interface TextAnswer {
  readonly contentType: string;
  readonly text: string | Buffer;
  /** The same, compressed, for clients that accept gzip. */
  readonly gzipped?: Buffer;
  /** Identifies this very text, quotes included: a client that has it already gets 304 without the text. */
  readonly etag?: string;
  /** Name, value, name, value. */
  readonly headers?: readonly string[];
  /** The path changes with the content, so that a client may cache it for good. */
  readonly isImmutable?: boolean;
}

/** An answer that is made only for a client that does not have this version of it already. */
export interface VersionedAnswer {
  /** Opaque letters and digits; another one whenever the answer may be another. */
  readonly version: string;
  /** The answer as JSON. */
  text(): Promise<string>;
}

/**
 * An answer that is made while it is sent. What `pieces` throws before its first piece is answered as a problem; an error after that cuts
 * the connection. When the client leaves, `pieces` is ended (`return`).
 */
export interface StreamedAnswer {
  readonly contentType: string;
  readonly pieces: AsyncIterable<string | Buffer>;
  /** Name, value, name, value. */
  readonly headers?: readonly string[];
}

/** What all endpoints with a token share. `path` is written as in OpenAPI, `/locks/{lockId}`; `parameters` covers path and query string. */
interface TokenRoute<P, B> {
  readonly method: Method;
  readonly path: string;
  /** The operation in the OpenAPI document, described in the `-docs.ts` beside the route table. */
  readonly operation: OperationId;
  readonly parameters: Validated<P>;
  /** undefined: the endpoint ignores a body. */
  readonly body: Validated<B> | undefined;
}

/** A body that is text instead of JSON. */
export interface TextBody {
  /** The first one is in the document. */
  readonly mediaTypes: readonly [string, ...string[]];
  readonly bytesAtMost: number;
}

export type AnyAnswer = Answer | TextAnswer | StreamedAnswer | VersionedAnswer;

/** One endpoint. */
export interface Route<P = unknown, B = unknown> extends TokenRoute<P, B> {
  /** The body is a text, which `handle` gets as a string. */
  readonly textBody?: TextBody;
  /** What it answers, when that is not JSON. */
  readonly answerType?: string;
  /** A second type of its answers, besides JSON. */
  readonly otherType?: string;
  handle(asked: Asked<P, B>): AnyAnswer | Promise<AnyAnswer>;
}

/** An endpoint whose answer is a stream: it goes on until one side closes it. */
export interface StreamRoute extends TokenRoute<unknown, undefined> {
  readonly mediaType: 'text/event-stream';
  /** An error that it throws before it calls `open` is answered as a problem. */
  begin(stream: {
    readonly caller: Caller;
    readonly headers: IncomingHttpHeaders;
    /** Who asks, with the rights of the moment. Throws when the token or sign-in of the request is no longer valid. */
    readonly authenticate: () => Caller;
    /** Sends the head of the answer; from then on the caller writes its body. */
    readonly open: () => ServerResponse;
  }): void;
}

/** An endpoint about the sign-in of a browser: it authenticates the request itself. */
export interface SignInRoute<B = unknown> extends TokenRoute<unknown, B> {
  readonly isSignIn: true;
  /** `caller` is who is signed in now, for the log. */
  handle(request: IncomingMessage, body: B): Promise<Answer & { readonly caller?: Caller }>;
}

export type AnyRoute = Route | StreamRoute | SignInRoute | OpenRoute;

/** What an endpoint of a facade answers; `account` is who has signed in by it, for the log. */
export type FacadeAnswer = (TextAnswer | StreamedAnswer) & { readonly account?: string };

/** A request that a facade has let in. */
export interface Admission {
  readonly rank: Rank;
  /** undefined: nobody was authenticated. */
  readonly caller: Caller | undefined;
  /** Judges the rest of the request, once its turn has come; `parameters` have passed, and are for the log. */
  read(): { readonly parameters: Readonly<Record<string, string>>; handle(gone: CancelSignal): Promise<FacadeAnswer> };
}

/** An endpoint in the language of another system: it authenticates by its own parameters, and says errors in its own words. */
export interface FacadeRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Of both methods the same: programs of other systems unlock by GET, too. */
  readonly effect: RequestEffect;
  /** Throws a problem of our own language for a request that comes by a way that is not safe enough. */
  requireSafeWay(request: IncomingMessage): void;
  /** The body as a text; rejects for one that cannot be read. */
  readBody(request: IncomingMessage): Promise<string>;
  /** Authenticates; throws what `refusal` has words for. */
  admit(request: IncomingMessage, body: string): Admission;
  /** The answer to what any of the steps above threw, with a code for the log; undefined: a problem of our own language. */
  refusal(error: unknown): { readonly answer: TextAnswer; readonly code: string } | undefined;
}

export type ServedRoute = AnyRoute | FacadeRoute;

/** An endpoint for everybody, without token or Accept. */
export interface OpenRoute {
  readonly method: 'GET';
  readonly path: string;
  readonly operation: OperationId;
  readonly open: true;
  /** `pathValues` as they were sent, percent-encoded. */
  handle(pathValues: PathValues): Answer | Promise<TextAnswer>;
}

/** An endpoint whose input is only in the path and query string. */
export function route<P>(
  method: Method,
  path: string,
  operation: OperationId,
  parameters: Validated<P>,
  handle: (asked: Asked<P, undefined>) => Answer | VersionedAnswer | Promise<Answer | TextAnswer>,
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

/** An endpoint that takes a text in place of JSON. */
export function textRoute<P>(
  method: Method,
  path: string,
  operation: OperationId,
  parameters: Validated<P>,
  textBody: TextBody,
  handle: (asked: Asked<P, string>) => Answer | Promise<Answer>,
): Route {
  return { method, path, operation, parameters, body: undefined, textBody, handle: (asked) => handle(asked as Asked<P, string>) };
}

/** An endpoint that answers a text in place of JSON. */
export function textAnswerRoute<P>(
  path: string,
  operation: OperationId,
  parameters: Validated<P>,
  answerType: string,
  handle: (asked: Asked<P, undefined>) => Promise<TextAnswer>,
): Route {
  return {
    method: 'GET',
    path,
    operation,
    parameters,
    body: undefined,
    answerType,
    handle: (asked) => handle(asked as Asked<P, undefined>),
  };
}

/** An endpoint that answers JSON, or this other type to a client that would rather have that. */
export function twoTypesRoute<P>(
  path: string,
  operation: OperationId,
  parameters: Validated<P>,
  otherType: string,
  handle: (asked: Asked<P, undefined>) => Promise<Answer | StreamedAnswer>,
): Route {
  return {
    method: 'GET',
    path,
    operation,
    parameters,
    body: undefined,
    otherType,
    handle: (asked) => handle(asked as Asked<P, undefined>),
  };
}

/** 200 with this object. */
export function ok(body: object): Answer {
  return { body };
}

/** 201 with the object that was created. */
export function created(body: object): Answer {
  return { status: 201, body };
}

const success: Answer = { body: { success: true } };

/** 200 with `{"success":true}` once `work` is done. */
export async function done(work: Promise<void>): Promise<Answer> {
  await work;
  return success;
}
