// A delivery is one event on its way to one receiver, through whatever channel. What is stored of a receiver's deliveries, and the limits.
import type { Attempt } from '../delivery/attempt.ts';
import type { NotifiedAlarm } from '../delivery/notified-alarms.ts';
import { type LiveEvent, subjectOf } from '../events/live-event.ts';
import type { LockId } from '../locks/lock.ts';

/** The types of events that can be delivered; the same words as in live events. */
export const deliveryTypes = [
  ...(['record', 'alarm', 'alarm-ended', 'card', 'state', 'battery', 'online'] as const),
  ...(['entry', 'suggestion', 'revocation'] as const),
] as const;
export type DeliveryType = (typeof deliveryTypes)[number];
export type DeliveryEvent = Extract<LiveEvent, { readonly type: DeliveryType }>;

/** Each of these is delivered. The other types say how something is now, so a newer event replaces one that waits. */
const storedTypes: ReadonlySet<string> = new Set<DeliveryType>(['record', 'alarm', 'alarm-ended', 'card', 'revocation']);

/** Whether each one is delivered, and no newer event replaces it. */
export const isStored = ({ type }: Pick<Delivery, 'type'>): boolean => storedTypes.has(type);
export const isRecord = ({ type }: Pick<Delivery, 'type'>): boolean => type === 'record';

const deliverable: ReadonlySet<string> = new Set(deliveryTypes);

export const isDeliverable = (event: LiveEvent): event is DeliveryEvent => deliverable.has(event.type);

/** What is stored of a delivery. */
export interface StoredDelivery {
  /** The same for each attempt, also after a restart. */
  readonly id: string;
  readonly type: DeliveryType;
  /** null: the gateway itself. */
  readonly lockId: LockId | null;
  /** When it happened, by the gateway's clock. */
  readonly at: number;
  /** The id of the record; for any other event that of the newest record at that time. */
  readonly recordId: number;
  /** The body that the receiver gets. */
  readonly body: string;
}

export interface Delivery extends StoredDelivery {
  /** Its place among all events since the start; 0: it is from before. */
  readonly place: number;
  /** What it is about, when a lock has several of its type; a newer one takes the place of one that is about the same. */
  readonly subject?: string;
  /** Nothing after it goes into the same request: a program that does not know what it says drops the rest. */
  readonly isLast?: true;
}

/** `delivery` as it is stored, with its body made. */
export function stored({ id, type, lockId, at, recordId, body }: StoredDelivery): StoredDelivery {
  return { id, type, lockId, at, recordId, body };
}

/** Turns an event into the body that receivers get; "": they get nothing of it. */
export type RenderDelivery = (event: DeliveryEvent, delivery: Pick<Delivery, 'id' | 'at'>) => string;

/** Sends to one receiver. */
export interface DeliveryChannel {
  /** How many records of a lock it sends together; more than one only when the receiver wants records alone. */
  readonly atOnce: number;
  /** Sends these, of one lock, in one request. `attempt`: counted from 1. Never rejects. */
  send(deliveries: readonly StoredDelivery[], attempt: number): Promise<Attempt>;
}

/** A delivery that was given up, with its last attempt. */
export interface FailedDelivery extends StoredDelivery, Pick<Attempt, 'status' | 'reason'> {
  readonly attempts: number;
  readonly triedAt: number;
}
/** A delivery with its last attempt. */
export interface DeliveryLogEntry extends Omit<FailedDelivery, 'body'> {
  readonly progress: 'delivered' | 'waiting' | 'failed';
}

/** How far a receiver's deliveries have come. Records are not in it: the record log has them. */
export interface DeliveryProgress {
  /** Records up to this one are done, except those of the locks in `behind`. */
  readonly position: number;
  /** The records of such a lock are done up to `done`. */
  readonly behind: readonly { readonly lockId: LockId; readonly done: number }[];
  /** Alarms, cards and revocations, oldest first. */
  readonly waiting: readonly StoredDelivery[];
  /** Oldest first. */
  readonly failed: readonly FailedDelivery[];
  /** How many failed deliveries were evicted. */
  readonly forgotten: number;
  readonly alarms: readonly NotifiedAlarm[];
}

/** The progress of a receiver that gets only events from now on. */
export function freshProgress(position: number, alarms: readonly NotifiedAlarm[], before?: DeliveryProgress): DeliveryProgress {
  return { position, behind: [], waiting: [], failed: before?.failed ?? [], forgotten: before?.forgotten ?? 0, alarms };
}

const failedAtMost = 200;

/** The progress with these failed deliveries added, and the oldest evicted. */
export function withFailed(progress: DeliveryProgress, more: readonly FailedDelivery[]): DeliveryProgress {
  const all = [...progress.failed, ...more];
  const failed = all.slice(-failedAtMost);
  return { ...progress, failed, forgotten: progress.forgotten + all.length - failed.length };
}

/** Makes the delivery of an event: once for all receivers that get the event, and its body when it is first needed. */
export function createDeliveries(options: {
  readonly now: () => number;
  readonly newestRecord: () => number;
  /** Makes the id of a delivery that is no record. Never the same twice. */
  readonly newId: () => string;
  readonly render: RenderDelivery;
}): (event: DeliveryEvent) => Delivery {
  const { now, newestRecord, newId, render } = options;
  let last: { readonly event: DeliveryEvent; readonly delivery: Delivery } | undefined;
  let place = 0;

  function make(event: DeliveryEvent): Delivery {
    const { recordId, serverDate: at } = event.type === 'record' ? event.record : { recordId: newestRecord(), serverDate: now() };
    const id = event.type === 'record' ? `record-${recordId}` : newId();
    let body: string | undefined;
    return {
      ...{ id, type: event.type, lockId: event.lockId, at, recordId, place: ++place },
      ...(event.type === 'entry' && { subject: subjectOf(event) }),
      ...(event.type === 'record' && event.record.type === 'jammed' && { isLast: true }),
      get body() {
        body ??= render(event, { id, at });
        return body;
      },
    };
  }
  return (event) => {
    // All subscribers get an event right after each other, before the next event.
    if (last?.event !== event) last = { event, delivery: make(event) };
    return last.delivery;
  };
}
