// What each error code means, with one real answer for each: a test provokes them all (HTTP API 4).
import type { ErrorCode, ParameterProblem } from '../../domain/errors.ts';

interface ProblemDocs {
  readonly meaning: string;
  /** Whether asking again makes sense. */
  readonly again: string;
  readonly example: {
    readonly detail: string;
    readonly parameters?: readonly ParameterProblem[];
    readonly lockError?: string;
    readonly grantIds?: readonly number[];
  };
}

const no = 'no';
const later = 'later';
const afterRetryAfter = 'after Retry-After seconds';

export const problemDocs: Readonly<Record<ErrorCode, ProblemDocs>> = {
  'invalid-parameter': {
    meaning:
      'A parameter is missing, malformed or out of range; all that are wrong are in `errors`. Also a request that is not valid HTTP.',
    again: no,
    example: {
      detail: 'pageSize must be between 10 and 1000',
      parameters: [{ parameter: 'pageSize', message: 'must be between 10 and 1000' }],
    },
  },
  'outside-retention': {
    meaning: 'The whole range of a records query is older than the records that are kept: six months, or less where it is configured.',
    again: no,
    example: { detail: 'records are kept for six months: nothing before 2026-05-21T09:00:00.000Z' },
  },
  'token-missing': {
    meaning: 'There is no Bearer token.',
    again: 'with a token',
    example: { detail: 'the request carries no access token' },
  },
  'token-invalid': {
    meaning: 'Nobody has this token, or the header is malformed.',
    again: 'with another token',
    example: { detail: 'the access token is not valid' },
  },
  'token-expired': { meaning: 'The token has expired.', again: 'with another token', example: { detail: 'the access token has expired' } },
  'credentials-invalid': {
    meaning: 'The username or the password is wrong, the account has none, or the passkey is not known here.',
    again: 'with others',
    example: { detail: 'the username or the password is wrong' },
  },
  'invitation-invalid': {
    meaning: 'The invitation or handover was used, has expired, or never was.',
    again: 'with a new one',
    example: { detail: 'this invitation is not valid, or not any more' },
  },
  'not-lock-administrator': {
    meaning: 'Lock details are for the administrator of the lock.',
    again: no,
    example: { detail: "only the lock's administrator may access the lock details" },
  },
  forbidden: {
    meaning: 'The account has no sufficient role on the lock, or is not a gateway administrator.',
    again: no,
    example: { detail: 'this needs the role manager on lock 7' },
  },
  'passkey-required': {
    meaning: 'The password is right, but gateway administrators who have a passkey sign in with it.',
    again: 'with the passkey',
    example: { detail: 'gateway administrators who have a passkey sign in with it' },
  },
  'lock-not-found': { meaning: 'There is no such lock.', again: no, example: { detail: 'there is no lock 99' } },
  'card-not-found': { meaning: 'There is no such card on that lock.', again: no, example: { detail: 'there is no card 99 on this lock' } },
  'not-found': {
    meaning: 'There is nothing at this path, or nothing of this name.',
    again: no,
    example: { detail: 'there is no account bob' },
  },
  'passcode-weak': {
    meaning: 'All digits are the same, they are a run such as 1234, or there are fewer than this lock takes.',
    again: 'with another passcode',
    example: { detail: 'a passcode of one digit, or of digits in a row, is easily guessed' },
  },
  'password-weak': {
    meaning: 'The password is too short or too long, one of the 10,000 most common ones, or the username.',
    again: 'with another password',
    example: { detail: 'a password must have 10 to 200 characters' },
  },
  'method-not-allowed': {
    meaning: 'The path does not take this method; `Allow` lists those it takes.',
    again: no,
    example: { detail: 'this path takes GET, HEAD' },
  },
  'not-acceptable': {
    meaning: '`Accept` excludes JSON.',
    again: no,
    example: { detail: 'the answer is application/json only' },
  },
  'card-exists': {
    meaning: 'That card number (after reversal) is already on that lock.',
    again: no,
    example: { detail: 'card 100 of this lock has that number already' },
  },
  'passcode-exists': {
    meaning: 'That passcode is on that lock already, or somebody else has it.',
    again: 'with another passcode',
    example: { detail: 'that passcode is taken: choose another' },
  },
  granted: {
    meaning: 'A grant wants this credential on this lock; `grantIds` names it. End the grant, suspend the person, or report the card lost.',
    again: no,
    example: { detail: 'a grant wants passcode 52 on this lock', grantIds: [12] },
  },
  paused: {
    meaning: 'The gateway was restored from a backup, and changes nothing on locks by itself until somebody has compared and resumed.',
    again: 'after `POST /api/v1/access/resume`',
    example: { detail: 'access is paused after a restore: compare, then resume' },
  },
  conflict: {
    meaning: 'It contradicts what is there: a MAC address or name is taken, it is the last gateway administrator, and the like.',
    again: no,
    example: { detail: 'there is an account ada already' },
  },
  'not-supported': {
    meaning: 'Locks of this make cannot do that; nothing was sent, nothing was stored. Its `capabilities` say what it can.',
    again: no,
    example: { detail: 'a lock of this make cannot do that; nothing was sent' },
  },
  'too-large': {
    meaning:
      'The body is larger than 64 KiB, that of a sign-in than 4 KiB (413); or URL and headers together are larger than 16 KiB, or there are more than 1000 headers (431).',
    again: no,
    example: { detail: 'the body must not be larger than 64 KiB' },
  },
  'unsupported-media-type': {
    meaning: 'The body is not `application/json`.',
    again: no,
    example: { detail: 'the body must be application/json in UTF-8, without content encoding' },
  },
  'rate-limited': {
    meaning: 'Too many failed authentications from this address (a valid token still passes), or too many listeners to live events.',
    again: afterRetryAfter,
    example: { detail: 'too many failed authentications from this address' },
  },
  'lock-busy': {
    meaning: 'Too many commands wait for this lock, or the turn of this one did not come in time; nothing was sent.',
    again: afterRetryAfter,
    example: { detail: 'too many commands wait for this lock; nothing was sent' },
  },
  'internal-error': {
    meaning: 'A bug; the log of the gateway has the details under the requestId.',
    again: 'tell us',
    example: { detail: 'something went wrong inside the gateway; its log has the details under this requestId' },
  },
  'lock-refused': {
    meaning: 'The lock refused a change; `lockError` is its own code.',
    again: 'as the code says',
    example: { detail: 'the lock refused: no-space', lockError: 'no-space' },
  },
  'lock-offline': {
    meaning: 'The lock is not connected; nothing was sent, nothing was stored.',
    again: later,
    example: { detail: 'the lock is not connected; nothing was sent' },
  },
  'state-unknown': {
    meaning: 'The lock has never reported what is asked for.',
    again: later,
    example: { detail: 'the lock has never reported its battery level' },
  },
  'storage-unavailable': {
    meaning: 'The disk is full or failing, the database does not answer, or (with `Retry-After`) another node serves; nothing was changed.',
    again: later,
    example: { detail: 'the disk is full; nothing was changed' },
  },
  'lock-timeout': {
    meaning: 'Sent, but no reply came in time: the outcome is unknown.',
    again: 'look first',
    example: { detail: 'the command was sent, but no reply came in time: the outcome is unknown' },
  },
};
