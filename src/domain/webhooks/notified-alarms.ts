// The active alarms of which a receiver was notified: it is not notified twice, and it gets those that began or were cleared in a crash
// later.
import type { AlarmEvent, LiveEvent } from '../events/live-event.ts';
import type { NotifiedAlarm } from './delivery.ts';

export type NotifiedAlarms = ReturnType<typeof createNotifiedAlarms>;

/** The notified alarms of one receiver, beginning with those that were stored. */
export function createNotifiedAlarms(initial: readonly NotifiedAlarm[]) {
  const notified = new Map(initial.map((alarm) => [nameOf(alarm), alarm]));
  return {
    /** Whether the receiver was notified of it already; notes that it is from now on. Only for alarms. */
    isDuplicate(event: LiveEvent): boolean {
      if (event.type === 'alarm-ended') return !notified.delete(nameOf(event));
      if (event.type !== 'alarm') return false;
      const known = notified.get(nameOf(event.alarm));
      notified.set(nameOf(event.alarm), notifiedAlarm(event));
      return known?.since === event.alarm.since;
    },
    /** The events that the receiver must get when exactly these alarms are active; it may contain duplicates. */
    missed(active: readonly AlarmEvent[]): readonly AlarmEvent[] {
      const names = new Set(active.flatMap((event) => (event.type === 'alarm' ? [nameOf(event.alarm)] : [])));
      const cleared = [...notified.values()].filter((alarm) => !names.has(nameOf(alarm)));
      return [...cleared.map((alarm) => ({ type: 'alarm-ended', ...alarm }) as const), ...active];
    },
    all: (): readonly NotifiedAlarm[] => [...notified.values()],
  };
}

/** What is stored of an alarm that the receiver was notified of. */
export function notifiedAlarm({ alarm: { kind, lockId, since } }: Extract<AlarmEvent, { type: 'alarm' }>): NotifiedAlarm {
  return { kind, lockId, since };
}

function nameOf({ kind, lockId }: Pick<NotifiedAlarm, 'kind' | 'lockId'>): string {
  return `${kind} ${lockId}`;
}
