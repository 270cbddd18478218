// All errors as one closed list of codes (Decision 4). Adapters turn a code into their own language
// (http/pipeline/problem.ts: a status); anything that is not a DomainError is a bug.

export type ErrorCode =
  | 'invalid-parameter'
  | 'outside-retention'
  | 'passcode-weak'
  | 'password-weak'
  | 'token-missing'
  | 'token-invalid'
  | 'token-expired'
  | 'credentials-invalid'
  | 'invitation-invalid'
  | 'not-lock-administrator'
  | 'forbidden'
  | 'passkey-required'
  | 'lock-not-found'
  | 'card-not-found'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'too-large'
  | 'unsupported-media-type'
  | 'card-exists'
  | 'passcode-exists'
  | 'granted'
  | 'paused'
  | 'conflict'
  | 'not-supported'
  | 'rate-limited'
  | 'lock-busy'
  | 'internal-error'
  | 'lock-refused'
  | 'lock-offline'
  | 'state-unknown'
  | 'storage-unavailable'
  | 'lock-timeout';

/** One wrong parameter: its name (or the path of a body's member) and what it must be. */
export interface ParameterProblem {
  readonly parameter: string;
  readonly message: string;
}

interface ErrorDetails {
  readonly parameters?: readonly ParameterProblem[];
  /** The lock's own error code, with `lock-refused`. */
  readonly lockError?: string;
  /** Whole seconds after which a retry makes sense, with `lock-busy`, `rate-limited`, and `storage-unavailable` of a node that does not serve. */
  readonly retryAfterSeconds?: number;
  /** The grants that want it, with `granted`. */
  readonly grantIds?: readonly number[];
  readonly cause?: unknown;
}

/** An error with a code from the closed list; `message` is a sentence that the caller may see. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly parameters: readonly ParameterProblem[];
  readonly lockError: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly grantIds: readonly number[] | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'DomainError';
    this.code = code;
    this.parameters = details.parameters ?? [];
    this.lockError = details.lockError;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.grantIds = details.grantIds;
  }
}

/** An `invalid-parameter` error for one parameter; its sentence is `<parameter> <message>`. */
export function invalidParameter(parameter: string, message: string): DomainError {
  return new DomainError('invalid-parameter', `${parameter} ${message}`, {
    parameters: [{ parameter, message }],
  });
}
