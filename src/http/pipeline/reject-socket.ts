// Errors without a request: bytes that Node's parser rejects, and handshakes that fail.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError } from '../../domain/errors.ts';
import { problemOf } from './problem.ts';
import { newRequestId } from './request-context.ts';

/**
 * Answers a socket that has no response object with a problem like any other, and closes it. `status` replaces the status of the
 * code. Returns the id of the answer, for the log.
 */
export function refuseSocket(socket: Duplex, error: unknown, status?: number): string {
  const requestId = newRequestId();
  const problem = problemOf(error, requestId, status);
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(problem.body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.once('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${problem.body}`, () => socket.destroy());
  return requestId;
}

const useHttps = 'This port speaks HTTPS: ask again with https:// instead of http://\n';
const useHttpsAnswer = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${useHttps.length}`,
  'Cache-Control: no-store',
  'Connection: close',
  '',
  useHttps,
].join('\r\n');

/** Tells a client that it speaks plain HTTP to a TLS port. The failed handshake closes the connection right after. */
export function sayHttps(socket: Duplex): void {
  socket.once('error', () => socket.destroy());
  socket.write(useHttpsAnswer);
}

/** Refuses CONNECT (RFC 9110 section 9.3.6), which is for proxies. */
export function refuseConnect(socket: Duplex): string {
  return refuseSocket(socket, notHttp('CONNECT is not supported'));
}

/**
 * Answers an error of Node's parser and returns the id of the answer. After any other error, such as a failed TLS handshake, no answer is
 * possible: it closes the socket and returns undefined.
 */
export function refuseBrokenRequest(socket: Duplex, code = ''): string | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refuseSocket(socket, new DomainError('too-large', 'the URL and the headers must not exceed 16 KiB together'), 431);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuseSocket(socket, notHttp('the request did not arrive in time'), 408);
  if (code.startsWith('HPE_')) return refuseSocket(socket, notHttp('this is not a valid HTTP request'));
  socket.destroy();
  return undefined;
}

function notHttp(message: string): DomainError {
  return new DomainError('invalid-parameter', message);
}
