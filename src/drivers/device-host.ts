// The driver of one make whose devices log in to our broker: a user name and a password for each, and a protocol over each connection.
import type { Authentication, ClientConnection, ConnectRequest, Rejection } from '../broker/client-handlers.ts';
import { DomainError } from '../domain/errors.ts';
import { type Capabilities, changesCapabilities } from '../domain/locks/capabilities.ts';
import type { Driver } from '../domain/locks/driver.ts';
import type { DeviceId, Lock, LockId } from '../domain/locks/lock.ts';
import { createRateLimitedLog, type RateLimitedLog } from '../domain/rate-limited-log.ts';
import { createKeyedRateLimiter } from '../domain/rate-limiter.ts';
import { DeviceClient, type DeviceClientOptions } from './device-client.ts';
import { deviceIdentity } from './device-identity.ts';
import type { DeviceKind } from './device-protocol.ts';
import type { DriverHandlers, DriverHost, DriverParts } from './driver-host.ts';
import { invalidDriver } from './invalid-driver.ts';

/** A device that loses its network for a moment comes back at once; one that comes back every second is broken, or two. */
const loginRate = { perSecond: 1, burst: 60, maxKeys: 100_000 };
const takeoverRate = { perSecond: 2 / 60, burst: 2, maxKeys: 10_000 };
/** Passwords are far shorter; hashing what a stranger sends must stay cheap. */
const maxPasswordBytes = 512;
const nobodysHash = '0'.repeat(64);

/** The driver of a kind and what it makes of logins. */
export function createDeviceDriver(kind: DeviceKind<object>, host: DriverHost): DriverParts {
  const clients = new Map<LockId, DeviceClient>();
  const learned = createLearnedCapabilities(kind, host);
  const { driver } = { driver: createDriver(kind, host, clients, learned) };
  return { driver, handlers: createDeviceHandlers(kind, host, clients, learned) };
}

interface LearnedCapabilities {
  of(lock: Lock): Capabilities;
  learn(lockId: LockId, changed: Partial<Capabilities>): void;
  forget(lockId: LockId): void;
}

/** What a kind can do, and what is known better of a lock since it has connected. */
function createLearnedCapabilities(kind: DeviceKind<object>, { locks, emit }: DriverHost): LearnedCapabilities {
  const learned = new Map<LockId, Partial<Capabilities>>();
  const of = ({ lockId, driver }: Lock): Capabilities => ({ ...kind.capabilities(driver.options), ...learned.get(lockId) });

  return {
    of,
    learn(lockId, changed) {
      const lock = locks.get(lockId);
      if (lock === undefined || !changesCapabilities(of(lock), changed)) return;
      learned.set(lockId, { ...learned.get(lockId), ...changed });
      emit('capabilities-changed', { lockId });
    },
    forget: (lockId) => void learned.delete(lockId),
  };
}

function createDriver(
  kind: DeviceKind<object>,
  { secrets, locks, deviceLogin }: DriverHost,
  clients: ReadonlyMap<LockId, DeviceClient>,
  learned: LearnedCapabilities,
): Driver {
  return {
    kind: kind.kind,
    capabilities: learned.of,
    alwaysSends: ({ driver }, op) => kind.alwaysSends(driver.options, op),
    ...(kind.passcodeForm && { passcodeForm: kind.passcodeForm }),
    describe(given) {
      const parsed = kind.schema.safeParse({ ...given, kind: kind.kind });
      if (!parsed.success) throw invalidDriver(parsed.error.issues);
      const { kind: _, ...options } = parsed.data;
      return { deviceId: deviceIdentity(kind, options, secrets).deviceId, address: kind.address(options), options };
    },
    login({ options }) {
      const { host, port, tlsPort } = deviceLogin();
      const isServed = port !== null || (tlsPort !== null && kind.isPlainOnly !== true);
      if (!isServed) throw new DomainError('conflict', `nothing listens for devices of the kind ${kind.kind}: switch on devices.enabled`);
      return { host, port, tlsPort, username: deviceIdentity(kind, options, secrets).username };
    },
    session: (lockId) => clients.get(lockId)?.session(),
    disconnect(lockId, reason) {
      clients.get(lockId)?.close(reason);
      if (locks.get(lockId) === undefined) learned.forget(lockId);
    },
  };
}

function createDeviceHandlers(
  kind: DeviceKind<object>,
  host: DriverHost,
  clients: Map<LockId, DeviceClient>,
  learned: LearnedCapabilities,
): DriverHandlers {
  const { clock, locks, log } = host;
  const limited = createRateLimitedLog({ clock, log });
  const logins = createKeyedRateLimiter<LockId>({ clock, ...loginRate });
  const usualTakeovers = createKeyedRateLimiter<LockId>({ clock, ...takeoverRate });
  const ofClients: DeviceClientOptions = {
    ...{ kind, clock, reports: host.reports, records: host.eventRecords, captures: host.captures },
    isStill: ({ lockId, driver }) => locks.get(lockId)?.driver.keyHash === driver.keyHash,
    capabilities: learned.learn,
    ended(client) {
      if (clients.get(client.lockId) === client) clients.delete(client.lockId);
    },
    droppedForeign: host.droppedForeign,
    onBug: (lockId, error) => log.error({ code: 'bug', lockId, kind: kind.kind, err: error }, 'What a device said was not handled.'),
  };

  /** From here on it can be disconnected, also while its login is still under way. */
  function open(lock: Lock, request: ConnectRequest, connection: ClientConnection): Authentication {
    const { lockId } = lock;
    const own = kind.schema.safeParse({ ...lock.driver.options, kind: kind.kind });
    // Half of what a strike needs, such as no end of its pulse, would be worse than none.
    if (!own.success) return unusableOptions(limited, lock);
    if (!logins.take(lockId)) return { allow: false, code: 3, reason: 'too-many-logins', failedLogin: false, identity: { lockId } };
    const earlier = clients.get(lockId);
    if (earlier !== undefined && !usualTakeovers.take(lockId)) {
      limited.warn(
        `takeover ${lockId}`,
        { code: 'connection-taken-over', lockId, deviceId: lock.deviceId, address: connection.origin.address },
        'A connection is taken over all the time: two devices with one identity?',
      );
    }
    earlier?.close('taken over by a new connection of the same lock');
    const client = new DeviceClient(lock, own.data, request, connection, ofClients);
    clients.set(lockId, client);
    learned.learn(lockId, { encrypted: connection.isEncrypted });
    return { allow: true, client };
  }

  return {
    owns: (username) => deviceIdNamed(kind, username) !== undefined,
    authenticate(request, connection) {
      const lock = lockThatProved(kind, host, request);
      return lock === undefined ? wrongPassword : open(lock, request, connection);
    },
  };
}

function unusableOptions(limited: RateLimitedLog, { lockId, driver: { kind } }: Lock): Rejection {
  limited.warn(
    `options ${lockId}`,
    { code: 'driver-unusable', lockId, kind },
    'What is stored of the driver of a lock cannot be used: give it again.',
  );
  return { allow: false, code: 3, reason: 'driver-unusable', failedLogin: false, identity: { lockId } };
}

const wrongPassword: Rejection = { allow: false, code: 4, reason: 'key', failedLogin: true };

/** The lock whose name and password these are. An unknown name costs the same time as a wrong password: nobody learns which locks there are. */
function lockThatProved(kind: DeviceKind<object>, { locks, secrets }: DriverHost, request: ConnectRequest): Lock | undefined {
  const { username = '', password = Buffer.alloc(0) } = request;
  if (password.length === 0 || password.length > maxPasswordBytes) return undefined;
  const deviceId = deviceIdNamed(kind, username);
  const named = deviceId && locks.byDevice(deviceId);
  const lock = named?.driver.kind === kind.kind ? named : undefined;
  const isRight = secrets.equal(secrets.hash(password.toString()), lock?.driver.keyHash ?? nobodysHash);
  return isRight ? lock : undefined;
}

/** As `deviceIdentity` makes the name. */
function deviceIdNamed(kind: DeviceKind<object>, username: string): DeviceId | undefined {
  const digits = username.slice(kind.kind.length + 1);
  const pattern = kind.deviceIdOf === undefined ? /^[0-9a-f]{10}$/ : /^[0-9a-f]{8}$/;
  if (!username.startsWith(`${kind.kind}-`) || !pattern.test(digits)) return undefined;
  return `${kind.deviceIdOf === undefined ? '02' : '0200'}${digits}` as DeviceId;
}
