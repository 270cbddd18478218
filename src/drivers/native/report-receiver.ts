// What a lock publishes, by channel: validated, matched with its session, and handed to the domain (Protocol 4, 5.2, 6).

import type { Receipt } from '../../broker/client-handlers.ts';
import type { Clock } from '../../domain/clock.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import { createKeyedRateLimiter, type Rate } from '../../domain/rate-limiter.ts';
import type { Quarantine } from '../../domain/records/record-ports.ts';
import { decode } from '../payload.ts';
import type { CommandSender } from './command-sender.ts';
import { createEventIngest, type IngestStats } from './event-ingest.ts';
import type { NativeReports } from './follow-ups.ts';
import type { LockLine } from './lock-line.ts';
import { batteryMessage, helloMessage, replyMessage, stateMessage } from './messages.ts';
import type { ReportChannel } from './topics.ts';

export interface ReportReceiverOptions {
  readonly reports: NativeReports;
  readonly sender: CommandSender;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly log: Log;
  /** How many events a lock may have stored. */
  readonly eventRate?: Rate;
}

export interface ReceiverStats extends IngestStats {
  readonly ignoredReports: number;
  /** Connections that were closed for saying hello all the time. */
  readonly helloFloods: number;
}

/** Twice what the logins of a lock may be: whoever may log in may also say so. What takes it online with `status` counts, too. */
const helloRate = { perSecond: 2, burst: 120, maxKeys: 100_000 };

export interface ReportReceiver {
  /** A lock has logged in; it is online only after its hello. */
  connected(connection: LockLine): void;
  /** Takes effect before it returns, in the order of the calls; only what must be on the disk first is a promise. Rejects for a bug. */
  receive(connection: LockLine, channel: ReportChannel, payload: Buffer): Receipt | Promise<Receipt>;
  ended(connection: LockLine, reason: string): void;
  /** A command is under way on it. */
  isUrgent(connection: LockLine): boolean;
  /** For the probe of the disk, as long as there is room: locks with unacknowledged events are closed once (Protocol 4.4). */
  storageWorks(): void;
  stats(): ReceiverStats;
}

/** Receives what all locks publish, and limits how often a lock may say hello. */
export function createReportReceiver({ reports, sender, quarantine, clock, log, eventRate }: ReportReceiverOptions): ReportReceiver {
  const limited = createRateLimitedLog({ clock, log });
  const busy = (connection: LockLine) => sender.busy(connection) || connection.isUrgent();
  const ingest = createEventIngest({ reports, quarantine, clock, limited, busy, eventRate });
  const { malformed } = ingest;
  const hellos = createKeyedRateLimiter<LockId>({ clock, ...helloRate });
  /** Connections within an online period: `reports.offline` ends it, once. */
  const online = new WeakSet<LockLine>();
  const stats = { ignoredReports: 0, helloFloods: 0 };

  function goneOffline(connection: LockLine, reason: string): void {
    if (online.delete(connection)) reports.offline(connection.lockId, reason);
  }

  function status(connection: LockLine, payload: Buffer): Receipt | Promise<Receipt> {
    const text = payload.toString('utf8');
    if (text !== 'online' && text !== 'offline') return malformed(connection, 'status', 'neither online nor offline', payload);
    sender.setAvailable(connection, text === 'online');
    if (text === 'offline') goneOffline(connection, 'it said so');
    else if (sender.online(connection) && !online.has(connection)) {
      // Back without a new hello: nothing new is said, but whoever follows the lock must know, and the log does.
      if (!hellos.take(connection.lockId)) return tooManyHellos(connection);
      online.add(connection);
      reports.hello(connection.lockId, {});
    }
    return 'acknowledge';
  }

  function hello(connection: LockLine, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, helloMessage);
    if (!message.ok) return malformed(connection, 'hello', message.reason, payload);
    const { protocol, session, uptime, features = [], limits = {}, ...report } = message.value;
    if (!hellos.take(connection.lockId)) return tooManyHellos(connection);
    if (!sender.begin(connection, { session, uptime })) return ignored(connection, 'hello', 'it came already');
    online.add(connection);
    reports.hello(connection.lockId, { ...report, features: { features, limits } });
    if (!sender.online(connection)) goneOffline(connection, 'it said so before its hello');
    return 'acknowledge';
  }

  function state(connection: LockLine, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, stateMessage);
    if (!message.ok) return malformed(connection, 'state', message.reason, payload);
    const { session, ...report } = message.value;
    if (session !== sender.sessionText(connection)) return ignored(connection, 'state', 'another session');
    reports.state(connection.lockId, report);
    return 'acknowledge';
  }

  function battery(connection: LockLine, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, batteryMessage);
    if (!message.ok) return malformed(connection, 'battery', message.reason, payload);
    if (message.value.session !== sender.sessionText(connection)) return ignored(connection, 'battery', 'another session');
    reports.battery(connection.lockId, { level: message.value.level });
    return 'acknowledge';
  }

  function reply(connection: LockLine, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, replyMessage);
    if (!message.ok) return malformed(connection, 'reply', message.reason, payload);
    const answered = sender.take(connection, message.value);
    if (answered === undefined) return 'acknowledge';
    try {
      reports.reply(connection.lockId, answered.command, answered.outcome, message.value);
    } finally {
      // Whatever the domain made of the report: the lock has answered, and somebody waits for it.
      answered.resolve();
    }
    return 'acknowledge';
  }

  /** Each may change the lock's document, which is a write and a flush. */
  function tooManyHellos(connection: LockLine): Receipt {
    const { lockId, deviceId } = connection;
    stats.helloFloods++;
    limited.warn(
      `hellos ${lockId}`,
      { code: 'hello-flood', lockId, deviceId },
      'A lock says hello all the time; its connection was closed.',
    );
    connection.close('it says hello all the time');
    return 'leave';
  }

  function ignored({ lockId, deviceId }: LockLine, channel: ReportChannel, reason: string): Receipt {
    stats.ignoredReports++;
    log.debug({ lockId, deviceId, channel, reason }, 'A report was ignored.');
    return 'acknowledge';
  }

  const channels = { status, hello, state, battery, events: ingest.events, reply };

  return {
    connected(connection) {
      ingest.connected(connection);
      sender.connected(connection);
    },
    receive(connection, channel, payload) {
      if (channel !== 'events') ingest.handOver();
      return channels[channel](connection, payload);
    },
    ended(connection, reason) {
      ingest.ended(connection);
      sender.ended(connection);
      goneOffline(connection, reason);
    },
    isUrgent: sender.busy,
    storageWorks: ingest.storageWorks,
    stats: () => ({ ...stats, ...ingest.stats() }),
  };
}
