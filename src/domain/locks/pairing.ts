// Pairing, as people use it: while a gateway administrator keeps a window open, devices that nobody knows wait to be confirmed. How such a
// device comes in is its driver's.
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
  /** Another key came for the same deviceId: which of them is the lock, only its fingerprint tells, as the lock itself shows it. */
  readonly contested: boolean;
  readonly hello: HelloReport | undefined;
  /** The registered lock whose key it would replace. While that is online, the lock has not been reset. */
  readonly replaces: { readonly lockId: LockId; readonly name: string; readonly online: boolean } | undefined;
}

export interface Confirmation {
  /** As the person saw it; `conflict` when no device waits under this deviceId with such a key. A contested one is not confirmed without. */
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
  /** `not-found`; `conflict` when it is contested and no fingerprint says which one, or the lock that it would replace is online; the codes of a registration. `replaced`: the lock was there before. */
  confirm(caller: Caller, deviceId: DeviceId, confirmation: Confirmation): Promise<{ lockId: LockId; replaced: boolean }>;
  isOpen(): boolean;
  /** By the wall clock; undefined while it is not open. */
  closesAt(): number | undefined;
  /** Devices that wait to be confirmed, at most 32. */
  pending(): number;
  /** The gateway stops: closes the window for good. */
  stop(): void;
}
