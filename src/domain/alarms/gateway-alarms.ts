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

/** The returned function looks once. */
export function createGatewayAlarms(options: GatewayAlarmsOptions): () => void {
  const { alarms, storageHealth, database } = options;
  const lookAtClock = createClockAlarm(options);
  const lookAtDatabase = database === undefined ? withoutDatabase : createDatabaseAlarms({ ...options, database });

  /** The data was moved from a database to files, and its alarms came along. */
  function withoutDatabase(): false {
    for (const kind of databaseAlarms) alarms.clear(kind, null);
    return false;
  }
  /** Whether another alarm says, or is about to say, why nothing can be stored. */
  let isSaid = false;

  return () => {
    lookAtClock();
    const holdsUp = lookAtDatabase();
    const health = storageHealth();
    // One cause is one alarm, also in the moments before it begins, and before the storage is found to work again.
    const stands = (['database-away', 'standby-missing'] as const).some((kind) => alarms.active(kind, null) !== undefined);
    isSaid = holdsUp || (isSaid && stands && health !== 'ok');
    if (health === 'ok') alarms.clear('storage-unavailable', null);
    else if (!isSaid) alarms.raise('storage-unavailable', null, { reason: health });
  };
}
