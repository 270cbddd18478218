// Pairing (Protocol 7): while a person keeps a window open, devices that nobody knows may wait with a key of their own
// making until that person confirms them. Pending devices are in memory only, and nothing of theirs reaches a lock.
import type { Caller } from '../../domain/accounts/account.ts';
import { requireGatewayAdministrator } from '../../domain/accounts/permissions.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError, invalidParameter } from '../../domain/errors.ts';
import type { Emit } from '../../domain/event-bus.ts';
import { type DeviceId, type LockId, nativeKind } from '../../domain/locks/lock.ts';
import type { LockLink } from '../../domain/locks/lock-link.ts';
import type { LockStore } from '../../domain/locks/lock-ports.ts';
import type { HelloReport } from '../../domain/locks/lock-report.ts';
import type { Confirmation, PairingService, PendingDevice } from '../../domain/locks/pairing.ts';
import type { RegistrationService } from '../../domain/locks/registration-service.ts';
import { paginate } from '../../domain/page.ts';
import { placeFor, type Waiting } from './pairing-slots.ts';

/** Whoever comes with a key that the gateway does not know. */
export interface ArrivingDevice {
  readonly deviceId: DeviceId;
  readonly address: string;
  /** SHA-256 of the key it made, 64 hex digits. */
  readonly keyHash: string;
}

/** One connection of a pending device. */
export interface PendingSession {
  hello(report: HelloReport): void;
  /** The connection is gone; the device stays known until the window closes. */
  ended(): void;
}

export type PairingRefusal = 'pairing-closed' | 'pairing-full';

/** Pairing, as the connections of this driver use it. */
export interface NativePairing extends PairingService {
  /** A device has logged in with a key that nobody knows; `leave` ends its connection. */
  arrive(device: ArrivingDevice, leave: (reason: string) => void): PendingSession | PairingRefusal;
}

interface Pending extends ArrivingDevice, Waiting {
  readonly since: number;
  contested: boolean;
  confirming: boolean;
  hello: HelloReport | undefined;
  isConnected: boolean;
  /** The connection that is up, or was. */
  connection: { readonly leave: (reason: string) => void };
}

/** The first 16 hex digits of SHA-256 over the key, as a person can compare them: `9f86-d081-884c-7d65`. */
export function keyFingerprint(keyHash: string): string {
  return (keyHash.slice(0, 16).match(/.{4}/g) ?? []).join('-');
}

/** Each time that a person opens the window; strangers must not fill the log. */
const deviceEventsAWindow = 200;

/** Whoever comes again with the same key is the same. */
const nameOf = ({ deviceId, keyHash }: ArrivingDevice): string => `${deviceId} ${keyHash}`;

/** The pairing window, closed at first, and the devices that wait in it. */
export function createPairingService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly registrations: Pick<RegistrationService, 'adopt' | 'replaceKey'>;
  readonly link: Pick<LockLink, 'session'>;
  readonly emit: Emit;
}): NativePairing {
  const { clock, locks, registrations, link, emit } = options;
  /** By deviceId and key, in the order in which they came. Who left stays until its place is needed. */
  const pending = new Map<string, Pending>();
  let window: { readonly until: number; readonly cancel: () => void } | undefined;
  let stopped = false;
  let deviceEventsLeft = 0;

  // The timer alone would let somebody in while the process was held up.
  const isOpen = (): boolean => window !== undefined && clock.monotonic() < window.until;

  function shut(reason: string): void {
    if (window === undefined) return;
    window.cancel();
    window = undefined;
    const forgotten = [...pending.values()];
    for (const device of forgotten) forget(device, reason);
    emit('pairing-closed', { forgotten: forgotten.length });
  }

  function noteDevice(event: 'device-contested' | 'device-pending', { deviceId, address }: ArrivingDevice): void {
    if (deviceEventsLeft > 0) emit(event, { deviceId, address });
    deviceEventsLeft--;
  }

  const claimsOf = (deviceId: DeviceId): Pending[] => [...pending.values()].filter((device) => device.deviceId === deviceId);

  function forget(device: Pending, reason: string): void {
    if (pending.get(nameOf(device)) === device) pending.delete(nameOf(device));
    if (device.isConnected) device.connection.leave(reason);
  }

  /** With a place of its own. Whether it is a lock's, a hub's or nobody's deviceId is asked at the confirmation: a stranger must not learn it by trying. */
  function enter(arriving: ArrivingDevice, connection: Pending['connection']): Pending | PairingRefusal {
    const place = placeFor(arriving.address, [...pending.values()]);
    if (place === 'full') return 'pairing-full';
    if (place !== 'free') forget(place.givesWay, 'somebody else needs its place');
    const { deviceId } = arriving;
    const others = claimsOf(deviceId);
    const contested = others.length > 0;
    if (contested && !others.some((other) => other.contested)) noteDevice('device-contested', arriving);
    for (const other of others) other.contested = true;
    const device = { ...arriving, since: clock.now(), contested, confirming: false, hello: undefined, isConnected: true, connection };
    pending.set(nameOf(arriving), device);
    noteDevice('device-pending', arriving);
    return device;
  }

  function view({ deviceId, address, keyHash, since, isConnected, contested, hello }: Pending): PendingDevice {
    const lock = locks.byDevice(deviceId);
    const replaces = lock && { lockId: lock.lockId, name: lock.name, online: link.session(lock.lockId) !== undefined };
    const shown = { deviceId, address, keyFingerprint: keyFingerprint(keyHash), since };
    return { ...shown, connected: isConnected, contested, hello, replaces };
  }

  function confirmable(deviceId: DeviceId, { keyFingerprint: seen }: Confirmation): Pending {
    const claims = isOpen() ? claimsOf(deviceId) : [];
    const [device, another] = claims.filter(({ keyHash }) => seen === undefined || seen === keyFingerprint(keyHash));
    if (claims.length === 0) throw new DomainError('not-found', `no device ${deviceId} waits to be confirmed`);
    if (claims.some(({ confirming }) => confirming)) throw new DomainError('conflict', `${deviceId} is being confirmed already`);
    if (device === undefined) throw new DomainError('conflict', `${deviceId} does not wait with the key ${seen} any more`);
    if (another !== undefined || (device.contested && seen === undefined))
      throw new DomainError(
        'conflict',
        `more than one device claims to be ${deviceId}: say the keyFingerprint that the lock itself shows, all 16 digits`,
      );
    return device;
  }

  function register(caller: Caller, { deviceId, keyHash }: Pending, { lock }: Confirmation): Promise<LockId> {
    const replaced = locks.byDevice(deviceId);
    if (replaced === undefined) {
      if (lock === undefined) throw invalidParameter('lockName', 'is required');
      return registrations.adopt(caller, { ...lock, deviceId }, keyHash);
    }
    if (lock !== undefined)
      throw invalidParameter('body', 'must not describe the lock: this device replaces a registered one, which keeps all it has');
    if (replaced.driver.kind !== nativeKind)
      throw new DomainError(
        'conflict',
        `lock ${replaced.lockId} is of the kind ${replaced.driver.kind}, and no native lock can take its place`,
      );
    // Its own key still opens its own session: whoever comes with another one is not that lock.
    if (link.session(replaced.lockId) !== undefined)
      throw new DomainError('conflict', `lock ${replaced.lockId} is online with its own key, so it has not been reset`);
    return registrations.replaceKey(caller, deviceId, keyHash);
  }

  return {
    async open(caller, seconds) {
      requireGatewayAdministrator(caller);
      if (stopped) throw new DomainError('conflict', 'the gateway is stopping');
      window?.cancel();
      deviceEventsLeft = deviceEventsAWindow;
      const until = clock.monotonic() + seconds * 1_000;
      window = { until, cancel: clock.timer(seconds * 1_000, () => shut('the pairing time is over')) };
      emit('pairing-opened', { seconds, by: caller.username });
      return clock.now() + seconds * 1_000;
    },

    async close(caller) {
      requireGatewayAdministrator(caller);
      shut('pairing was closed');
    },

    devices(caller, page) {
      requireGatewayAdministrator(caller);
      const { list, ...envelope } = paginate(isOpen() ? [...pending.values()] : [], page);
      return { list: list.map(view), ...envelope };
    },

    async confirm(caller, deviceId, confirmation) {
      requireGatewayAdministrator(caller);
      const device = confirmable(deviceId, confirmation);
      const replaced = locks.byDevice(deviceId) !== undefined;
      device.confirming = true;
      try {
        const lockId = await register(caller, device, confirmation);
        emit('device-confirmed', { deviceId, lockId, by: caller.username });
        // The window can have closed meanwhile, and another one opened.
        forget(device, 'it was confirmed: it comes back as a lock');
        for (const other of claimsOf(deviceId)) forget(other, 'another device was confirmed');
        return { lockId, replaced };
      } finally {
        device.confirming = false;
      }
    },

    isOpen,
    closesAt: () => (window !== undefined && isOpen() ? Math.round(clock.now() + window.until - clock.monotonic()) : undefined),
    pending: () => pending.size,

    arrive(arriving, leave) {
      if (!isOpen()) return 'pairing-closed';
      const connection = { leave };
      const known = pending.get(nameOf(arriving));
      const device = known ?? enter(arriving, connection);
      if (typeof device === 'string') return device;
      if (known?.isConnected) known.connection.leave('it came again');
      device.connection = connection;
      device.isConnected = true;
      return {
        hello(report) {
          if (device.connection === connection) device.hello = report;
        },
        ended() {
          if (device.connection === connection) device.isConnected = false;
        },
      };
    },

    stop() {
      stopped = true;
      shut('the gateway stops');
    },
  };
}
