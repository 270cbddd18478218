// Turns every error into RFC 9457 problem+json. The only file that knows error statuses (HTTP API 4).
import { DomainError, type ErrorCode, type ParameterProblem } from '../../domain/errors.ts';

const internalDetail = 'something went wrong inside the gateway; its log has the details under this requestId';

/** Status and title of each code. */
export const problemKinds: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> = {
  'invalid-parameter': { status: 400, title: 'Invalid parameter' },
  'outside-retention': { status: 400, title: 'Outside retention' },
  'passcode-weak': { status: 400, title: 'Passcode weak' },
  'password-weak': { status: 400, title: 'Password weak' },
  'token-missing': { status: 401, title: 'Token missing' },
  'token-invalid': { status: 401, title: 'Token invalid' },
  'token-expired': { status: 401, title: 'Token expired' },
  'credentials-invalid': { status: 401, title: 'Credentials invalid' },
  'invitation-invalid': { status: 401, title: 'Invitation invalid' },
  'not-lock-administrator': { status: 403, title: 'Not the lock administrator' },
  forbidden: { status: 403, title: 'Forbidden' },
  'passkey-required': { status: 403, title: 'Passkey required' },
  'lock-not-found': { status: 404, title: 'Lock not found' },
  'card-not-found': { status: 404, title: 'Card not found' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  'card-exists': { status: 409, title: 'Card exists' },
  'passcode-exists': { status: 409, title: 'Passcode exists' },
  granted: { status: 409, title: 'Granted' },
  paused: { status: 409, title: 'Paused' },
  conflict: { status: 409, title: 'Conflict' },
  'not-supported': { status: 409, title: 'Not supported' },
  'too-large': { status: 413, title: 'Too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'rate-limited': { status: 429, title: 'Rate limited' },
  'lock-busy': { status: 429, title: 'Lock busy' },
  'internal-error': { status: 500, title: 'Internal error' },
  'lock-refused': { status: 502, title: 'Lock refused' },
  'lock-offline': { status: 503, title: 'Lock offline' },
  'state-unknown': { status: 503, title: 'State unknown' },
  'storage-unavailable': { status: 503, title: 'Storage unavailable' },
  'lock-timeout': { status: 504, title: 'Lock timeout' },
};

/** An error as it is sent: `headers` as name, value, name, value. */
export interface Problem {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/** A hostile body may hold thousands of unknown members; nobody reads more of them than this. */
const reportedAtMost = 100;

/**
 * Turns whatever was thrown into the answer for the client (RFC 9457, RFC 6750 section 3). Anything but a DomainError becomes
 * `internal-error` with a fixed sentence; the calling code logs the original.
 * @param status replaces the status of the code, for the few errors of HTTP itself (431, 408)
 */
export function problemOf(error: unknown, requestId: string, status?: number): Problem {
  const known = error instanceof DomainError ? error : new DomainError('internal-error', internalDetail);
  const kind = problemKinds[known.code];
  const sent = status ?? kind.status;
  const body = {
    type: `urn:latchd:problem:${known.code}`,
    title: kind.title,
    status: sent,
    detail: known.code === 'internal-error' ? internalDetail : known.message,
    code: known.code,
    requestId,
    ...(known.parameters.length > 0 && { errors: known.parameters.slice(0, reportedAtMost) }),
    ...(known.lockError !== undefined && { lockError: known.lockError }),
    ...(known.grantIds !== undefined && { grantIds: known.grantIds }),
  };
  return { code: known.code, status: sent, headers: headersFor(known, sent), body: JSON.stringify(body) };
}

function headersFor(error: DomainError, status: number): readonly string[] {
  if (error.code === 'token-missing') return ['WWW-Authenticate', 'Bearer realm="latchd"'];
  if (status === 401)
    return ['WWW-Authenticate', `Bearer realm="latchd", error="invalid_token", error_description="${problemKinds[error.code].title}"`];
  if (status === 429 || error.retryAfterSeconds !== undefined) return ['Retry-After', String(error.retryAfterSeconds ?? 1)];
  return [];
}

/** One `invalid-parameter` error for all that is wrong with a request (HTTP API 4). */
export function invalidParameters(problems: readonly ParameterProblem[]): DomainError {
  const sentences = problems.slice(0, reportedAtMost).map(({ parameter, message }) => `${parameter} ${message}`);
  return new DomainError('invalid-parameter', sentences.join('; '), { parameters: problems });
}
