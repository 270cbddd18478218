// What is known of one request, from its arrival to its line in the log.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/account.ts';
import type { Admission, AnyRoute, FacadeRoute } from './route.ts';
import type { RouteMatch } from './route-table.ts';

export interface RequestContext {
  /** When another node has answered, the one that it gave. */
  requestId: string;
  isForwarded: boolean;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the path matches; undefined: nothing. */
  readonly found: RouteMatch | undefined;
  /** Whether only a leader may answer it; a refusal may come from any. */
  needsLease: boolean;
  readonly startedAt: number;
  /** The route, once path and method are known to exist. */
  route: AnyRoute | undefined;
  /** The endpoint of a facade, in place of a route. */
  facade: FacadeRoute | undefined;
  /** Its word that the request may come in. */
  admission: Admission | undefined;
  /** The caller behind the token, if the route needs one. */
  caller: Caller | undefined;
  account: string | undefined;
  code: string | undefined;
  parameters: Readonly<Record<string, string>>;
}

/** An id that names one request in its answer and in the log; never taken from the client. 48 random bits, which Node draws in batches. */
export function newRequestId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(9, 13);
}
