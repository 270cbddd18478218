// What a node answers while it has no lease: its own health, and what the leader says of all else.
import type { AccountId } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import { doorsAlone, type Lease, notServing, requireLease } from '../../domain/lease.ts';
import type { OperationId } from '../openapi/operations.ts';
import type { Forwarding } from '../peers/forwarding.ts';
import { isFromPeer, notBegunHeader, requireInTime } from '../peers/peer-requests.ts';
import { effectOf, OutcomeUnknown, outcomeUnknown } from './effect.ts';
import type { RequestContext } from './request-context.ts';
import type { RouteMatch } from './route-table.ts';

const alwaysServed: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** What a node answers with what it has in memory of locks and accounts, and with what locks say to it. */
const forDoors: ReadonlySet<OperationId> = new Set(['lock', 'unlock', 'lockState', 'listLocks', 'lockDetail']);

function isForDoors(found: RouteMatch | undefined, method = ''): boolean {
  const route = found?.resource.routes.get(method);
  return route !== undefined && 'operation' in route && forDoors.has(route.operation);
}

/** Whether the lease is needed to answer what matches this; undefined: nothing does. */
export function needsLease(found: RouteMatch | undefined): boolean {
  return found === undefined || !alwaysServed.has(found.resource.path);
}

export interface WithoutLeasePorts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly lease: Lease;
  /** Whether this node stands in for the leader: for doors alone. */
  readonly standsIn: () => boolean;
  /** To the leader; undefined: nowhere. */
  readonly forwarding: Forwarding | undefined;
  /** Whether each answer ends its connection. */
  readonly closing: () => boolean;
  /** A valid token of this account was found in a request: by this node, or by the one to which it was sent on. */
  readonly onKnown: (context: RequestContext, accountId: AccountId) => void;
  readonly refuse: (context: RequestContext, error: unknown) => void;
}

interface WithoutLease {
  /**
   * Takes in what another node has sent on, which sends the body now, and the request to nobody else. Throws when its client waits no longer, and
   * from the moment on at which this node begins to stop: then with the word that it was not begun, and that node sends it to the next one.
   */
  takeFromNode(context: RequestContext): void;
  /**
   * Whether a request belongs to the leader. Throws `notServing` when this node may not answer it and sends nothing on, and `doorsAlone`
   * when it answers for doors alone.
   */
  isElsewhere(context: RequestContext): boolean;
  /** Answers a request with what the leader says. Resolves with whether this node has to handle it, for it serves by now. Never rejects. */
  sendOn(context: RequestContext): Promise<boolean>;
  /**
   * Throws when the lease has ended since the request came. A process that stood still meanwhile knows nothing of what holds now, but that what
   * it was asked for may be done.
   */
  requireStillServing(context: RequestContext): void;
}

export function createWithoutLease({ clock, lease, standsIn, forwarding, closing, onKnown, refuse }: WithoutLeasePorts): WithoutLease {
  return {
    takeFromNode({ request, response }) {
      requireInTime(request, clock.monotonic());
      if (lease.leftMs() === 0 || closing()) {
        response.setHeader(notBegunHeader, '1');
        throw notServing;
      }
      if (request.headers.expect !== undefined) response.writeContinue();
    },

    isElsewhere({ request, found, needsLease }) {
      if (!needsLease) return false;
      if (isFromPeer(request) || lease.leftMs() > 0) {
        if (standsIn() && !isForDoors(found, request.method)) throw doorsAlone;
        return false;
      }
      if (forwarding?.isPossible()) return true;
      throw notServing;
    },

    async sendOn(context) {
      const { request, response, found } = context;
      const route = found?.resource.routes.get(request.method ?? '');
      const effect = effectOf(route, request.method);
      const onAnswer = (requestId = context.requestId, accountId?: AccountId) => {
        context.requestId = requestId;
        context.isForwarded = true;
        if (accountId !== undefined) onKnown(context, accountId);
      };
      try {
        return (await forwarding?.send(request, response, { effect, isClosing: closing(), onAnswer })) === 'here';
      } catch (error) {
        if (error instanceof OutcomeUnknown && route !== undefined && 'admit' in route) context.facade = route;
        refuse(context, error);
        return false;
      }
    },

    requireStillServing(context) {
      if (lease.leftMs() > 0 || !context.needsLease) return;
      const effect = effectOf(context.facade ?? context.route, context.request.method);
      if (effect !== 'read') throw outcomeUnknown(effect, 'this node stopped serving before it could answer');
      context.facade = undefined;
      requireLease(lease);
    },
  };
}
