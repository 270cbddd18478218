// The active alarms of which a receiver was notified: it is not notified twice, and it gets those that began or were cleared in a crash
// later.
import type { AlarmKind } from '../alarms/alarm.ts';
import type { AlarmEvent, LiveEvent } from '../events/live-event.ts';
import type { LockId } from '../locks/lock.ts';

export interface NotifiedAlarm {
  readonly kind: AlarmKind;
  readonly lockId: LockId | null;
  readonly since: number;
}

/** The notified alarms of one receiver, beginning with those that were stored. */
export function createNotifiedAlarms(initial: readonly NotifiedAlarm[]) {
  const notified = new Map(initial.map((alarm) => [nameOf(alarm), alarm]));
  return {
    /** Whether the receiver was notified of it already; notes that it is from now on. Only for alarms. */
    isDuplicate(event: LiveEvent): boolean {
      if (event.type === 'alarm-ended') return !notified.delete(nameOf(event));
      if (event.type !== 'alarm') return false;
      const known = notified.get(nameOf(event.alarm));
      notified.set(nameOf(event.alarm), noted(event.alarm));
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

/** What is stored of the alarms among these events when the receiver was notified of them. */
export function notifiedAlarms(events: readonly AlarmEvent[]): NotifiedAlarm[] {
  return events.flatMap((event) => (event.type === 'alarm' ? [noted(event.alarm)] : []));
}

function noted({ kind, lockId, since }: NotifiedAlarm): NotifiedAlarm {
  return { kind, lockId, since };
}

function nameOf({ kind, lockId }: Pick<NotifiedAlarm, 'kind' | 'lockId'>): string {
  return `${kind} ${lockId}`;
}
