// Pairing (Protocol 7): while a person keeps a window open, devices that nobody knows may wait with a key of their own
// making until that person confirms them. Pending devices are in memory only, and nothing of theirs reaches a lock.
import type { Caller } from './account.ts';
import { DomainError, invalidParameter } from './errors.ts';
import type { DeviceId, LockId } from './lock.ts';
import type { HelloReport } from './lock-report.ts';
import type { Notify } from './notice.ts';
import { type Page, type PageRequest, paginate } from './page.ts';
import { requireGatewayAdministrator } from './permissions.ts';
import type { Clock, LockLink, LockStore } from './ports.ts';
import type { NewLock, RegistrationService } from './registration-service.ts';

/** Whoever comes with a key that the gateway does not know. */
export interface Newcomer {
  readonly deviceId: DeviceId;
  readonly address: string;
  /** SHA-256 of the key it made, 64 hex digits. */
  readonly keyHash: string;
}

/** One connection of a pending device. */
export interface Visit {
  hello(report: HelloReport): void;
  /** The connection is gone; the device stays known until the window closes. */
  ended(): void;
}

export type PairingRefusal = 'pairing-closed' | 'pairing-full' | 'pairing-contested';

/** A device that waits, as a gateway administrator sees it. */
export interface PendingDevice {
  readonly deviceId: DeviceId;
  readonly address: string;
  readonly keyFingerprint: string;
  readonly since: number;
  readonly connected: boolean;
  /** Another key came for the same deviceId: it cannot be confirmed. */
  readonly contested: boolean;
  readonly hello: HelloReport | undefined;
  /** The registered lock whose key it would replace. While that is online, the lock has not been reset. */
  readonly replaces: { readonly lockId: LockId; readonly name: string; readonly online: boolean } | undefined;
}

export interface Confirmation {
  /** As the person saw it; `conflict` when the device has another one. */
  readonly keyFingerprint?: string;
  /** How a new lock is called, and so on; none for a replacement, which keeps all that the lock has. */
  readonly lock?: Omit<NewLock, 'deviceId' | 'hubId'>;
}

export interface PairingService {
  /** Opens the window, or gives an open one a new end. Returns when it closes (wall clock). */
  open(caller: Caller, seconds: number): Promise<number>;
  /** Disconnects and forgets who was not confirmed. Closing what is closed is no error. */
  close(caller: Caller): Promise<void>;
  devices(caller: Caller, page: PageRequest): Page<PendingDevice>;
  /** `not-found`; `conflict` when it is contested, or the lock that it would replace is online; the codes of a registration. `replaced`: the lock was there before. */
  confirm(caller: Caller, deviceId: DeviceId, confirmation: Confirmation): Promise<{ lockId: LockId; replaced: boolean }>;
  isOpen(): boolean;
  /** By the wall clock; undefined while it is not open. */
  closesAt(): number | undefined;
  /** Devices that wait to be confirmed, at most 32. */
  pending(): number;
  /** A device has logged in with a key that nobody knows; `leave` ends its connection. */
  arrive(newcomer: Newcomer, leave: (reason: string) => void): Visit | PairingRefusal;
  /** The gateway stops: closes the window for good. */
  stop(): void;
}

const maxPending = 32;
const maxFromOneAddress = 4;

interface Pending extends Newcomer {
  readonly since: number;
  contested: boolean;
  confirming: boolean;
  hello: HelloReport | undefined;
  /** The connection that is up. */
  visit: { readonly leave: (reason: string) => void } | undefined;
}

/** The first 16 hex digits of SHA-256 over the key, as a person can compare them: `9f86-d081-884c-7d65`. */
export function keyFingerprint(keyHash: string): string {
  return (keyHash.slice(0, 16).match(/.{4}/g) ?? []).join('-');
}

export function createPairingService(options: {
  readonly clock: Clock;
  readonly locks: LockStore;
  readonly registrations: Pick<RegistrationService, 'adopt' | 'replaceKey'>;
  readonly link: Pick<LockLink, 'session'>;
  readonly notify: Notify;
}): PairingService {
  const { clock, locks, registrations, link, notify } = options;
  /** Who left stays until the window closes: otherwise whoever waits for that moment could take over its deviceId. */
  const pending = new Map<DeviceId, Pending>();
  let window: { readonly until: number; readonly cancel: () => void } | undefined;
  let stopped = false;

  // The timer alone would let somebody in while the process was held up.
  const isOpen = (): boolean => window !== undefined && clock.monotonic() < window.until;

  function shut(reason: string): void {
    if (window === undefined) return;
    window.cancel();
    window = undefined;
    const forgotten = [...pending.values()];
    pending.clear();
    for (const device of forgotten) device.visit?.leave(reason);
    notify({ kind: 'pairing-closed', forgotten: forgotten.length });
  }

  function refusalOf({ deviceId, address, keyHash }: Newcomer): PairingRefusal | undefined {
    if (!isOpen()) return 'pairing-closed';
    // Whether it is a lock's, a hub's or nobody's deviceId is asked at the confirmation: a stranger must not learn it by trying.
    const known = pending.get(deviceId);
    if (known !== undefined) {
      if (known.keyHash === keyHash) return undefined;
      if (!known.contested) notify({ kind: 'device-contested', deviceId, address });
      known.contested = true;
      return 'pairing-contested';
    }
    if (pending.size >= maxPending) return 'pairing-full';
    const fromThere = [...pending.values()].filter((device) => device.address === address);
    return fromThere.length >= maxFromOneAddress ? 'pairing-full' : undefined;
  }

  function view({ deviceId, address, keyHash, since, visit, contested, hello }: Pending): PendingDevice {
    const lock = locks.byDevice(deviceId);
    const replaces = lock && { lockId: lock.lockId, name: lock.name, online: link.session(lock.lockId) !== undefined };
    const shown = { deviceId, address, keyFingerprint: keyFingerprint(keyHash), since };
    return { ...shown, connected: visit !== undefined, contested, hello, replaces };
  }

  function confirmable(deviceId: DeviceId, confirmation: Confirmation): Pending {
    const device = isOpen() ? pending.get(deviceId) : undefined;
    if (device === undefined) throw new DomainError('not-found', `no device ${deviceId} waits to be confirmed`);
    if (device.contested)
      throw new DomainError(
        'conflict',
        `two devices claim to be ${deviceId}: close the pairing, find out which one is yours, and begin anew`,
      );
    if (device.confirming) throw new DomainError('conflict', `${deviceId} is being confirmed already`);
    const seen = confirmation.keyFingerprint;
    if (seen !== undefined && seen !== keyFingerprint(device.keyHash))
      throw new DomainError('conflict', `${deviceId} does not wait with the key ${seen} any more`);
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
      const until = clock.monotonic() + seconds * 1_000;
      window = { until, cancel: clock.timer(seconds * 1_000, () => shut('the pairing time is over')) };
      notify({ kind: 'pairing-opened', seconds, by: caller.username });
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
        notify({ kind: 'device-confirmed', deviceId, lockId, by: caller.username });
        // The window can have closed meanwhile, and another one opened.
        if (pending.get(deviceId) === device) pending.delete(deviceId);
        device.visit?.leave('it was confirmed: it comes back as a lock');
        return { lockId, replaced };
      } finally {
        device.confirming = false;
      }
    },

    isOpen,
    closesAt: () => (window !== undefined && isOpen() ? Math.round(clock.now() + window.until - clock.monotonic()) : undefined),
    pending: () => pending.size,

    arrive(newcomer, leave) {
      const refusal = refusalOf(newcomer);
      if (refusal !== undefined) return refusal;
      const { deviceId, address } = newcomer;
      let device = pending.get(deviceId);
      if (device === undefined) {
        device = { ...newcomer, since: clock.now(), contested: false, confirming: false, hello: undefined, visit: undefined };
        pending.set(deviceId, device);
        notify({ kind: 'device-pending', deviceId, address });
      }
      const arrived = device;
      const visit = { leave };
      arrived.visit?.leave('it came again');
      arrived.visit = visit;
      return {
        hello(report) {
          if (arrived.visit === visit) arrived.hello = report;
        },
        ended() {
          if (arrived.visit === visit) arrived.visit = undefined;
        },
      };
    },

    stop() {
      stopped = true;
      shut('the gateway stops');
    },
  };
}
