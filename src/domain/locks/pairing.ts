// Pairing, as people use it: while a gateway administrator has a window open, unknown devices wait to be confirmed. The driver defines how
// such a device connects.
import type { Caller } from '../accounts/account.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DeviceId, LockId } from './lock.ts';
import type { HelloReport } from './lock-report.ts';
import type { NewLock } from './new-lock.ts';

/** A device that waits, as a gateway administrator sees it. */
export interface PendingDevice {
  readonly deviceId: DeviceId;
  readonly address: string;
  readonly keyFingerprint: string;
  readonly since: number;
  readonly connected: boolean;
  /**
   * A device with another key claims the same deviceId. Only the fingerprint that the lock itself shows tells which of them is the lock.
   */
  readonly contested: boolean;
  readonly hello: HelloReport | undefined;
  /** The registered lock whose key it would replace. While that lock is online, nobody has reset it. */
  readonly replaces: { readonly lockId: LockId; readonly name: string; readonly online: boolean } | undefined;
}

export interface Confirmation {
  /**
   * The fingerprint that the person compared; `conflict` when no device waits under this deviceId with such a key. Required for a contested
   * device.
   */
  readonly keyFingerprint?: string;
  /** Name and other members of a new lock; absent for a replacement, which keeps those of the lock. */
  readonly lock?: Omit<NewLock, 'deviceId' | 'hubId'>;
}

export interface PairingService {
  /** Opens the window, or gives an open window a new end. Returns when it closes (wall clock). */
  open(caller: Caller, seconds: number): Promise<number>;
  /** Closes the window, and disconnects and forgets devices that were not confirmed. Idempotent. */
  close(caller: Caller): Promise<void>;
  devices(caller: Caller, page: PageRequest): Page<PendingDevice>;
  /**
   * Confirms a device. Rejects with `not-found`; with `conflict` when it is contested and no fingerprint says which one, or the lock that
   * it would replace is online; with the codes of a registration. `replaced`: the lock was registered before.
   */
  confirm(caller: Caller, deviceId: DeviceId, confirmation: Confirmation): Promise<{ lockId: LockId; replaced: boolean }>;
  isOpen(): boolean;
  /** When the window closes, by the wall clock; undefined while it is not open. */
  closesAt(): number | undefined;
  /** How many devices wait to be confirmed, at most 32. */
  pending(): number;
  /** The gateway stops: closes the window for good. */
  stop(): void;
}
