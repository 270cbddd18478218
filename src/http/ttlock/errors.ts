// The errors of TTLock's cloud: which of ours is which of theirs. The HTTP status is 200 for each of them.
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { TtlockRefusal } from '../../domain/ttlock/ttlock-access.ts';
import { OutcomeUnknown } from '../pipeline/effect.ts';

/** An error in TTLock's words; `code` is ours, for the log. */
export interface TtlockProblem {
  readonly errcode: number;
  readonly errmsg: string;
  readonly code: string;
}

/** An error that the gateway knows in TTLock's words alone. */
export class TtlockError extends Error {
  readonly errcode: number;
  readonly code: string;

  constructor(errcode: number, message: string, code: string) {
    super(message);
    this.name = 'TtlockError';
    this.errcode = errcode;
    this.code = code;
  }
}

const refused: Readonly<Record<TtlockRefusal['reason'], readonly [errcode: number, errmsg: string]>> = {
  'unknown-client': [10000, 'invalid client_id'],
  'wrong-secret': [10001, 'invalid client'],
  'wrong-client': [10001, 'invalid client'],
  'wrong-password': [10007, 'invalid account or invalid password'],
  'password-not-md5': [30005, 'password must be the MD5 of the password, 32 hex digits'],
  'wrong-refresh-token': [10011, 'invalid refresh_token'],
  'token-unknown': [10003, 'invalid token'],
  'token-ended': [10004, 'invalid grant'],
};

const failed = 'failed: ';
const internal = 'internal server error';
const unknown = 'No answer in time: it may or may not have happened';

/** What is said before our own sentence, or alone (undefined: ours is not shown). `http`: a problem of HTTP itself. */
const known: Readonly<Record<ErrorCode, readonly [errcode: number, errmsg: string, ours?: 'with-ours'] | 'http'>> = {
  'invalid-parameter': [-3, 'Invalid Parameter: ', 'with-ours'],
  'outside-retention': [-3, 'Invalid Parameter: ', 'with-ours'],
  'passcode-weak': [-3006, 'Invalid passcode: ', 'with-ours'],
  'password-weak': [1, failed, 'with-ours'],
  'token-missing': [10003, 'invalid token'],
  // Access tokens are refused by a TtlockRefusal: this one was ended while its command waited.
  'token-invalid': [10004, 'invalid grant'],
  'token-expired': [10004, 'invalid grant'],
  'credentials-invalid': [10007, 'invalid account or invalid password'],
  'invitation-invalid': [10007, 'invalid account or invalid password'],
  'not-lock-administrator': [20002, 'not lock admin'],
  forbidden: [-2018, 'Permission Denied'],
  'passkey-required': [-2018, 'Permission Denied'],
  'lock-not-found': [-1003, 'Lock does not exist'],
  'card-not-found': [-1021, 'IC card does not exist'],
  'not-found': [-1007, 'No password data of this lock'],
  'method-not-allowed': 'http',
  'not-acceptable': 'http',
  'too-large': 'http',
  'unsupported-media-type': 'http',
  'card-exists': [-3007, 'The same card already exists'],
  'passcode-exists': [-3007, 'The same passcode already exists'],
  granted: [1, failed, 'with-ours'],
  paused: [1, failed, 'with-ours'],
  conflict: [1, failed, 'with-ours'],
  'not-supported': [-4043, 'Function is not supported for this lock'],
  'rate-limited': [30006, 'too many calls, or too many failed ones, from this address: try again later'],
  'lock-busy': [-3037, 'The lock is busy, please try again later'],
  'internal-error': [90000, internal],
  'lock-refused': [1, failed, 'with-ours'],
  'lock-offline': [-3036, 'The lock is offline'],
  'state-unknown': [-3036, 'The lock has never reported it'],
  'storage-unavailable': [90000, internal],
  'lock-timeout': [1, unknown],
};

/** The words for whatever was thrown; undefined: it is a problem of HTTP itself. What is no error of ours is 90000, and a bug. */
export function ttlockProblemOf(error: unknown): TtlockProblem | undefined {
  if (error instanceof TtlockError) return { errcode: error.errcode, errmsg: error.message, code: error.code };
  if (error instanceof TtlockRefusal) {
    const [errcode, errmsg] = refused[error.reason];
    return { errcode, errmsg, code: error.reason };
  }
  if (!(error instanceof DomainError)) return { errcode: 90000, errmsg: internal, code: 'internal-error' };
  const { code, message, lockError } = error;
  const said = known[code];
  if (error instanceof OutcomeUnknown) return { errcode: 1, errmsg: unknown, code };
  if (said === 'http') return undefined;
  if (lockError !== undefined) return lockProblem(code, lockError);
  const [errcode, errmsg, ours] = said;
  return { errcode, errmsg: ours === undefined ? errmsg : errmsg + message, code };
}

function lockProblem(code: ErrorCode, lockError: string): TtlockProblem {
  return { errcode: lockError === 'no-space' ? -4056 : 1, errmsg: lockError, code };
}
