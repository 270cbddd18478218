// The alarms that begin and end with events of a lock.

import type { Clock } from '../clock.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { EventsReport, LockEvent } from '../locks/lock-report.ts';
import { isPlausibleDate } from '../records/record.ts';
import type { RecordStore } from '../records/record-ports.ts';
import type { LostNumbers } from '../revocations/lost-numbers.ts';
import type { AlarmService } from './alarm-service.ts';
import { createLostCardAlarm } from './lost-card-alarm.ts';

/** An event whose date is so far from now says nothing about the lock's clock, which may be set since. */
const liveMs = 60_000;

type EventAlarm = 'tampered' | 'duress' | 'jammed' | 'low-battery';
const alarmOfEvent = new Map<string, EventAlarm>([
  ['tamper', 'tampered'],
  ['duress', 'duress'],
  ['jammed', 'jammed'],
  ['low-battery', 'low-battery'],
]);
const reasonOfEvent = { tampered: 'somebody tampered with it', duress: 'opened under duress' } as const;

export interface EventAlarms {
  /** As Supervision.events. */
  heard(lockId: LockId, report: EventsReport): Promise<void> | undefined;
}

export function createEventAlarms(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly locks: Pick<LockStore, 'get'>;
  readonly records: Pick<RecordStore, 'progress'>;
  readonly alarms: AlarmService;
  readonly clockIsSuspect: () => boolean;
  readonly lost: LostNumbers;
  /** Called when the battery of a lock is low. */
  readonly low: (lockId: LockId, reason: string) => void;
  readonly jammed: (lockId: LockId) => void;
  /** Called when a jammed bolt has moved. */
  readonly freed: (lockId: LockId) => void;
}): EventAlarms {
  const { clock, locks, records, alarms, clockIsSuspect, lost, low, jammed, freed } = options;
  const lostCardAlarm = createLostCardAlarm({ alarms, lost });

  /** The last jam of each lock. */
  const jams = new Map<LockId, { readonly epoch: string; readonly seq: number }>();

  function isMisdated({ date }: LockEvent, now: number): boolean {
    return date !== undefined && !isPlausibleDate(date, now);
  }
  function isWorthALook(lockId: LockId, events: readonly LockEvent[], now: number): boolean {
    if (alarms.active('jammed', lockId) !== undefined || alarms.active('wrong-clock', lockId) !== undefined) return true;
    return events.some((event) => alarmOfEvent.has(event.type) || isMisdated(event, now) || lostCardAlarm.isOfLostCard(event));
  }
  /** The events that are not stored yet: a lock sends an event until its PUBACK, and again when the gateway asks for it. */
  function fresh(lockId: LockId, { epoch, events }: EventsReport): readonly LockEvent[] {
    const { highest, gaps } = records.progress(lockId, epoch);
    return events.filter(({ seq }) => seq > highest || gaps.some(([from, to]) => from <= seq && seq <= to));
  }
  function judgeDates(lockId: LockId, events: readonly LockEvent[], now: number): void {
    const misdated = clockIsSuspect() ? undefined : events.find((event) => isMisdated(event, now));
    const last = events.at(-1)?.date;
    if (misdated !== undefined) alarms.raise('wrong-clock', lockId, { reason: `it dated an event ${misdated.date}` });
    if (last !== undefined && Math.abs(last - now) < liveMs) alarms.clear('wrong-clock', lockId);
  }
  /** A bolt that has moved after a jam is not jammed any more: the last of these events decides. */
  function raiseFor(lockId: LockId, epoch: string, events: readonly LockEvent[]): Promise<void> | undefined {
    const begun = new Set<EventAlarm>();
    for (const { seq, type, success } of events) {
      const kind = alarmOfEvent.get(type);
      if (kind !== undefined) begun.add(kind);
      if (kind === 'jammed') jams.set(lockId, { epoch, seq });
      if (kind !== undefined || success === false || !/-(un)?lock$/.test(type)) continue;
      const jam = jams.get(lockId);
      const isOfEpoch = jam?.epoch === epoch;
      // An event that fills a gap happened before the jam.
      if (isOfEpoch && jam.seq > seq) continue;
      begun.delete('jammed');
      alarms.clear('jammed', lockId);
      if (!isOfEpoch) continue;
      jams.delete(lockId);
      freed(lockId);
    }
    let stored: Promise<void> | undefined;
    for (const kind of begun) {
      if (kind === 'low-battery') low(lockId, 'it says that its battery is low');
      else if (kind === 'jammed') jammed(lockId);
      else alarms.raise(kind, lockId, { reason: reasonOfEvent[kind] });
      stored = alarms.stored(kind, lockId) ?? stored;
    }
    return stored;
  }

  return {
    heard(lockId, report) {
      const now = clock.now();
      if (!isWorthALook(lockId, report.events, now) || locks.get(lockId) === undefined) return undefined;
      const added = fresh(lockId, report);
      judgeDates(lockId, added, now);
      const ofLostCard = lostCardAlarm.heard(lockId, added, now);
      const ofEvents = raiseFor(lockId, report.epoch, added);
      return ofLostCard === undefined ? ofEvents : Promise.all([ofLostCard, ofEvents]).then(() => undefined);
    },
  };
}
