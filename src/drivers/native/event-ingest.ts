// What a lock says that must be on the disk before its PUBACK: its events, and what cannot be understood, which goes into quarantine. What the
// disk does not take, or what no door has so many of, is left without one: the lock keeps it and sends it again (Protocol 4.4).

import type { Receipt } from '../../broker/client-handlers.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { EventsReport } from '../../domain/locks/lock-report.ts';
import type { ReportService } from '../../domain/locks/report-service.ts';
import type { RateLimitedLog } from '../../domain/rate-limited-log.ts';
import type { Rate } from '../../domain/rate-limiter.ts';
import type { Quarantine } from '../../domain/records/record-ports.ts';
import { withoutNumbers } from '../captured-text.ts';
import { createEventRuns } from './event-coalescer.ts';
import { createEventQuota } from './event-quota.ts';
import { decodeEvents } from './events-payload.ts';
import type { LockLine } from './lock-line.ts';
import { createStorageRecovery } from './storage-recovery.ts';
import type { ReportChannel } from './topics.ts';

export interface IngestStats {
  readonly malformedMessages: number;
  readonly invalidEvents: number;
  readonly messagesLeftUnacknowledged: number;
  /** Messages of locks that have sent more events than any door has. */
  readonly messagesOverQuota: number;
  /** Locks that wait until storage works again, or until they may store again, now: at most all that are connected. */
  readonly locksWaitingForStorage: number;
  readonly locksOverQuota: number;
}

export interface EventIngest {
  connected(connection: LockLine): void;
  ended(connection: LockLine): void;
  /** Resolves when every event of the message is on the disk, or is not. Rejects for a bug. */
  events(connection: LockLine, payload: Buffer): Promise<Receipt>;
  /** To be called before anything else that a lock says takes effect: its events do so a little later, together (event-coalescer.ts). */
  handOver(): void;
  /** A message that cannot be understood; resolves and rejects as `events`. */
  malformed(connection: LockLine, channel: ReportChannel, reason: string, payload: Buffer): Promise<Receipt>;
  /** As ReportReceiver.storageWorks. */
  storageWorks(): void;
  stats(): IngestStats;
}

/** Takes the events of all locks. Each receipt says whether the broker may send the PUBACK. */
export function createEventIngest(options: {
  readonly reports: Pick<ReportService, 'events'>;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly limited: RateLimitedLog;
  /** A command is under way on what carries this connection. */
  readonly busy: (connection: LockLine) => boolean;
  /** How many events a lock may have stored. */
  readonly eventRate: Rate | undefined;
}): EventIngest {
  const { reports, quarantine, clock, limited, busy, eventRate } = options;
  const recovery = createStorageRecovery({ clock, busy });
  const quota = createEventQuota({ clock, busy, ...(eventRate && { rate: eventRate }) });
  const runs = createEventRuns(storedEvents);
  const current = new WeakSet<LockLine>();
  const stats = { malformedMessages: 0, invalidEvents: 0, messagesLeftUnacknowledged: 0, messagesOverQuota: 0 };

  function events(connection: LockLine, payload: Buffer): Promise<Receipt> {
    const message = decodeEvents(payload);
    if (!message.ok) return malformed(connection, 'events', message.reason, payload);
    const { epoch, valid, invalid, reason } = message.value;
    if (valid.length > 0 && !quota.mayStore(connection)) return overQuota(connection);
    quota.charge(connection, valid.length);
    const begun = valid.length > 0 ? runs.add(connection, epoch, valid) : undefined;
    if (begun !== undefined && invalid.length === 0) return begun;
    runs.handOver();
    stats.invalidEvents += invalid.length;
    noteMalformed(connection, 'events', reason);
    const quarantined = quarantine.keep(connection.deviceId, reason, withoutNumbers(textOf({ epoch, events: invalid }, payload)));
    return begun === undefined ? stored(connection, quarantined) : both(connection, begun, quarantined);
  }

  function malformed(connection: LockLine, channel: ReportChannel, reason: string, payload: Buffer): Promise<Receipt> {
    stats.malformedMessages++;
    noteMalformed(connection, channel, reason);
    return stored(connection, quarantine.keep(connection.deviceId, `${channel}: ${reason}`, withoutNumbers(payload.toString('utf8'))));
  }

  function overQuota(connection: LockLine): Promise<Receipt> {
    const { lockId, deviceId } = connection;
    stats.messagesOverQuota++;
    limited.warn(
      `quota ${lockId}`,
      { code: 'event-flood', lockId, deviceId },
      'A lock sends more events than a door can have; for some time no more are stored.',
    );
    return Promise.resolve('leave');
  }

  function noteMalformed({ lockId, deviceId }: LockLine, channel: ReportChannel, reason: string): void {
    limited.warn(
      `malformed ${lockId}`,
      { code: 'message-malformed', lockId, deviceId, channel, reason },
      'A message of a lock cannot be understood.',
    );
  }

  /** The answer when that is on the disk, or is not. */
  function stored(connection: LockLine, work: Promise<void>): Promise<Receipt> {
    return work.then(
      () => 'acknowledge',
      (error) => leave(connection, error, 1),
    );
  }

  /** As `stored`, for a run of messages. */
  function storedEvents(connection: LockLine, report: EventsReport, messages: number): Promise<Receipt> {
    const count = report.events.length;
    return reports.events(connection.lockId, report).then(
      ({ duplicates }) => {
        // They take no room. A lock whose PUBACKs get lost sends them again and again.
        if (duplicates > 0) quota.charge(connection, -duplicates);
        return 'acknowledge';
      },
      (error) => {
        const receipt = leave(connection, error, messages);
        // They come again, and are not to be paid for twice.
        quota.charge(connection, -count);
        return receipt;
      },
    );
  }

  function leave(connection: LockLine, error: unknown, messages: number): Receipt {
    if (!isStorageUnavailable(error)) throw error;
    stats.messagesLeftUnacknowledged += messages;
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

  /** Resolves when both are on the disk, or are not; rejects when both have ended, with a bug rather than with a full disk. */
  async function both(connection: LockLine, begun: Promise<Receipt>, quarantined: Promise<void>): Promise<Receipt> {
    const [events, rest] = await Promise.allSettled([begun, quarantined]);
    if (events.status === 'rejected') throw events.reason;
    // Left already, with its events.
    if (rest.status === 'fulfilled' || (events.value === 'leave' && isStorageUnavailable(rest.reason))) return events.value;
    return leave(connection, rest.reason, 1);
  }

  return {
    connected: (connection) => void current.add(connection),
    ended(connection) {
      runs.handOver();
      current.delete(connection);
      recovery.forget(connection);
      quota.forget(connection);
    },
    events,
    handOver: runs.handOver,
    malformed,
    storageWorks: recovery.works,
    stats: () => ({ ...stats, locksWaitingForStorage: recovery.size(), locksOverQuota: quota.waiting() }),
  };
}

/** JSON can be read at a depth at which it cannot be written; then all of it is stored as it came. A failure here would block what is behind it. */
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
