// Webhooks: where an account is told of what happens, and how far that has come. A delivery is one event on its way to one webhook.
import type { AccountId } from '../accounts/account.ts';
import type { AlarmKind } from '../alarms/alarm.ts';
import { type LiveEvent, subjectOf } from '../events/live-event.ts';
import type { LockId } from '../locks/lock.ts';

/** What a webhook can be told; the same words as in live events. */
export const webhookEventTypes = ['record', 'alarm', 'alarm-ended', 'card', 'state', 'battery', 'online'] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];
export type WebhookEvent = Extract<LiveEvent, { readonly type: WebhookEventType }>;

/** They are told one by one and kept until they are; the others say how something is now, so the newest is enough. */
const keptTypes: readonly WebhookEventType[] = ['record', 'alarm', 'alarm-ended', 'card'];

declare const webhookIdBrand: unique symbol;
/** Rising integer; never given twice. */
export type WebhookId = number & { readonly [webhookIdBrand]: true };

export interface Webhook {
  readonly webhookId: WebhookId;
  /** It hears what this account may. */
  readonly accountId: AccountId;
  readonly name: string;
  readonly url: string;
  /** What its deliveries are signed with; the receiver has it, too. */
  readonly secret: string;
  /** Empty: all. */
  readonly eventTypes: readonly WebhookEventType[];
  /** Empty: all that the account may hear of, and the gateway itself. */
  readonly lockIds: readonly LockId[];
  readonly enabled: boolean;
  readonly createdAt: number;
}

export interface Delivery {
  /** The same each time it is tried, after a restart, too. */
  readonly id: string;
  readonly type: WebhookEventType;
  /** null: of the gateway itself. */
  readonly lockId: LockId | null;
  /** When it happened, by the gateway's clock. */
  readonly at: number;
  /** Of a record its own; of anything else that of the newest record then. */
  readonly recordId: number;
  /** JSON. */
  readonly body: string;
}

export interface FailedDelivery extends Delivery {
  readonly attempts: number;
  /** When it was tried last. */
  readonly triedAt: number;
  /** The receiver's last; null: there was none. */
  readonly status: number | null;
  readonly reason: string;
}

/** What came of sending something once. */
export interface Attempt {
  /** The receiver answered 2xx. */
  readonly delivered: boolean;
  /** null: no answer came. */
  readonly status: number | null;
  /** Why it was not delivered, for people; else "". */
  readonly reason: string;
  readonly ms: number;
}

/** A delivery as it was tried last. */
export interface TriedDelivery extends Delivery {
  readonly progress: 'delivered' | 'waiting' | 'failed';
  readonly attempts: number;
  readonly triedAt: number;
  readonly status: number | null;
  readonly reason: string;
}

/** An alarm of which a webhook was told. */
export interface ToldAlarm {
  readonly kind: AlarmKind;
  readonly lockId: LockId | null;
  readonly since: number;
}

/** What is kept of a webhook's deliveries. Records are not in it: they are in the record log. */
export interface WebhookProgress {
  /** Records up to this one are done, but for those of the locks in `behind`. */
  readonly position: number;
  /** Of each of these locks, the records up to `done` are. */
  readonly behind: readonly { readonly lockId: LockId; readonly done: number }[];
  /** Alarms and cards, oldest first. */
  readonly waiting: readonly Delivery[];
  /** Oldest first. */
  readonly failed: readonly FailedDelivery[];
  /** How many failed ones gave way to newer ones. */
  readonly forgotten: number;
  /** Those that stood when it was told last. */
  readonly alarms: readonly ToldAlarm[];
}

export interface KeptWebhook {
  readonly webhook: Webhook;
  readonly progress: WebhookProgress;
}

/** Where a webhook begins that hears only of what happens from now on. */
export function freshProgress(position: number, alarms: readonly ToldAlarm[], before?: WebhookProgress): WebhookProgress {
  return { position, behind: [], waiting: [], failed: before?.failed ?? [], forgotten: before?.forgotten ?? 0, alarms };
}

/** So many of a webhook; older ones give way. */
const failedAtMost = 200;

/** With more of them, the oldest giving way. */
export function withFailed(progress: WebhookProgress, more: readonly FailedDelivery[]): WebhookProgress {
  const all = [...progress.failed, ...more];
  const failed = all.slice(-failedAtMost);
  return { ...progress, failed, forgotten: progress.forgotten + all.length - failed.length };
}

export function isKept(type: WebhookEventType): boolean {
  return keptTypes.includes(type);
}

/** What a newer event makes needless; undefined: nothing, each is told. */
export function replaces(event: WebhookEvent): string | undefined {
  return event.type === 'record' || isKept(event.type) ? undefined : subjectOf(event);
}

/** Whether its filters let this through; rights are another matter. */
export function wants({ eventTypes, lockIds }: Webhook, type: LiveEvent['type'], lockId: LockId | null): type is WebhookEventType {
  const types: readonly LiveEvent['type'][] = eventTypes.length > 0 ? eventTypes : webhookEventTypes;
  return types.includes(type) && (lockIds.length === 0 || (lockId !== null && lockIds.includes(lockId)));
}

/** Of one account, and of all. */
export const webhooksOfAccount = 10;
export const webhooksAtMost = 50;
/** Of all, only gateway administrators take the last ones: others with a few accounts could leave none. */
export const webhooksOfOthers = 40;

/** How long something is tried. */
export const triedForMs = 86_400_000;

const shortestPauseMs = 5_000;
const longestPauseMs = 1_800_000;

/** After so many attempts that failed: 5 s, doubled each time, half an hour at most. `random` 0 to 1 spreads it by a fifth. */
export function pauseMs(attempts: number, random: number): number {
  return Math.min(longestPauseMs, shortestPauseMs * 2 ** (attempts - 1)) * (0.8 + 0.4 * random);
}
