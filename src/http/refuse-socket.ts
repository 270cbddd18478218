// Refusals outside the ordinary exchange: what Node's parser rejects before there is a request, and handshakes that fail.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError } from '../domain/errors.ts';
import { newRequestId } from './exchange.ts';
import { problemOf } from './problem.ts';

/** Answers a socket on which there is no response object, with a problem like any other, and closes it. `status` replaces the code's own. */
export function refuseSocket(socket: Duplex, error: unknown, status?: number): void {
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
}

/** CONNECT (RFC 9110 9.3.6) is for proxies. */
export function refuseConnect(socket: Duplex): void {
  refuseSocket(socket, notHttp('CONNECT is not supported'));
}

/** For the errors of Node's parser; every other one, such as a failed TLS handshake, leaves nobody to answer. */
export function refuseBrokenRequest(socket: Duplex, code = ''): void {
  if (code === 'HPE_HEADER_OVERFLOW') {
    refuseSocket(socket, new DomainError('too-large', 'the URL and the headers must not exceed 16 KiB together'), 431);
  } else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    refuseSocket(socket, notHttp('the request did not arrive in time'), 408);
  } else if (code.startsWith('HPE_')) {
    refuseSocket(socket, notHttp('this is not a valid HTTP request'));
  } else {
    socket.destroy();
  }
}

function notHttp(message: string): DomainError {
  return new DomainError('invalid-parameter', message);
}
