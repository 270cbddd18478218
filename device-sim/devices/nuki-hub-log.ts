// The lock's own log as nuki_hub publishes it: numbered entries, the newest in rollingLog, the last few in log.
import type { TimeSource } from '../time-source.ts';
import type { DeviceFaults } from './device-faults.ts';

/** An entry without its number and date. */
export type LogDraft = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly authorizationId: number;
  readonly authorizationName: string;
};

type LogEntry = LogDraft & { readonly index: number };

export interface NukiHubLog {
  add(draft: LogDraft): void;
  /** Publishes what is new since the last time, oldest first. */
  roll(): void;
  /** Publishes the last entries in one message. */
  publishAll(): void;
  /** A number that somebody wrote to lastRollingLog: from there on it says its entries again. */
  rewind(index: number): void;
}

export interface NukiHubLogOptions {
  readonly time: TimeSource;
  readonly faults: DeviceFaults;
  /** How many entries `log` has; 5 unless somebody has set more, to 100. */
  readonly entries: number;
  /** Below `<base>/lock/`, retained. */
  readonly say: (topic: string, payload: string) => void;
}

export function createNukiHubLog({ time, faults, entries, say }: NukiHubLogOptions): NukiHubLog {
  const log: LogEntry[] = [];
  let index = 1_834;
  let rolled = index;
  const isOn = (): boolean => !faults.has('log-off');

  return {
    add(draft) {
      index += faults.has('lost-index') ? 2 : 1;
      const at = new Date(time.wall());
      const date = {
        ...{ timeYear: at.getFullYear(), timeMonth: at.getMonth() + 1, timeDay: at.getDate() },
        ...{ timeHour: at.getHours(), timeMinute: at.getMinutes(), timeSecond: at.getSeconds() },
      };
      const { authorizationId, authorizationName, ...rest } = draft;
      log.push({ index, authorizationId, authorizationName, ...date, ...rest });
      log.splice(0, Math.max(0, log.length - 100));
    },
    roll() {
      if (!isOn()) return;
      const fresh = log.filter((entry) => entry.index > rolled);
      for (const [n, entry] of fresh.entries()) {
        if (faults.has('skipped-index') && n === fresh.length - 1) continue;
        say('rollingLog', JSON.stringify(entry));
        if (faults.has('duplicate-log')) say('rollingLog', JSON.stringify(entry));
      }
      rolled = index;
      if (fresh.length > 0) say('lastRollingLog', String(index));
      say('shortLog', JSON.stringify(log.slice(-1)));
    },
    publishAll() {
      if (isOn()) say('log', JSON.stringify(log.slice(-entries)));
    },
    rewind(given) {
      if (given > rolled || faults.has('save-log-number')) return;
      rolled = given;
    },
  };
}
