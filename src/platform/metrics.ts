// The metrics for Prometheus, by its naming rules (only this file names prom-client): counters that rise as things happen, and stats that
// are read at each scrape (watched-stats.ts). Labels come from closed lists, or are locks, and locks only up to a limit: whatever a client
// sends, the number of series stays small.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DomainEvents } from '../domain/domain-events.ts';
import type { EventBus } from '../domain/event-bus.ts';
import { counters, countersByReason, databaseCounters, databaseGauges, gauges, type WatchedStats } from './watched-stats.ts';

/** A finished request; `route` is a path of the route table, undefined when no route matches. */
export interface WatchedRequest {
  readonly method: string;
  readonly route: string | undefined;
  /** undefined: the client disconnected before its answer. */
  readonly status: number | undefined;
  readonly ms: number;
}

export interface Metrics {
  request(request: WatchedRequest): void;
  /** All metrics in Prometheus's text format. */
  exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** With more locks than this, there are only sums over all of them. */
const mostLocks = 1_000;

/** The outcomes of Protocol 5.2, and our own words for the end of a command. Any other word of a lock counts as `other`. */
const knownOutcomes: readonly string[] = [
  ...['ok', 'lost', 'no-reply', 'unsent'],
  ...['expired', 'jammed', 'low-battery', 'privacy-lock', 'no-space', 'clock-not-set', 'not-found', 'not-supported'],
  ...['busy', 'failed', 'remote-not-allowed', 'not-calibrated'],
];
const knownMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
/** Bounds of the histograms in seconds: short ones for a disk or a nearby lock, long ones for what people wait for. */
const shortSeconds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const longSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Registers = Registry[];
/** Brings metrics up to date before an exposition. */
type Pull = (now: WatchedStats) => void;

/** Counts the events of the bus; reads the stats at each exposition. */
export function createMetrics(options: {
  readonly version: string;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly stats: () => WatchedStats;
  /** Whether the data is in a database. */
  readonly hasDatabase: boolean;
}): Metrics {
  const { version, events, stats, hasDatabase } = options;
  const registry = new Registry();
  const registers: Registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'latchd_build_info', help: 'Always 1; its label says which version runs.', labelNames: ['version'], registers }).set(
    { version },
    1,
  );
  watchCommands(registers, events);
  watchDisk(registers, events);
  if (hasDatabase) {
    watchDatabase(registers, events);
    watchForwarding(registers, events);
  }
  const pulls = [
    ...createStatsMetrics(registers, hasDatabase),
    createAlarmMetrics(registers),
    createEntryMetrics(registers),
    createLockMetrics(registers),
    createUpdateMetrics(registers),
  ];
  return {
    request: createRequestMetrics(registers),
    async exposition() {
      const now = stats();
      for (const pull of pulls) pull(now);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function createRequestMetrics(registers: Registers): Metrics['request'] {
  const requests = new Counter({
    name: 'latchd_http_requests_total',
    help: 'Requests by answer.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'latchd_http_request_duration_seconds',
    help: 'From a request to its answer.',
    labelNames: ['route'],
    buckets: longSeconds,
    registers,
  });
  return ({ method, route = 'unknown', status, ms }) => {
    requests.inc({ method: knownMethods.includes(method) ? method : 'other', route, status: status ?? 'gone' });
    seconds.observe({ route }, ms / 1_000);
  };
}

function watchCommands(registers: Registers, events: Pick<EventBus, 'subscribe'>): void {
  const commands = new Counter({
    name: 'latchd_commands_total',
    help: 'Commands that were sent to locks, by outcome.',
    labelNames: ['op', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'latchd_command_duration_seconds',
    help: 'From a command to the reply of the lock.',
    labelNames: ['op'],
    buckets: longSeconds,
    registers,
  });
  function commandEnded({ op, outcome, ms }: DomainEvents['command-ended']): void {
    commands.inc({ op, outcome: knownOutcomes.includes(outcome) ? outcome : 'other' });
    seconds.observe({ op }, ms / 1_000);
  }
  events.subscribe('command-ended', commandEnded);
  events.subscribe('own-command-ended', commandEnded);
}

function watchDisk(registers: Registers, events: Pick<EventBus, 'subscribe'>): void {
  const pubackSeconds = new Histogram({
    name: 'latchd_puback_duration_seconds',
    help: 'From events to their PUBACK, which follows their flush.',
    buckets: shortSeconds,
    registers,
  });
  const flushSeconds = new Histogram({
    name: 'latchd_store_flush_duration_seconds',
    help: 'Flushes of the disk, or statements until the database has stored them.',
    buckets: shortSeconds,
    registers,
  });
  events.subscribe('events-acknowledged', ({ ms }) => pubackSeconds.observe(ms / 1_000));
  events.subscribe('disk-flushed', ({ ms }) => flushSeconds.observe(ms / 1_000));
}

function watchDatabase(registers: Registers, events: Pick<EventBus, 'subscribe'>): void {
  const batch = new Histogram({
    name: 'latchd_ingest_batch_events',
    help: 'Events that one statement stored in the database.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000],
    registers,
  });
  const seconds = new Histogram({
    name: 'latchd_ingest_seconds',
    help: 'From such a statement to its commit.',
    buckets: shortSeconds,
    registers,
  });
  const waits = new Histogram({
    name: 'latchd_change_wait_seconds',
    help: 'From the commit of a change until every other node that answers from memory knew it.',
    buckets: longSeconds,
    registers,
  });
  events.subscribe('change-waited', ({ ms }) => waits.observe(ms / 1_000));
  events.subscribe('batch-stored', ({ events: count, ms }) => {
    batch.observe(count);
    seconds.observe(ms / 1_000);
  });
}

function watchForwarding(registers: Registers, events: Pick<EventBus, 'subscribe'>): void {
  const forwarded = new Counter({
    name: 'latchd_forwarded_total',
    help: 'Requests that were sent on to the leader, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  events.subscribe('request-forwarded', ({ outcome }) => forwarded.inc({ outcome }));
}

/** What `watched-stats.ts` lists. */
function createStatsMetrics(registers: Registers, hasDatabase: boolean): Pull[] {
  return [
    ...[...gauges, ...(hasDatabase ? databaseGauges : [])].map(([name, help, read]): Pull => {
      const metric = new Gauge({ name, help, registers });
      return (now) => {
        const value = read(now);
        return value === undefined ? metric.remove() : metric.set(value);
      };
    }),
    ...[...counters, ...(hasDatabase ? databaseCounters : [])].map(([name, help, read]): Pull => {
      const metric = new Counter({ name, help, registers });
      return (now) => {
        metric.reset();
        metric.inc(read(now));
      };
    }),
    ...countersByReason.map(([name, help, read]): Pull => {
      const metric = new Counter({ name, help, labelNames: ['reason'], registers });
      return (now) => {
        metric.reset();
        for (const [reason, count] of Object.entries(read(now))) metric.inc({ reason }, count);
      };
    }),
    ...(hasDatabase ? [createFeedMetrics(registers)] : []),
  ];
}

function createFeedMetrics(registers: Registers): Pull {
  const help = 'Changes of another node that this one had not taken in at its last look.';
  const lag = new Gauge({ name: 'latchd_feed_lag', help, labelNames: ['feed'], registers });
  return ({ database }) => lag.set({ feed: 'change' }, database?.changesBehind ?? 0);
}

function createAlarmMetrics(registers: Registers): Pull {
  const alarms = new Gauge({ name: 'latchd_alarms', help: 'Alarms that stand, by kind.', labelNames: ['kind'], registers });
  return (now) => {
    for (const [kind, count] of Object.entries(now.alarms)) alarms.set({ kind }, count);
  };
}

function createEntryMetrics(registers: Registers): Pull {
  const entries = new Gauge({
    name: 'latchd_entries',
    help: 'Cards and passcodes of locks, by status.',
    labelNames: ['status'],
    registers,
  });
  return ({ credentials }) => {
    for (const [status, count] of Object.entries(credentials.entries)) entries.set({ status }, count);
  };
}

function createLockMetrics(registers: Registers): Pull {
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
  return ({ locks }) => {
    online.reset();
    battery.reset();
    for (const { lockId, isOnline, batteryPercent } of locks.slice(0, mostLocks)) {
      online.set({ lock_id: lockId }, Number(isOnline));
      if (batteryPercent !== null) battery.set({ lock_id: lockId }, batteryPercent);
    }
  };
}

/** No series while it is not known: 0 says that there is no newer one. */
function createUpdateMetrics(registers: Registers): Pull {
  const available = new Gauge({
    name: 'latchd_update_available',
    help: 'Whether the version of the label, the newest in the repository, is newer than the one that runs; absent while that is not known.',
    labelNames: ['version'],
    registers,
  });
  return ({ update: { state, version } }) => {
    available.reset();
    if (version !== null) available.set({ version }, Number(state === 'available'));
  };
}
