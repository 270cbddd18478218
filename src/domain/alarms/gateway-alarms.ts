// The alarms of the gateway itself, for which it looks again and again.
import type { Clock } from '../clock.ts';
import { databaseAlarms } from './alarm.ts';
import type { AlarmService } from './alarm-service.ts';
import { createClockAlarm } from './clock-alarm.ts';
import { createDatabaseAlarms, type DatabaseHealth } from './database-alarms.ts';

export interface GatewayAlarmsOptions {
  readonly clock: Clock;
  readonly alarms: AlarmService;
  readonly clockIsSuspect: () => boolean;
  /** Returns the evidence against the gateway's clock, if there is any. */
  readonly clockEvidence: () => string | undefined;
  /** Returns 'ok', or what is wrong with the storage. */
  readonly storageHealth: () => string;
  /** undefined: the data is in files. */
  readonly database: DatabaseHealth | undefined;
}

/** A statement gets no answer for 10 s before anybody knows that the database is away, or that an old connection is dead. */
const ownReasonMs = 15_000;

/** The returned function looks once. */
export function createGatewayAlarms(options: GatewayAlarmsOptions): () => void {
  const { clock, alarms, storageHealth, database } = options;
  const lookAtClock = createClockAlarm(options);
  const lookAtDatabase = database === undefined ? withoutDatabase : createDatabaseAlarms({ ...options, database });

  /** The data was moved from a database to files, and its alarms came along. */
  function withoutDatabase(): false {
    for (const kind of databaseAlarms) alarms.clear(kind, null);
    return false;
  }
  /** Since when the storage has failed, and neither a database that is away nor its standby says why; undefined: it has not. */
  let failingSince: number | undefined;

  /**
   * For how long it has failed for a reason of its own; undefined: that is not known yet. One cause is one alarm, also in the moments before
   * the database is known to be away, and between its return and the probe that finds that the storage works.
   */
  function failsAloneMs(holdsUp: boolean): number | undefined {
    if (database === undefined) return 0;
    if (holdsUp) failingSince = undefined;
    else failingSince ??= clock.monotonic();
    const ms = failingSince === undefined ? 0 : clock.monotonic() - failingSince;
    return ms >= ownReasonMs ? ms : undefined;
  }

  return () => {
    lookAtClock();
    const holdsUp = lookAtDatabase();
    const health = storageHealth();
    if (health === 'ok') {
      failingSince = undefined;
      alarms.clear('storage-unavailable', null);
      return;
    }
    const ms = failsAloneMs(holdsUp);
    if (ms !== undefined) alarms.raise('storage-unavailable', null, { reason: health, since: Math.round(clock.now() - ms) });
  };
}
