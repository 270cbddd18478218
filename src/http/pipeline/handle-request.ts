// Handles one request from arrival to answer, with the checks in the order of HTTP API 1.4:
// path, method, authentication, Accept, parameters. The services check existence and rights.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChangeWait } from '../../domain/change-wait.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError, type ParameterProblem } from '../../domain/errors.ts';
import { doorsAlone, notServing } from '../../domain/lease.ts';
import type { Log } from '../../domain/part.ts';
import { cameTooLate, isFromPeer } from '../peers/peer-requests.ts';
import { createAccessLog } from './access-log.ts';
import type { Authenticate } from './authenticate.ts';
import { readTextBody } from './body-bytes.ts';
import { ClosedConnectionSignal } from './cancel-signal.ts';
import { clientOf } from './client.ts';
import { effectOf } from './effect.ts';
import { createFacadeAdmission } from './facade-admission.ts';
import { preferredOf, requireAccepted, requireOneHost } from './headers.ts';
import { readJsonBody, strangersBytesAtMost } from './json-body.ts';
import { invalidParameters, problemOf } from './problem.ts';
import { pathOf, rawParameters } from './raw-query.ts';
import { newRequestId, type RequestContext } from './request-context.ts';
import type { Rank, RequestScheduler } from './request-scheduler.ts';
import type { Answer, AnyAnswer, FacadeRoute, Route, SignInRoute, StreamRoute } from './route.ts';
import type { RouteMatch } from './route-table.ts';
import { json, type Sender, uncached } from './sender.ts';
import { servedPage } from './served-page.ts';
import { createWithoutLease, needsLease, type WithoutLeasePorts } from './without-lease.ts';

/** Answers a request; never throws. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A request that has ended, for the metrics. */
export interface EndedRequest {
  readonly method: string;
  /** The path as the route table writes it; undefined for an unknown path. */
  readonly route: string | undefined;
  /** undefined: the client was gone before its answer. */
  readonly status: number | undefined;
  readonly ms: number;
}

interface RequestHandlerOptions extends Omit<WithoutLeasePorts, 'refuse'> {
  readonly clock: Clock;
  readonly turns: RequestScheduler;
  readonly log: Log;
  readonly authenticate: Authenticate;
  readonly sender: Sender;
  readonly find: (path: string) => RouteMatch | undefined;
  /** Throws for a Host that is none of this gateway's. */
  readonly requireHost: (request: IncomingMessage) => void;
  readonly onEnd: ((ended: EndedRequest) => void) | undefined;
  readonly changes: ChangeWait;
}

const problemJson = 'application/problem+json';

const none: Readonly<Record<string, string>> = {};

/** More than any client sends. Node limits the bytes of all headers, too. */
const headersAtMost = 1_000;
const tooManyHeaders = new DomainError('too-large', `there must not be more than ${headersAtMost} headers`);

/**
 * Creates the function that handles each request: its checks, its answer or problem, its one line in the log. It answers whatever a
 * handler throws and never throws on. It calls `onEnd` for each request that has ended.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { send, sendText, sendVersioned, sendPieces } = options.sender;
  const writeAccessLog = createAccessLog(options);
  const { clock, turns, log, authenticate, onKnown, find, requireHost, lease, onEnd, changes } = options;
  const withoutLease = createWithoutLease({ ...options, refuse });
  const admitToFacade = createFacadeAdmission({ turns, onKnown, respond, refuse });
  return (request, response) => {
    const found = find(pathOf(request.url ?? ''));
    const context: RequestContext = {
      requestId: newRequestId(),
      isForwarded: false,
      request,
      response,
      found,
      needsLease: needsLease(found),
      startedAt: clock.monotonic(),
      route: undefined,
      facade: undefined,
      admission: undefined,
      caller: undefined,
      account: undefined,
      code: undefined,
      parameters: none,
    };
    // 'close' comes once, and `once` would wrap the listener.
    response.on('close', () => note(context));
    take(context);
  };

  function take(context: RequestContext): void {
    try {
      const admitted = admit(context);
      if (admitted === 'elsewhere') void withoutLease.sendOn(context).then((isHere) => isHere && take(context));
      else if (typeof admitted === 'string') turns.take(admitted, () => void respond(context));
      else void admitToFacade(context, admitted);
    } catch (error) {
      turns.take('stranger', () => refuse(context, error));
    }
  }

  /** Makes the first checks, which decide how urgent the request is; a facade decides that itself. */
  function admit(context: RequestContext): Rank | FacadeRoute | 'elsewhere' {
    const { request, found } = context;
    if (request.rawHeaders.length > 2 * headersAtMost) throw tooManyHeaders;
    // The node that sent it on has looked at Host.
    if (isFromPeer(request)) withoutLease.takeFromNode(context);
    else {
      requireOneHost(request.rawHeaders, request.httpVersion);
      // A health check may use any name in Host: it learns nothing but that the process answers.
      if (found?.resource.path !== '/healthz') requireHost(request);
    }
    if (withoutLease.isElsewhere(context)) return 'elsewhere';
    if (found === undefined) throw new DomainError('not-found', 'there is nothing at this path');
    const { resource } = found;
    const route = resource.routes.get(request.method ?? '');
    if (route === undefined) throw new DomainError('method-not-allowed', `this path takes ${resource.allow}`);
    if ('admit' in route) {
      route.requireSafeWay(request);
      context.facade = route;
      return route;
    }
    context.route = route;
    if ('open' in route || 'isSignIn' in route) return 'stranger';
    const caller = authenticate(request);
    context.caller = caller;
    context.account = caller.username;
    onKnown(context, caller.accountId);
    return effectOf(route, request.method) === 'door' ? 'door' : 'known';
  }

  async function respond(context: RequestContext): Promise<void> {
    try {
      const answered = await answer(context);
      if (answered === undefined) return;
      if (effectOf(context.facade ?? context.route, context.request.method) === 'change') await changes.settled();
      withoutLease.requireStillServing(context);
      if ('version' in answered) return await sendVersioned(context, answered);
      if ('text' in answered) return sendText(context, answered);
      if ('pieces' in answered) return await sendPieces(context, answered);
      const { status = 200, headers = [], body } = answered;
      send(context, status, ['Content-Type', json, ...uncached, ...headers], JSON.stringify(body));
    } catch (error) {
      refuse(context, error);
    }
  }

  /** undefined: the answer is a stream that goes on, and its handler owns it now. */
  async function answer(context: RequestContext): Promise<AnyAnswer | undefined> {
    const { request, response, found, route, caller, admission } = context;
    if (admission !== undefined) {
      const { parameters, handle } = admission.read();
      context.parameters = parameters;
      const answered = await handle(new ClosedConnectionSignal(response));
      context.account ??= answered.account;
      return answered;
    }
    const { pathValues = {} } = found ?? {};
    if (route === undefined) throw new Error('a request without a route was not refused');
    if ('open' in route) return route.handle(pathValues);
    if ('isSignIn' in route) return signIn(context, route);
    if (caller === undefined) throw new Error('a request without a caller was not refused');
    const answerType = 'begin' in route ? route.mediaType : (route.answerType ?? 'application/json');
    const mediaType = preferredOf(request.headers.accept, answerType, 'otherType' in route ? route.otherType : undefined);
    const problems: ParameterProblem[] = [];
    const raw = rawParameters(request.url ?? '', pathValues, route.parameters.names, problems);
    const parameters = route.parameters.read(raw, problems);
    if ('begin' in route) return begin(context, route, problems);
    // A request without a body goes on in this very turn, so that the commands of many callers leave together.
    const body = route.body || route.textBody ? await readBody(request, route, problems) : undefined;
    if (problems.length > 0) throw invalidParameters(problems);
    context.parameters = raw;
    const gone = new ClosedConnectionSignal(response);
    // The address is for the audit log, in which reading leaves no line.
    if (route.method === 'GET') return await route.handle({ caller, parameters, body, gone, mediaType });
    const asking = { ...caller, address: clientOf(request).address };
    return await route.handle({ caller: asking, parameters, body, gone, mediaType, page: servedPage(request) });
  }

  async function signIn(context: RequestContext, route: SignInRoute): Promise<Answer> {
    const { request } = context;
    requireAccepted(request.headers.accept, 'application/json');
    const problems: ParameterProblem[] = [];
    const body = route.body?.read(await readJsonBody(request, problems, strangersBytesAtMost), problems);
    if (problems.length > 0) throw invalidParameters(problems);
    const { caller, ...answer } = await route.handle(request, body);
    context.account = caller?.username;
    return answer;
  }

  function begin(context: RequestContext, route: StreamRoute, problems: readonly ParameterProblem[]): undefined {
    const { request, response, requestId } = context;
    if (problems.length > 0) throw invalidParameters(problems);
    withoutLease.requireStillServing(context);
    // It may have waited for its turn, and the token may be gone: whoever takes it away ends the streams that are there.
    const caller = authenticate(request);
    // The stream ends with its connection, so it needs no chunked encoding. X-Accel-Buffering asks proxies not to buffer it.
    const head = ['Content-Type', route.mediaType, ...uncached, 'X-Accel-Buffering', 'no', 'Connection', 'close'];
    if (request.method === 'HEAD') {
      send(context, 200, head);
      return undefined;
    }
    const open = () => {
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, [...head, 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestId]);
      response.flushHeaders();
      return response;
    };
    route.begin({ caller, headers: request.headers, authenticate: () => authenticate(request), open });
    return undefined;
  }

  function note({ requestId, isForwarded, request, response, found, startedAt, account, code, parameters }: RequestContext): void {
    const { method = '', url = '' } = request;
    const route = found?.resource.path;
    const status = response.writableFinished ? response.statusCode : undefined;
    const ms = clock.monotonic() - startedAt;
    const reading = found?.resource.routes.get('GET');
    const isOpen = reading !== undefined && 'open' in reading;
    onEnd?.({ method, route, status, ms });
    const path = route ?? pathOf(url);
    writeAccessLog({ requestId, method, path, known: found !== undefined, isOpen, isForwarded, parameters, account, status, code, ms });
  }

  function refuse(context: RequestContext, error: unknown): void {
    const { requestId, request, found, facade, route } = context;
    context.needsLease = false;
    const isQuestion = effectOf(facade ?? route, request.method) === 'read';
    const refusal = facade?.refusal(error);
    const problem = problemOf(error, requestId, error === tooManyHeaders ? 431 : undefined);
    context.code = refusal?.code ?? problem.code;
    if (context.code === 'internal-error') log.error({ code: 'bug', requestId, err: error }, 'a request failed because of a bug');
    if (
      context.code === 'storage-unavailable' &&
      lease.leftMs() > 0 &&
      error !== cameTooLate &&
      error !== notServing &&
      error !== doorsAlone
    )
      log.warn(
        { code: 'change-refused', requestId, reason: error instanceof Error ? error.message : String(error) },
        `${isQuestion ? 'a question was not answered' : 'a change was refused'} because of the disk or the database: the reason says which`,
      );
    if (refusal !== undefined) {
      sendText(context, refusal.answer);
      return;
    }
    const headers = problem.status === 405 && found !== undefined ? ['Allow', found.resource.allow] : problem.headers;
    send(context, problem.status, ['Content-Type', problemJson, ...uncached, ...headers], problem.body);
  }
}

async function readBody(request: IncomingMessage, { body, textBody }: Route, problems: ParameterProblem[]): Promise<unknown> {
  if (textBody !== undefined && problems.length === 0) return readTextBody(request, textBody);
  return body?.read(await readJsonBody(request, problems), problems);
}
