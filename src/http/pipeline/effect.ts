// What a request may do, and what its client hears when nobody knows whether it was done.
import { DomainError } from '../../domain/errors.ts';
import type { OperationId } from '../openapi/operations.ts';

/** `door`: it moves a bolt. `change`: it changes something else. `read`: it changes nothing. */
export type RequestEffect = 'door' | 'change' | 'read';

/** Requests that are handled first, because somebody stands at a door. */
const doors: ReadonlySet<OperationId> = new Set(['lock', 'unlock']);

/** What a route says of itself: a facade its effect, any other one its operation. */
interface SaysEffect {
  readonly effect?: RequestEffect;
  readonly operation?: OperationId;
}

/** @param route undefined: none is known here for this `method` and path */
export function effectOf(route: SaysEffect | undefined, method: string | undefined): RequestEffect {
  if (route?.effect !== undefined) return route.effect;
  if (route?.operation !== undefined && doors.has(route.operation)) return 'door';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'change';
}

/** The request may have been done: a client that asks again without looking may do it twice. */
export class OutcomeUnknown extends DomainError {}

/** `lock-timeout` for a door, else `storage-unavailable`. @param reason why nobody knows, the first half of a sentence */
export function outcomeUnknown(effect: Exclude<RequestEffect, 'read'>, reason: string): OutcomeUnknown {
  return effect === 'door'
    ? new OutcomeUnknown('lock-timeout', `${reason}: the outcome is unknown`)
    : new OutcomeUnknown('storage-unavailable', `${reason}; nobody knows whether it was done: look before you ask again`);
}
