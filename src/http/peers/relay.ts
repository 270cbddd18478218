// One request on its way to another node, and its answer on the way back. Whatever may have begun there is not sent again. The body is sent when
// the other node asks for it (100 Continue), which it does once it has taken the request: until then the client's request is untouched here.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { AccountId } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError, invalidParameter } from '../../domain/errors.ts';
import { clientOf } from '../pipeline/client.ts';
import { outcomeUnknown, type RequestEffect } from '../pipeline/effect.ts';
import type { Peer } from './peer.ts';
import { accountHeader, notBegunHeader, peerHeaders } from './peer-requests.ts';

const connectMs = 3_000;
/** As long as a client may be silent (`http/pipeline/endpoint.ts`). */
const silenceMs = 150_000;

/** Of one connection, or said by this node in its own words. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'expect', 'x-forwarded-for', 'x-forwarded-proto'],
  ...Object.values(peerHeaders),
]);
/** Without a length Node sends all other ones in chunks. */
const withoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
const bodyHeaders: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'content-type', 'host']);
const answerHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', accountHeader, notBegunHeader]);

const notAnswered = 'The node that serves does not answer; nothing was done. Ask again, or ask another node';

/** No byte of the request was sent, or the other node has refused it before it looked at it: it may be sent to the next one. */
export class NotBegun extends DomainError {
  constructor() {
    super('storage-unavailable', notAnswered, { retryAfterSeconds: 1 });
  }
}

/** What the other node says of a request beside its answer. */
interface AnswerHead {
  readonly requestId: string | undefined;
  /** Whose valid token it has found. */
  readonly accountId: AccountId | undefined;
  /** Whether the answer goes on until somebody ends it. */
  readonly isStream: boolean;
}

export interface RelayOptions {
  readonly effect: RequestEffect;
  readonly clock: Pick<Clock, 'timer'>;
  /** On the clock of the other node. */
  readonly expires: number;
  /** When at the latest it is on its way; a node that takes no connection for 3 s takes none. */
  readonly beginsInMs: number;
  /** Of a door: when its caller is answered whatever happens. */
  readonly endsInMs: number | undefined;
  /** Whether the answer ends the connection of the client. */
  readonly isClosing: boolean;
  /** Called when it has a connection, or will have none. */
  readonly onConnection: () => void;
  /** Called before the answer. */
  readonly onHead: (head: AnswerHead) => void;
}

/** Resolves when the answer is sent, or the client has left. Rejects with `NotBegun`, with an `OutcomeUnknown`, or of what only reads with `storage-unavailable`. */
export function relay(peer: Peer, request: IncomingMessage, response: ServerResponse, options: RelayOptions): Promise<void> {
  const { effect, clock, expires, beginsInMs, endsInMs, isClosing, onConnection, onHead } = options;
  return new Promise((resolve, reject) => {
    const asked = begin(peer, request, expires);
    const end = () => void asked.destroy();
    const left = () => {
      if (!response.writableFinished) end();
    };
    let mayHaveBegun = false;
    let isRefused = false;
    const cancelConnect = clock.timer(Math.max(0, Math.min(connectMs, beginsInMs)), () => {
      if (!mayHaveBegun) end();
    });
    const cancelEnd = endsInMs === undefined ? () => undefined : clock.timer(Math.max(0, endsInMs), end);
    asked.setTimeout(silenceMs, end);
    asked.once('close', () => {
      onConnection();
      cancelConnect();
      cancelEnd();
      response.off('close', left);
    });
    asked.once('socket', (socket) => {
      const begins = () => {
        mayHaveBegun = true;
        onConnection();
      };
      // Before the handshake has ended the other node knows nothing of the request.
      if ('secureConnecting' in socket && socket.secureConnecting === true) socket.once('secureConnect', begins);
      else begins();
    });
    // The way through two nodes has more listeners than Node takes for usual; it would warn of each request.
    response.setMaxListeners(20);
    response.once('close', left);
    asked.on('error', () => {
      if (isRefused) return;
      if (!response.destroyed && !response.headersSent) return reject(mayHaveBegun ? unanswered(effect) : new NotBegun());
      response.destroy();
      resolve();
    });
    asked.once('continue', () => request.pipe(asked));
    asked.once('response', (answer) => {
      cancelEnd();
      if (response.destroyed) return resolve();
      if (answer.headers[notBegunHeader] !== undefined) {
        isRefused = true;
        end();
        return reject(new NotBegun());
      }
      const head = headOf(request, answer);
      onHead(head);
      writeHead(response, answer, head.isStream, isClosing);
      passOn(answer, response, () => {
        // Answered before the whole request has come: nobody reads the rest, and the connection to the other node must not wait for it.
        if (!asked.writableEnded) {
          request.unpipe(asked).resume();
          end();
        }
        resolve();
      });
    });
    if (hasLength(request)) asked.flushHeaders();
    else asked.end();
  });
}

/**
 * The answer goes to the client, whose leaving ends the request. Whatever breaks off an answer ends the connection of the client, who sees that it is
 * not whole. `onOver`: called once, when the answer is sent or the client has left. `pipeline` says the same at three times the price.
 */
function passOn(answer: IncomingMessage, response: ServerResponse, onOver: () => void): void {
  answer.on('error', ignore);
  answer.once('close', () => {
    if (!answer.readableEnded) response.destroy();
  });
  // Of bytes that come between the end of its connection and its close, which ends the way.
  response.on('error', ignore);
  response.once('close', onOver);
  answer.pipe(response);
}

/** Its close says it. */
function ignore(): void {}

/** Of a request that may have begun. */
export function unanswered(effect: RequestEffect): DomainError {
  return effect === 'read'
    ? new DomainError('storage-unavailable', notAnswered, { retryAfterSeconds: 1 })
    : outcomeUnknown(effect, 'the node that serves did not answer');
}

function begin(peer: Peer, request: IncomingMessage, expires: number): ClientRequest {
  try {
    return peer.ask(request.method ?? '', request.url ?? '', headersFor(request, expires));
  } catch (error) {
    throw invalidParameter('headers', `cannot be sent on: ${(error as Error).message}`);
  }
}

/** The headers that belong to one connection because `Connection` names them (RFC 9110 section 7.6.1); those of the body always go on. */
function namedIn(connection = ''): readonly string[] {
  return connection
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !bodyHeaders.has(name));
}

function headersFor(request: IncomingMessage, expires: number): readonly string[] {
  const { address, isOverTls } = clientOf(request);
  return [
    ...without(request.rawHeaders, new Set([...ownHeaders, ...namedIn(request.headers.connection)])),
    ...(hasLength(request) ? ['Expect', '100-continue'] : withoutBody.has(request.method ?? '') ? [] : ['Content-Length', '0']),
    ...[peerHeaders.address, address, peerHeaders.scheme, isOverTls ? 'https' : 'http'],
    ...[peerHeaders.expires, String(expires), peerHeaders.hops, '1'],
  ];
}

/** Whether a body comes with it, whose length is known or is said on the way. */
function hasLength({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function headOf({ method }: IncomingMessage, answer: IncomingMessage): AnswerHead {
  const { 'x-request-id': requestId, [accountHeader]: account } = answer.headers as Readonly<Record<string, string | undefined>>;
  return {
    requestId,
    accountId: account === undefined ? undefined : (Number(account) as AccountId),
    // It ends with its connection, as it does at the other node.
    isStream: !hasLength(answer) && method !== 'HEAD' && answer.statusCode === 200,
  };
}

function writeHead(response: ServerResponse, answer: IncomingMessage, endsConnection: boolean, isClosing: boolean): void {
  const headers = without(answer.rawHeaders, answerHeaders);
  if (endsConnection) response.useChunkedEncodingByDefault = false;
  const connection = endsConnection || isClosing ? ['Connection', 'close'] : [];
  response.writeHead(answer.statusCode ?? 0, answer.statusMessage, [...headers, ...connection]);
  if (endsConnection) response.flushHeaders();
}

/** Headers as name, value, name, value, but those with these names in lower case. */
function without(rawHeaders: readonly string[], names: ReadonlySet<string>): readonly string[] {
  return rawHeaders.filter((_, index) => !names.has((rawHeaders[index - (index % 2)] as string).toLowerCase()));
}
