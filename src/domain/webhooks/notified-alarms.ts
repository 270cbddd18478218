// The active alarms that a receiver was notified of: none is notified twice, and what began or was cleared in a crash is made up for.
import type { AlarmEvent, LiveEvent } from '../events/live-event.ts';
import type { NotifiedAlarm } from './delivery.ts';

export type NotifiedAlarms = ReturnType<typeof createNotifiedAlarms>;

export function createNotifiedAlarms(initial: readonly NotifiedAlarm[]) {
  const notified = new Map(initial.map((alarm) => [nameOf(alarm), alarm]));
  return {
    /** Whether the receiver knows of it already; from now on it does. Only of alarms. */
    isDuplicate(event: LiveEvent): boolean {
      if (event.type === 'alarm-ended') return !notified.delete(nameOf(event));
      if (event.type !== 'alarm') return false;
      const known = notified.get(nameOf(event.alarm));
      notified.set(nameOf(event.alarm), notifiedAlarm(event));
      return known?.since === event.alarm.since;
    },
    /** What the receiver has to be notified of when exactly these alarms are active; duplicates among it. */
    missed(active: readonly AlarmEvent[]): readonly AlarmEvent[] {
      const names = new Set(active.flatMap((event) => (event.type === 'alarm' ? [nameOf(event.alarm)] : [])));
      const cleared = [...notified.values()].filter((alarm) => !names.has(nameOf(alarm)));
      return [...cleared.map((alarm) => ({ type: 'alarm-ended', ...alarm }) as const), ...active];
    },
    all: (): readonly NotifiedAlarm[] => [...notified.values()],
  };
}

export function notifiedAlarm({ alarm: { kind, lockId, since } }: Extract<AlarmEvent, { type: 'alarm' }>): NotifiedAlarm {
  return { kind, lockId, since };
}

function nameOf({ kind, lockId }: Pick<NotifiedAlarm, 'kind' | 'lockId'>): string {
  return `${kind} ${lockId}`;
}
