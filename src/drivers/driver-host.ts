// What the gateway gives to a driver, and what the driver gives to the gateway. app/makes.ts has the list of makes.
import type { ClientHandlers, Rejection } from '../broker/client-handlers.ts';
import type { Clock } from '../domain/clock.ts';
import type { Emit } from '../domain/event-bus.ts';
import type { DeviceLogin, Driver } from '../domain/locks/driver.ts';
import type { LockStore } from '../domain/locks/lock-ports.ts';
import type { ReportService } from '../domain/locks/report-service.ts';
import type { Log } from '../domain/part.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { CaptureTap } from './capture-tap.ts';
import type { EventRecords } from './event-records.ts';

export interface DriverHost {
  readonly clock: Clock;
  readonly locks: Pick<LockStore, 'get' | 'byDevice'>;
  readonly secrets: Pick<Secrets, 'hash' | 'equal'>;
  /** Where the driver brings what it hears. */
  readonly reports: ReportService;
  /** Where it brings events of devices that do not number them, or tell them again and again. */
  readonly eventRecords: EventRecords;
  readonly emit: Emit;
  readonly log: Log;
  readonly captures: CaptureTap;
  /** Where devices log in; a port is null while nothing listens there. */
  deviceLogin(): Omit<DeviceLogin, 'username'>;
  /** A device spoke of a topic that is not its own; counted. */
  droppedForeign(): void;
}

/** Those of a driver whose locks log in to the broker. */
export interface DriverHandlers extends ClientHandlers {
  /** Its locks, and nobody else, log in under such user names. The session name of each of its clients begins with its kind and a slash. */
  owns(username: string): boolean;
}

export interface DriverParts {
  readonly driver: Driver;
  readonly handlers: DriverHandlers;
}

/**
 * One broker for all: each login is decided by the driver that owns its user name, and by the native one when there is none. A deviceId is always
 * the native one's. `devices` is for devices of other makes alone, so that no key of ours is of use where it can be read on the way; and they
 * are not for `mqtt`, where anybody may try. While another node may still act, those of other makes are sent away: their commands know no expiry,
 * and while this one stands in for it, an event of theirs would be stored nowhere, and they send none again. So are those that another node passes on: their commands know no expiry, and one that lies in
 * that node while it stands still would arrive late.
 */
export function routeLogins(native: ClientHandlers, others: readonly DriverHandlers[], isAlone: () => boolean): ClientHandlers {
  return {
    authenticate(request, connection) {
      const { username = '' } = request;
      const isDeviceId = /^[0-9a-f]{12}$/.test(username);
      const owner = isDeviceId ? undefined : others.find((handlers) => handlers.owns(username));
      const { listener } = connection;
      if (listener === (owner === undefined ? 'devices' : 'mqtt')) return wrongListener(isDeviceId ? { deviceId: username } : {});
      if (owner === undefined) return native.authenticate(request, connection);
      if (!isAlone()) return awayNow;
      return connection.isRelayed ? relayed : owner.authenticate(request, connection);
    },
  };
}

const relayed: Rejection = { allow: false, code: 3, reason: 'relayed', failedLogin: false, identity: {} };
const awayNow: Rejection = { allow: false, code: 3, reason: 'stands-in', failedLogin: false, identity: {} };

/** Before its key or password is looked at. `identity`: for the log. */
function wrongListener(identity: object): Rejection {
  return { allow: false, code: 5, reason: 'wrong-listener', failedLogin: true, identity };
}
