// The stats that are read when Prometheus scrapes, and the metric for each of them.
import type { UpdateState } from '../domain/updates/update-watch.ts';

/** Counts by reason, since the start. */
type Reasons = Readonly<Record<string, number>>;

/** What a scrape reads. All counts are since the start unless they describe the present. */
export interface WatchedStats {
  readonly locks: readonly WatchedLock[];
  /** A battery below this is an alarm. */
  readonly lowBatteryPercent: number;
  /** The data directory or the database takes writes; undefined: nobody has looked, because this node waits or starts. */
  readonly storageWorks: boolean | undefined;
  /** The wall clock may be wrong: nothing is deleted because of its age. */
  readonly clockIsSuspect: boolean;
  /** When the newest backup in the usual folder was made, in epoch milliseconds; 0: there is none. */
  readonly backupAt: number;
  /** Number of active alarms, by kind. */
  readonly alarms: Reasons;
  /** Commands and card changes: each lock has at most one under way, the others wait in its queue. */
  readonly commands: { readonly underWay: number; readonly waiting: number };
  /** What locks hold beside what is wanted on them, of the locks that were looked at since the start. */
  readonly credentials: {
    /** Number of entries, by status. */
    readonly entries: Reasons;
    /** Since when the oldest one waits, in epoch milliseconds; null: none does. */
    readonly oldestPendingDate: number | null;
    readonly failing: number;
  };
  readonly store: { readonly records: number; readonly stored: number; readonly duplicates: number; readonly disabledLocks: number };
  readonly broker: {
    readonly openConnections: number;
    readonly refusedConnections: Reasons;
    readonly refusedFrames: Reasons;
    readonly refusedPublishes: Reasons;
    readonly refusedSubscriptions: Reasons;
    readonly stuckReaders: number;
    readonly hookFailures: number;
    readonly malformedMessages: number;
    readonly messagesLeftUnacknowledged: number;
    readonly readsWaiting: number;
    readonly heldBytes: number;
  };
  /** Clients that listen to live events. */
  readonly events: { readonly listeners: number; readonly behind: number; readonly slow: number; readonly refused: number };
  readonly webhooks: {
    readonly waiting: number;
    readonly delivered: number;
    readonly refused: number;
    readonly failed: number;
    readonly dropped: number;
  };
  readonly notifications: { readonly waiting: number; readonly sent: number; readonly refused: number; readonly failed: number };
  readonly homeAssistant: { readonly connected: boolean; readonly published: number; readonly refused: Reasons };
  /** The newest latchd that is to be had. */
  readonly update: Pick<UpdateState, 'state' | 'version'>;
  /** undefined: the data is in files. */
  readonly database: WatchedDatabase | undefined;
}

export interface WatchedDatabase {
  /** 0: this node has no lease. */
  readonly leaseSecondsLeft: number;
  /** It has the right to write: what one node alone does for all, it does. */
  readonly leads: boolean;
  readonly reconnects: number;
  readonly streamConflicts: number;
  readonly changesBehind: number;
  readonly fencedWrites: number;
  /** Connections of locks that this node passes on to the leader. */
  readonly relayedConnections: number;
}

export interface WatchedLock {
  readonly lockId: number;
  readonly isOnline: boolean;
  /** null: the lock has never reported it. */
  readonly batteryPercent: number | null;
}

type Read = (stats: WatchedStats) => number;
/** undefined: not known now. */
type ReadIfKnown = (stats: WatchedStats) => number | undefined;
type ReadReasons = (stats: WatchedStats) => Reasons;

/** Present values. */
export const gauges: readonly (readonly [name: string, help: string, ReadIfKnown])[] = [
  ['latchd_locks', 'Locks that are registered.', ({ locks }) => locks.length],
  ['latchd_locks_online', 'Locks that can be given a command now.', ({ locks }) => locks.filter((lock) => lock.isOnline).length],
  [
    'latchd_locks_low_battery',
    'Locks whose battery is below alarms.lowBatteryPercent in the configuration.',
    ({ locks, lowBatteryPercent }) => locks.filter(({ batteryPercent }) => (batteryPercent ?? 100) < lowBatteryPercent).length,
  ],
  ['latchd_locks_disabled', 'Locks whose document is damaged.', ({ store }) => store.disabledLocks],
  ['latchd_records', 'Records in the log.', ({ store }) => store.records],
  [
    'latchd_storage_works',
    '1 while the data directory or the database takes flushed writes; absent while this node waits or starts.',
    ({ storageWorks }) => (storageWorks === undefined ? undefined : Number(storageWorks)),
  ],
  [
    'latchd_clock_suspect',
    '1 while the wall clock may be wrong and nothing is deleted for its age.',
    ({ clockIsSuspect }) => Number(clockIsSuspect),
  ],
  [
    'latchd_backup_last_success_timestamp_seconds',
    'When the newest backup in the folder of the backups was made; 0 when there is none.',
    ({ backupAt }) => backupAt / 1_000,
  ],
  ['latchd_commands_under_way', 'Commands that were sent and wait for their reply.', ({ commands }) => commands.underWay],
  ['latchd_commands_waiting', 'Commands and card changes that wait for their turn at a lock.', ({ commands }) => commands.waiting],
  [
    'latchd_entries_oldest_pending_timestamp_seconds',
    'Since when the card or passcode waits that waits longest; 0 when none does.',
    ({ credentials }) => (credentials.oldestPendingDate ?? 0) / 1_000,
  ],
  ['latchd_entries_failing', 'Cards and passcodes that were tried three times without success.', ({ credentials }) => credentials.failing],
  ['latchd_mqtt_connections', 'Open connections to the broker.', ({ broker }) => broker.openConnections],
  ['latchd_mqtt_reads_waiting', 'Connections that wait for their turn to be read.', ({ broker }) => broker.readsWaiting],
  ['latchd_event_listeners', 'Clients that listen to live events.', ({ events }) => events.listeners],
  ['latchd_notifications_waiting', 'What is to be told to people and waits.', ({ notifications }) => notifications.waiting],
  ['latchd_webhook_deliveries_waiting', 'Deliveries of webhooks that wait in memory.', ({ webhooks }) => webhooks.waiting],
  [
    'latchd_home_assistant_connected',
    '1 while the broker of Home Assistant is connected; 0 also when none is configured.',
    ({ homeAssistant }) => Number(homeAssistant.connected),
  ],
  ['latchd_mqtt_held_bytes', 'Bytes of messages that wait for the disk.', ({ broker }) => broker.heldBytes],
];

/** Since the start. */
export const counters: readonly (readonly [name: string, help: string, Read])[] = [
  ['latchd_events_stored_total', 'Events that became records.', ({ store }) => store.stored],
  ['latchd_events_duplicate_total', 'Events that had been stored before.', ({ store }) => store.duplicates],
  [
    'latchd_mqtt_stuck_readers_total',
    'Connections that were closed because the other side took nothing.',
    ({ broker }) => broker.stuckReaders,
  ],
  ['latchd_mqtt_malformed_messages_total', 'Messages of locks that could not be understood.', ({ broker }) => broker.malformedMessages],
  [
    'latchd_mqtt_unacknowledged_messages_total',
    'Messages left to the lock because they could not be stored.',
    ({ broker }) => broker.messagesLeftUnacknowledged,
  ],
  ['latchd_event_listeners_behind_total', 'How often a listener read more slowly than things happened.', ({ events }) => events.behind],
  ['latchd_event_listeners_slow_total', 'Listeners that were ended because they took nothing.', ({ events }) => events.slow],
  ['latchd_event_listeners_refused_total', 'Listeners beyond the limits.', ({ events }) => events.refused],
  ['latchd_home_assistant_published_total', 'Messages to Home Assistant.', ({ homeAssistant }) => homeAssistant.published],
  ['latchd_mqtt_hook_failures_total', 'Bugs that were contained; each has a line in the log.', ({ broker }) => broker.hookFailures],
];

/** Since the start, each with the label `reason`. */
export const countersByReason: readonly (readonly [name: string, help: string, ReadReasons])[] = [
  [
    'latchd_webhook_deliveries_total',
    'Delivered; refused: attempts that failed; failed: given up after a day; dropped: newer ones took their place.',
    ({ webhooks: { delivered, refused, failed, dropped } }) => ({ delivered, refused, failed, dropped }),
  ],
  [
    'latchd_notifications_total',
    'Messages to people. Sent; refused: attempts that failed; failed: given up after a day.',
    ({ notifications: { sent, refused, failed } }) => ({ sent, refused, failed }),
  ],
  ['latchd_home_assistant_refused_total', 'Commands of Home Assistant that did nothing.', ({ homeAssistant }) => homeAssistant.refused],
  ['latchd_mqtt_refused_connections_total', 'Connections that were refused.', ({ broker }) => broker.refusedConnections],
  ['latchd_mqtt_refused_frames_total', 'Connections that were ended for what came over them.', ({ broker }) => broker.refusedFrames],
  ['latchd_mqtt_refused_publishes_total', "Messages to topics that are not the sender's.", ({ broker }) => broker.refusedPublishes],
  ['latchd_mqtt_refused_subscriptions_total', 'Subscriptions that were refused.', ({ broker }) => broker.refusedSubscriptions],
];

/** Of a gateway that keeps its data in a database: present values. */
export const databaseGauges: typeof gauges = [
  [
    'latchd_lease_seconds_left',
    'For how long this node may still serve unless the database takes its sign; 0: it does not serve.',
    ({ database }) => database?.leaseSecondsLeft ?? 0,
  ],
  [
    'latchd_leader',
    'Whether this node has the right to write: webhooks, bridges and daily jobs run here.',
    ({ database }) => (database?.leads ? 1 : 0),
  ],
  [
    'latchd_relayed_connections',
    'Connections of locks that this node passes on to the leader.',
    ({ database }) => database?.relayedConnections ?? 0,
  ],
];

/** The same, since the start. */
export const databaseCounters: typeof counters = [
  [
    'latchd_database_reconnects_total',
    'Connections to the database that were made in place of lost ones.',
    ({ database }) => database?.reconnects ?? 0,
  ],
  [
    'latchd_stream_conflicts_total',
    'How often events had to be read again, because another node had stored events of the lock.',
    ({ database }) => database?.streamConflicts ?? 0,
  ],
  ['latchd_fenced_writes_total', 'Writes that were refused because another node serves.', ({ database }) => database?.fencedWrites ?? 0],
];
