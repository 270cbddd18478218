// One log line for each request, showing only what can do no harm: never a card number, passcode, token or key (Fault T18).

import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { RateLimiter } from '../../domain/rate-limiter.ts';

/** What is known of a request when it ends. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  /** The path as the route table writes it, or for an unknown one as it was sent. */
  readonly path: string;
  readonly known: boolean;
  /**
   * The route needs no token: health checks (watchdogs make one every few seconds), documents and pages. Only failures of these are logged
   * at info.
   */
  readonly isOpen: boolean;
  /** Another node has answered it, and has a line for it under the same requestId. */
  readonly isForwarded: boolean;
  /** Parameters that have passed validation. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly account: string | undefined;
  /** undefined: the client was gone before its answer. */
  readonly status: number | undefined;
  /** Error code of the answer. */
  readonly code: string | undefined;
  readonly ms: number;
}

const harmless: ReadonlySet<string> = new Set([
  'lockId',
  'cardId',
  'tokenId',
  'deviceId',
  'username',
  'pageNo',
  'pageSize',
  'startDate',
  'endDate',
  'seconds',
  'addType',
  'changeType',
  'deleteType',
  'method',
]);

/** Lines for requests without a valid token: in one burst, and then each second. A slow reader of the log would hold up the process. */
const strangersLines = { burst: 1_000, perSecond: 100 };

/**
 * Returns the function that writes the line of a request that has ended. Requests without a valid token get at most 100 lines a second, in
 * bursts of 1,000; the next line that fits is preceded by the number of lines that were left out.
 */
export function createAccessLog({
  log,
  clock,
}: {
  readonly log: Log;
  readonly clock: Pick<Clock, 'monotonic'>;
}): (line: RequestLine) => void {
  const rate = new RateLimiter({ clock, ...strangersLines });
  let unwritten = 0;

  function isRoom(): boolean {
    if (!rate.take()) {
      unwritten += 1;
      return false;
    }
    if (unwritten > 0)
      log.warn({ code: 'requests-not-logged', unwritten }, 'so many requests without a valid token came that not all were logged');
    unwritten = 0;
    return true;
  }

  return (line) => {
    if (line.account !== undefined || isUsual(line) || isRoom()) write(log, line);
  };
}

/** A health check, document or page that succeeded, or what another node has a line for: nobody reads its line except at debug. */
function isUsual({ isOpen, isForwarded, status }: RequestLine): boolean {
  return isForwarded || (isOpen && status === 200);
}

function write(log: Log, line: RequestLine): void {
  const { requestId, method, path, known, parameters, account, status, code, ms } = line;
  let shown: Record<string, string> | undefined;
  for (const name in parameters) {
    if (!harmless.has(name)) continue;
    shown ??= {};
    shown[name] = parameters[name] as string;
  }
  // Members are added one by one: spreading an object for each optional member would cost more than writing the line.
  const fields: Record<string, unknown> = { requestId, method, path: known ? path : masked(path) };
  if (shown !== undefined) fields['parameters'] = shown;
  if (account !== undefined) fields['account'] = account;
  if (status === undefined) fields['gone'] = true;
  else fields['status'] = status;
  if (code !== undefined) fields['code'] = code;
  fields['ms'] = Math.round(ms * 10) / 10;
  log[isUsual(line) ? 'debug' : 'info'](fields, 'request');
}

/** An unknown path can hold anything by mistake, so whatever could be a token, a card number or a passcode is blanked. */
function masked(path: string): string {
  return path.slice(0, 200).replaceAll(/[^/]{33,}|\d{4,}/g, '…');
}
