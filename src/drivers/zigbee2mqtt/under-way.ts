// A command while it is under way.
import type { OpenState } from '../../domain/locks/lock.ts';
import type { Effect } from '../device-protocol.ts';
import type { ZigbeeFailure, ZigbeeReport } from './messages.ts';

/** A report, and which of its members cannot come from the cache of Zigbee2MQTT. */
export interface HeardReport {
  readonly report: ZigbeeReport;
  readonly isFreshState: boolean;
  readonly isFreshAutoLock: boolean;
  isFreshSlot(slot: number): boolean;
}

export interface Work {
  /** Of a lock or unlock: into which state. */
  readonly wanted?: OpenState;
  /** When it is sent. */
  readonly first: readonly Effect[];
  heard(heard: HeardReport): readonly Effect[];
  wake(): readonly Effect[];
  failed(failure: ZigbeeFailure): readonly Effect[];
}

/** To one lock. */
export interface Voice {
  set(what: object): Effect;
  get(what: object): Effect;
}

/** What the lock has, and whether all that it says is news. */
export interface WorkSurroundings {
  readonly voice: Voice;
  readonly passcodes: boolean;
  readonly autoLock: boolean;
  readonly query: boolean;
  readonly isCached: boolean;
  /** What is known of its slots for codes. */
  readonly users: ReadonlyMap<number, string>;
}
