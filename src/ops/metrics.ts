// What Prometheus is told, by its naming rules (prom-client is named here only). Labels are from closed lists, or are locks, and those
// up to a number: whatever a client sends, the series stay few.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Notice } from '../domain/notice.ts';

/** Counts by reason, since the start. */
type Reasons = Readonly<Record<string, number>>;

/** What is read when Prometheus asks. All counts are since the start unless they are of now. */
export interface WatchedFigures {
  readonly locks: readonly WatchedLock[];
  /** 1 while the data directory takes writes. */
  readonly storageWorks: boolean;
  /** The wall clock may be wrong: nothing is deleted for its age. */
  readonly clockIsSuspect: boolean;
  /** When the newest backup in the usual folder was made, epoch milliseconds; 0: there is none. */
  readonly backupAt: number;
  /** How many stand, by kind. */
  readonly alarms: Reasons;
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
  /** Those who listen to live events. */
  readonly events: { readonly listeners: number; readonly behind: number; readonly slow: number; readonly refused: number };
  readonly webhooks: {
    readonly waiting: number;
    readonly delivered: number;
    readonly refused: number;
    readonly failed: number;
    readonly dropped: number;
  };
}

export interface WatchedLock {
  readonly lockId: number;
  readonly isOnline: boolean;
  /** null: it has never said. */
  readonly batteryPercent: number | null;
}

/** A request that has ended; `route` is a path of the route table, undefined for one that is in none. */
export interface WatchedRequest {
  readonly method: string;
  readonly route: string | undefined;
  /** undefined: the client was gone before its answer. */
  readonly status: number | undefined;
  readonly ms: number;
}

export interface Metrics {
  request(request: WatchedRequest): void;
  /** Counts the commands among what the domain notices. */
  notice(notice: Notice): void;
  /** A message of events is acknowledged, `ms` after it came. */
  eventsAcknowledged(ms: number): void;
  /** A flush of the disk has ended. */
  flushed(ms: number): void;
  /** The whole of it, in Prometheus's text format. */
  exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Beyond so many locks there are only their sums. */
const mostLocks = 1_000;
const lowBatteryPercent = 20;

/** Protocol 5.2, and our own words for what came of a command. What a lock invents beyond them is counted as `other`. */
const knownOutcomes: readonly string[] = [
  ...[
    'ok',
    'lost',
    'no-reply',
    'expired',
    'jammed',
    'low-battery',
    'privacy-lock',
    'no-space',
    'not-found',
    'not-supported',
    'busy',
    'failed',
  ],
];
const knownMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
/** Bounds of the histograms in seconds: of what a disk or a lock nearby does, and of what people wait for. */
const shortSeconds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const longSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Read = (figures: WatchedFigures) => number;
type ReadReasons = (figures: WatchedFigures) => Reasons;

const gauges: readonly (readonly [name: string, help: string, Read])[] = [
  ['latchd_locks', 'Locks that are registered.', ({ locks }) => locks.length],
  ['latchd_locks_online', 'Locks that can be given a command now.', ({ locks }) => locks.filter((lock) => lock.isOnline).length],
  [
    'latchd_locks_low_battery',
    `Locks whose battery is below ${lowBatteryPercent} percent.`,
    ({ locks }) => locks.filter(({ batteryPercent }) => (batteryPercent ?? 100) < lowBatteryPercent).length,
  ],
  ['latchd_locks_disabled', 'Locks whose document is damaged.', ({ store }) => store.disabledLocks],
  ['latchd_records', 'Records in the log.', ({ store }) => store.records],
  ['latchd_storage_works', '1 while the data directory takes flushed writes.', ({ storageWorks }) => Number(storageWorks)],
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
  ['latchd_mqtt_connections', 'Open connections to the broker.', ({ broker }) => broker.openConnections],
  ['latchd_mqtt_reads_waiting', 'Connections that wait for their turn to be read.', ({ broker }) => broker.readsWaiting],
  ['latchd_event_listeners', 'Clients that listen to live events.', ({ events }) => events.listeners],
  ['latchd_webhook_deliveries_waiting', 'Deliveries of webhooks that wait in memory.', ({ webhooks }) => webhooks.waiting],
  ['latchd_mqtt_held_bytes', 'Bytes of messages that wait for the disk.', ({ broker }) => broker.heldBytes],
];

const counters: readonly (readonly [name: string, help: string, Read])[] = [
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
  ['latchd_mqtt_hook_failures_total', 'Bugs that were contained; each has a line in the log.', ({ broker }) => broker.hookFailures],
];

const countersByReason: readonly (readonly [name: string, help: string, ReadReasons])[] = [
  [
    'latchd_webhook_deliveries_total',
    'Delivered; refused: attempts that failed; failed: given up after a day; dropped: newer ones took their place.',
    ({ webhooks: { delivered, refused, failed, dropped } }) => ({ delivered, refused, failed, dropped }),
  ],
  ['latchd_mqtt_refused_connections_total', 'Connections that were refused.', ({ broker }) => broker.refusedConnections],
  ['latchd_mqtt_refused_frames_total', 'Connections that were ended for what came over them.', ({ broker }) => broker.refusedFrames],
  ['latchd_mqtt_refused_publishes_total', "Messages to topics that are not the sender's.", ({ broker }) => broker.refusedPublishes],
  ['latchd_mqtt_refused_subscriptions_total', 'Subscriptions that were refused.', ({ broker }) => broker.refusedSubscriptions],
];

/** `figures` is asked at each exposition. */
export function createMetrics({ version, figures }: { readonly version: string; readonly figures: () => WatchedFigures }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'latchd_build_info', help: 'Always 1; its label says which version runs.', labelNames: ['version'], registers }).set(
    { version },
    1,
  );

  const requests = new Counter({
    name: 'latchd_http_requests_total',
    help: 'Requests by answer.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'latchd_http_request_duration_seconds',
    help: 'From a request to its answer.',
    labelNames: ['route'],
    buckets: longSeconds,
    registers,
  });
  const commands = new Counter({
    name: 'latchd_commands_total',
    help: 'Commands that were sent to locks, by outcome.',
    labelNames: ['op', 'outcome'],
    registers,
  });
  const commandSeconds = new Histogram({
    name: 'latchd_command_duration_seconds',
    help: 'From a command to the reply of the lock.',
    labelNames: ['op'],
    buckets: longSeconds,
    registers,
  });
  const pubackSeconds = new Histogram({
    name: 'latchd_puback_duration_seconds',
    help: 'From events to their PUBACK, which follows their flush.',
    buckets: shortSeconds,
    registers,
  });
  const flushSeconds = new Histogram({
    name: 'latchd_store_flush_duration_seconds',
    help: 'Flushes of the disk.',
    buckets: shortSeconds,
    registers,
  });
  const alarms = new Gauge({ name: 'latchd_alarms', help: 'Alarms that stand, by kind.', labelNames: ['kind'], registers });
  const online = new Gauge({
    name: 'latchd_lock_online',
    help: `1 while the lock can be given a command; for ${mostLocks} locks at most.`,
    labelNames: ['lock_id'],
    registers,
  });
  const battery = new Gauge({
    name: 'latchd_lock_battery_percent',
    help: `What the lock said last; for ${mostLocks} locks at most.`,
    labelNames: ['lock_id'],
    registers,
  });

  const pulled = [
    ...gauges.map(([name, help, read]) => {
      const metric = new Gauge({ name, help, registers });
      return (now: WatchedFigures) => metric.set(read(now));
    }),
    ...counters.map(([name, help, read]) => {
      const metric = new Counter({ name, help, registers });
      return (now: WatchedFigures) => {
        metric.reset();
        metric.inc(read(now));
      };
    }),
    ...countersByReason.map(([name, help, read]) => {
      const metric = new Counter({ name, help, labelNames: ['reason'], registers });
      return (now: WatchedFigures) => {
        metric.reset();
        for (const [reason, count] of Object.entries(read(now))) metric.inc({ reason }, count);
      };
    }),
    (now: WatchedFigures) => {
      for (const [kind, count] of Object.entries(now.alarms)) alarms.set({ kind }, count);
    },
    ({ locks }: WatchedFigures) => {
      online.reset();
      battery.reset();
      for (const { lockId, isOnline, batteryPercent } of locks.slice(0, mostLocks)) {
        online.set({ lock_id: lockId }, Number(isOnline));
        if (batteryPercent !== null) battery.set({ lock_id: lockId }, batteryPercent);
      }
    },
  ];

  return {
    request({ method, route = 'unknown', status, ms }) {
      requests.inc({ method: knownMethods.includes(method) ? method : 'other', route, status: status ?? 'gone' });
      requestSeconds.observe({ route }, ms / 1_000);
    },
    notice(notice) {
      if (notice.kind !== 'command-ended' && notice.kind !== 'own-command-ended') return;
      const { op, outcome, ms } = notice;
      commands.inc({ op, outcome: knownOutcomes.includes(outcome) ? outcome : 'other' });
      commandSeconds.observe({ op }, ms / 1_000);
    },
    eventsAcknowledged: (ms) => pubackSeconds.observe(ms / 1_000),
    flushed: (ms) => flushSeconds.observe(ms / 1_000),
    async exposition() {
      const now = figures();
      for (const pull of pulled) pull(now);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
