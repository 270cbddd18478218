// A lock of a fleet, with everything that a person or a test can do to it.
import type { DeviceId, OpenState } from '../src/domain/locks/lock.ts';
import type { Credential, CredentialKey } from './credential-memory.ts';
import type { CommandFault, Faults } from './faults.ts';
import type { MemoryContents } from './lock-memory.ts';
import type { Movement } from './movement-log.ts';
import type { DoorResult } from './reader.ts';

/** A lock to act on. An action at the door resolves when it is over: the bolt has moved, or did not. */
export interface LockHandle {
  /** Number in the fleet, from 1. */
  readonly number: number;
  readonly name: string;
  /** Such as `02:00:01:00:00:01`. */
  readonly mac: string;
  readonly deviceId: DeviceId;
  /** Undefined until the gateway has given one. */
  readonly lockId: number | undefined;
  readonly state: OpenState;
  readonly batteryPercent: number;
  readonly doorOpen: boolean;
  readonly online: boolean;
  /** Whether it is connected with a key that it made itself, and a person has yet to confirm it. */
  readonly waiting: boolean;
  /** Fingerprint of its device key, as the gateway shows it to that person; undefined without a key. */
  readonly keyFingerprint: string | undefined;
  /** Name of the current session; undefined without a connection. */
  readonly session: string | undefined;
  /** The last movements of the bolt, oldest first. */
  readonly movements: readonly Movement[];
  /** Time by the lock's own clock; undefined while it is not set. */
  readonly clockNow: number | undefined;
  /** The content of the lock's memory now, including unacknowledged events. */
  readonly memory: MemoryContents;
  readonly faults: Faults;

  /** The number printed on the card; the reader sees it in its own byte order. */
  swipeCard(cardNumber: string): Promise<DoorResult>;
  enterPasscode(code: string): Promise<DoorResult>;
  turnThumb(): Promise<DoorResult>;
  setPrivacyBolt(out: boolean): void;
  /** Opens or shuts the door. False: the lock is locked, and the door stays shut. */
  openDoor(): boolean;
  closeDoor(): void;
  tamper(): void;
  setBattery(percent: number): void;

  /** As somebody with the app of the lock: the gateway sees it in the next hello. */
  learn(credential: Credential): void;
  forget(key: CredentialKey): void;
  /** Its memory is replaced: nothing in it, and a new epoch; it connects anew. */
  wipe(): Promise<void>;
  jam(on: boolean): void;
  /** True: the lock neither executes nor answers commands, while its connection stays. */
  setSilent(on: boolean): void;
  /** The next commands meet these faults, one each. */
  script(faults: readonly CommandFault[]): void;
  /** The network (behind a hub: the link to it) breaks at once and stays away until `restoreNetwork`. */
  cutNetwork(): void;
  restoreNetwork(): void;
  /** Half-open: the connection looks alive and carries nothing until `thaw`, which delivers the buffered packets. */
  freeze(): void;
  thaw(): void;
  /** Takes the batteries out: only the memory file survives. */
  powerCut(): void;
  /** Puts the batteries in again: the lock boots from the memory file and connects. */
  powerOn(): Promise<void>;
  /** Resolves when every change so far is written to the memory file and flushed. */
  whenSaved(): Promise<void>;
  /** Resolves when the gateway has acknowledged its hello. */
  whenOnline(): Promise<void>;
  /** Resolves when the gateway has acknowledged every event so far. */
  whenEventsAcknowledged(): Promise<void>;
}
