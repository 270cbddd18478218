// What a lock publishes, by channel: validated, matched with its session, and handed to the domain (Protocol 4, 5.2, 6).
import { DomainError } from '../domain/errors.ts';
import type { LockId } from '../domain/lock.ts';
import type { Log } from '../domain/part.ts';
import type { Clock, Quarantine } from '../domain/ports.ts';
import type { ReportService } from '../domain/report-service.ts';
import { type AllowanceRate, createAllowances } from './allowances.ts';
import type { CommandSender } from './command-sender.ts';
import type { Connection } from './connection.ts';
import { createEventQuota } from './event-quota.ts';
import { decodeEvents } from './events-payload.ts';
import { createLimitedLog } from './limited-log.ts';
import { batteryMessage, helloMessage, replyMessage, stateMessage } from './messages.ts';
import { decode } from './payload.ts';
import { createStorageRecovery } from './storage-recovery.ts';
import type { ReportChannel } from './topics.ts';

export interface ReportReceiverOptions {
  readonly reports: ReportService;
  readonly sender: CommandSender;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly log: Log;
  /** How many events a lock may have stored. */
  readonly eventRate?: AllowanceRate;
}

/** `leave`: no PUBACK, for what could not be stored; the lock keeps it and sends it again (Protocol 4.4). */
export type Receipt = 'acknowledge' | 'leave';

export interface ReceiverFigures {
  readonly malformedMessages: number;
  readonly invalidEvents: number;
  readonly ignoredReports: number;
  readonly messagesLeftUnacknowledged: number;
  /** Connections that were closed for saying hello all the time. */
  readonly helloFloods: number;
  /** Messages of locks that have sent more events than any door has. */
  readonly messagesOverQuota: number;
  /** Locks that wait until storage works again, or until they may store again, now: at most all that are connected. */
  readonly locksWaitingForStorage: number;
  readonly locksOverQuota: number;
}

type Kept = Awaited<ReturnType<ReportService['events']>>;
const noDuplicates: Kept = { duplicates: 0 };

/** Twice what the logins of a lock may be: whoever may log in may also say so. What takes it online with `status` counts, too. */
const helloRate = { perSecond: 2, burst: 120, maxKeys: 100_000 };

export interface ReportReceiver {
  /** A lock has logged in; it is online only after its hello. */
  connected(connection: Connection): void;
  /** Takes effect before it returns, in the order of the calls; only what must be on the disk first is a promise. Rejects for a bug. */
  receive(connection: Connection, channel: ReportChannel, payload: Buffer): Receipt | Promise<Receipt>;
  ended(connection: Connection, reason: string): void;
  /** A command is under way on it. */
  isUrgent(connection: Connection): boolean;
  /** For the probe of the disk, as long as there is room: locks with unacknowledged events are closed once (Protocol 4.4). */
  storageWorks(): void;
  figures(): ReceiverFigures;
}

export function createReportReceiver({ reports, sender, quarantine, clock, log, eventRate }: ReportReceiverOptions): ReportReceiver {
  const limited = createLimitedLog({ clock, log });
  const busy = (connection: Connection) => sender.busy(connection) || connection.isUrgent();
  const recovery = createStorageRecovery({ clock, busy });
  const quota = createEventQuota({ clock, busy, ...(eventRate && { rate: eventRate }) });
  const hellos = createAllowances<LockId>({ clock, ...helloRate });
  const current = new WeakSet<Connection>();
  /** Connections within an online period: `reports.offline` ends it, once. */
  const online = new WeakSet<Connection>();
  const figures = {
    malformedMessages: 0,
    invalidEvents: 0,
    ignoredReports: 0,
    messagesLeftUnacknowledged: 0,
    messagesOverQuota: 0,
    helloFloods: 0,
  };

  function goneOffline(connection: Connection, reason: string): void {
    if (online.delete(connection)) reports.offline(connection.lockId, reason);
  }

  function status(connection: Connection, payload: Buffer): Receipt | Promise<Receipt> {
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

  function hello(connection: Connection, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, helloMessage);
    if (!message.ok) return malformed(connection, 'hello', message.reason, payload);
    const { protocol, session, uptime, ...report } = message.value;
    if (!hellos.take(connection.lockId)) return tooManyHellos(connection);
    if (!sender.begin(connection, { session, uptime })) return ignored(connection, 'hello', 'it came already');
    online.add(connection);
    reports.hello(connection.lockId, report);
    if (!sender.online(connection)) goneOffline(connection, 'it said so before its hello');
    return 'acknowledge';
  }

  function state(connection: Connection, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, stateMessage);
    if (!message.ok) return malformed(connection, 'state', message.reason, payload);
    const { session, ...report } = message.value;
    if (session !== sender.sessionText(connection)) return ignored(connection, 'state', 'another session');
    reports.state(connection.lockId, report);
    return 'acknowledge';
  }

  function battery(connection: Connection, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, batteryMessage);
    if (!message.ok) return malformed(connection, 'battery', message.reason, payload);
    if (message.value.session !== sender.sessionText(connection)) return ignored(connection, 'battery', 'another session');
    reports.battery(connection.lockId, { level: message.value.level });
    return 'acknowledge';
  }

  function reply(connection: Connection, payload: Buffer): Receipt | Promise<Receipt> {
    const message = decode(payload, replyMessage);
    if (!message.ok) return malformed(connection, 'reply', message.reason, payload);
    const resolve = sender.take(connection, message.value);
    if (resolve === undefined) return 'acknowledge';
    try {
      if (message.value.state !== undefined) reports.state(connection.lockId, { state: message.value.state });
      if (message.value.battery !== undefined) reports.battery(connection.lockId, { level: message.value.battery });
    } finally {
      // Whatever the domain made of the report: the lock has answered, and somebody waits for it.
      resolve();
    }
    return 'acknowledge';
  }

  function events(connection: Connection, payload: Buffer): Promise<Receipt> {
    const message = decodeEvents(payload);
    if (!message.ok) return malformed(connection, 'events', message.reason, payload);
    const { epoch, valid, invalid, reason } = message.value;
    if (valid.length > 0 && !quota.mayStore(connection)) return overQuota(connection);
    quota.charge(connection, valid.length);
    const begun = valid.length > 0 ? reports.events(connection.lockId, { epoch, events: valid }) : Promise.resolve(noDuplicates);
    if (invalid.length === 0) return storedEvents(connection, begun, valid.length);
    figures.invalidEvents += invalid.length;
    noteMalformed(connection, 'events', reason);
    const kept = quarantine.keep(connection.deviceId, reason, textOf({ epoch, events: invalid }, payload));
    return storedEvents(connection, both(begun, kept), valid.length);
  }

  function malformed(connection: Connection, channel: ReportChannel, reason: string, payload: Buffer): Promise<Receipt> {
    figures.malformedMessages++;
    noteMalformed(connection, channel, reason);
    return stored(connection, quarantine.keep(connection.deviceId, `${channel}: ${reason}`, payload.toString('utf8')));
  }

  /** Each may change the lock's document, which is a write and a flush. */
  function tooManyHellos(connection: Connection): Receipt {
    const { lockId, deviceId } = connection;
    figures.helloFloods++;
    limited.warn(
      `hellos ${lockId}`,
      { code: 'hello-flood', lockId, deviceId },
      'A lock says hello all the time; its connection was closed.',
    );
    connection.close('it says hello all the time');
    return 'leave';
  }

  function overQuota(connection: Connection): Promise<Receipt> {
    const { lockId, deviceId } = connection;
    figures.messagesOverQuota++;
    limited.warn(
      `quota ${lockId}`,
      { code: 'event-flood', lockId, deviceId },
      'A lock sends more events than a door can have; for some time no more are stored.',
    );
    return Promise.resolve('leave');
  }

  function noteMalformed({ lockId, deviceId }: Connection, channel: ReportChannel, reason: string): void {
    limited.warn(
      `malformed ${lockId}`,
      { code: 'message-malformed', lockId, deviceId, channel, reason },
      'A message of a lock cannot be understood.',
    );
  }

  function ignored({ lockId, deviceId }: Connection, channel: ReportChannel, reason: string): Receipt {
    figures.ignoredReports++;
    log.debug({ lockId, deviceId, channel, reason }, 'A report was ignored.');
    return 'acknowledge';
  }

  /** The answer when that is on the disk, or is not. */
  function stored(connection: Connection, work: Promise<void>): Promise<Receipt> {
    return work.then(
      () => 'acknowledge',
      (error) => leave(connection, error, 0),
    );
  }

  /** As `stored`. One `then`: events come by the thousand, and every promise is kept until a flush. */
  function storedEvents(connection: Connection, work: Promise<Kept>, events: number): Promise<Receipt> {
    return work.then(
      ({ duplicates }) => {
        // They take no room. A lock whose PUBACKs get lost sends them again and again.
        if (duplicates > 0) quota.charge(connection, -duplicates);
        return 'acknowledge';
      },
      (error) => leave(connection, error, events),
    );
  }

  function leave(connection: Connection, error: unknown, events: number): Receipt {
    if (!isStorageUnavailable(error)) throw error;
    // They come again, and are not to be paid for twice.
    quota.charge(connection, -events);
    figures.messagesLeftUnacknowledged++;
    // One that has ended meanwhile sends again by itself.
    if (current.has(connection)) recovery.left(connection);
    const { lockId, deviceId } = connection;
    limited.warn(
      `left ${lockId}`,
      { code: 'events-left', lockId, deviceId },
      'Events could not be stored and were left unacknowledged; the lock keeps them.',
    );
    return 'leave';
  }

  /** Resolves when both are on the disk; rejects when both have ended, with a bug rather than with a full disk. */
  async function both(events: Promise<Kept>, quarantined: Promise<void>): Promise<Kept> {
    const results = await Promise.allSettled([events, quarantined]);
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (reasons.length > 0) throw reasons.find((reason) => !isStorageUnavailable(reason)) ?? reasons[0];
    return events;
  }

  const channels = { status, hello, state, battery, events, reply };

  return {
    connected(connection) {
      current.add(connection);
      sender.connected(connection);
    },
    receive: (connection, channel, payload) => channels[channel](connection, payload),
    ended(connection, reason) {
      current.delete(connection);
      recovery.forget(connection);
      quota.forget(connection);
      sender.ended(connection);
      goneOffline(connection, reason);
    },
    isUrgent: sender.busy,
    storageWorks: recovery.works,
    figures: () => ({ ...figures, locksWaitingForStorage: recovery.size(), locksOverQuota: quota.waiting() }),
  };
}

/** JSON can be read at a depth at which it cannot be written; then all of it is kept as it came. A failure here would block what is behind it. */
function textOf(message: object, payload: Buffer): string {
  try {
    return JSON.stringify(message);
  } catch {
    return payload.toString('utf8');
  }
}

function isStorageUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'storage-unavailable';
}
