// Of which alarms a webhook was told, so that what began or ended in a crash is made up for, and nothing is told twice.
import type { AlarmEvent, LiveEvent } from '../events/live-event.ts';
import type { ToldAlarm } from '../webhooks/webhook.ts';

export interface ToldAlarms {
  /** Whether to tell of it; from then on it counts as told. Everything but alarms is news. */
  isNews(event: LiveEvent): boolean;
  /** Given the alarms that stand: an event for each of which it does not know, and for each that it believes in and that is over. */
  missed(standing: readonly AlarmEvent[]): readonly AlarmEvent[];
  all(): readonly ToldAlarm[];
}

export function createToldAlarms(initial: readonly ToldAlarm[]): ToldAlarms {
  const told = new Map(initial.map((alarm) => [nameOf(alarm), alarm]));

  return {
    isNews(event) {
      if (event.type === 'alarm-ended') return told.delete(nameOf(event));
      if (event.type !== 'alarm') return true;
      const known = told.get(nameOf(event.alarm));
      told.set(nameOf(event.alarm), toldAlarm(event));
      return known?.since !== event.alarm.since;
    },
    missed(standing) {
      const names = new Set(standing.flatMap((event) => (event.type === 'alarm' ? [nameOf(event.alarm)] : [])));
      const ended = [...told.values()].filter((alarm) => !names.has(nameOf(alarm)));
      return [...ended.map((alarm) => ({ type: 'alarm-ended', ...alarm }) as const), ...standing];
    },
    all: () => [...told.values()],
  };
}

export function toldAlarm({ alarm: { kind, lockId, since } }: Extract<AlarmEvent, { type: 'alarm' }>): ToldAlarm {
  return { kind, lockId, since };
}

function nameOf({ kind, lockId }: Pick<ToldAlarm, 'kind' | 'lockId'>): string {
  return `${kind} ${lockId}`;
}
