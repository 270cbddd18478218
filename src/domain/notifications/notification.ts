// What an account has chosen to be told, through which channel, and how far that has come.
import { activityKindOf } from '../activity/activity.ts';
import type { NotifiedAlarm } from '../delivery/notified-alarms.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockRecord } from '../records/record.ts';

export const notificationChannels = ['email', 'ntfy'] as const;
export type NotificationChannel = (typeof notificationChannels)[number];

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** What can happen at a door. */
export const notifiedEvents = ['unlock', 'lock', 'refused', 'door'] as const;
export type NotifiedEvent = (typeof notifiedEvents)[number];
export const notificationKinds = ['alarm', ...notifiedEvents] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** The kind of a record; undefined: alarms, of which people are told as alarms, and types of the lock's own. */
export function eventOf(record: Pick<LockRecord, 'type' | 'success'>): NotifiedEvent | undefined {
  const kind = activityKindOf(record);
  return kind === null || kind === 'alarm' ? undefined : kind;
}

/** What a person chooses for one channel. */
export interface ChannelChoice {
  /** The address of e-mail, or the topic of ntfy. */
  readonly to: string;
  readonly alarms: boolean;
  readonly events: readonly NotifiedEvent[];
  /** These locks and those of these groups. Both empty: all locks of which the account may hear, and the gateway itself. */
  readonly lockIds: readonly LockId[];
  readonly groupIds: readonly number[];
}

/** An alarm of which the account is still to be told. */
export interface WaitingAlarm extends NotifiedAlarm {
  /** When the gateway heard of it. */
  readonly at: number;
}

/** A message that was given up after 24 hours. */
export interface FailedNotification {
  readonly kind: NotificationKind;
  /** When the first of what it told happened. */
  readonly at: number;
  /** How much it told. */
  readonly count: number;
  readonly attempts: number;
  readonly triedAt: number;
  readonly reason: string;
}

/** How far a channel has come. Records are not in it: the record log has them. */
export interface ChannelProgress {
  /** Of each kind that was chosen: records up to `done` are told, and when the last message was sent; null: never. */
  readonly kinds: readonly { readonly kind: NotificationKind; readonly done: number; readonly sentAt: number | null }[];
  readonly waiting: readonly WaitingAlarm[];
  /** The active alarms of which the account was told, or is to be told. */
  readonly alarms: readonly NotifiedAlarm[];
  /** Oldest first. */
  readonly failed: readonly FailedNotification[];
  readonly forgotten: number;
}

export interface StoredChannel extends ChannelChoice {
  /** null: confirmed. Until then nothing is sent but the question. */
  readonly confirmation: { readonly hash: string; readonly until: number } | null;
  readonly progress: ChannelProgress;
}

export interface NotificationSettings {
  readonly language: Language;
  readonly channels: Readonly<Partial<Record<NotificationChannel, StoredChannel>>>;
}

/** `progress` of a channel that is told of these kinds from now on, and of those that it knew before from where it was. */
export function progressFor(
  choice: ChannelChoice,
  newestRecord: number,
  alarms: readonly NotifiedAlarm[],
  before?: ChannelProgress,
): ChannelProgress {
  const kinds = kindsOf(choice).map((kind) => before?.kinds.find((one) => one.kind === kind) ?? { kind, done: newestRecord, sentAt: null });
  if (before !== undefined) {
    const knewAlarms = before.kinds.some(({ kind }) => kind === 'alarm');
    return { ...before, kinds, ...(!knewAlarms && { alarms }) };
  }
  return { kinds, waiting: [], alarms, failed: [], forgotten: 0 };
}

function kindsOf({ alarms, events }: ChannelChoice): readonly NotificationKind[] {
  return [...(alarms ? (['alarm'] as const) : []), ...events];
}
