// What a node answers while it has no lease: its own health, and what the node that serves says of all else.
import type { AccountId } from '../../domain/accounts/account.ts';
import { type Lease, requireLease } from '../../domain/lease.ts';
import type { Forwarding } from '../peers/forwarding.ts';
import { isFromPeer } from '../peers/peer-requests.ts';
import { effectOf, OutcomeUnknown, outcomeUnknown } from './effect.ts';
import type { RequestContext } from './request-context.ts';
import type { RouteMatch } from './route-table.ts';

const alwaysServed: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether the lease is needed to answer what matches this; undefined: nothing does. */
export function needsLease(found: RouteMatch | undefined): boolean {
  return found === undefined || !alwaysServed.has(found.resource.path);
}

export interface WithoutLeasePorts {
  readonly lease: Lease;
  /** To the node that serves; undefined: nowhere. */
  readonly forwarding: Forwarding | undefined;
  /** Whether each answer ends its connection. */
  readonly closing: () => boolean;
  /** A valid token of this account was found in a request: by this node, or by the one to which it was sent on. */
  readonly onKnown: (context: RequestContext, accountId: AccountId) => void;
  readonly refuse: (context: RequestContext, error: unknown) => void;
}

interface WithoutLease {
  /** Whether a request belongs to the node that serves. Throws `storage-unavailable` when this node may not answer it and sends nothing on. */
  isElsewhere(context: RequestContext): boolean;
  /** Answers a request with what the node that serves says. Never rejects. */
  sendOn(context: RequestContext): Promise<void>;
  /**
   * Throws when the lease has ended since the request came. A process that stood still meanwhile knows nothing of what holds now, but that what
   * it was asked for may be done.
   */
  requireStillServing(context: RequestContext): void;
}

export function createWithoutLease({ lease, forwarding, closing, onKnown, refuse }: WithoutLeasePorts): WithoutLease {
  return {
    isElsewhere(context) {
      if (lease.leftMs() > 0 || !context.needsLease) return false;
      if (!isFromPeer(context.request) && forwarding?.isPossible()) return true;
      requireLease(lease);
      return false;
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
        await forwarding?.send(request, response, { effect, isClosing: closing(), onAnswer });
      } catch (error) {
        if (error instanceof OutcomeUnknown && route !== undefined && 'admit' in route) context.facade = route;
        refuse(context, error);
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
