// What devices and the gateway say on the wire, for a person who watches it.
import type { LockId } from '../domain/locks/lock.ts';

export interface WireMessage {
  readonly topic: string;
  readonly qos: number;
  readonly retain: boolean;
  readonly payload: string;
}

export interface WireLogin {
  readonly clientId: string;
  /** Seconds. */
  readonly keepAlive: number;
  readonly clean: boolean;
  readonly will: WireMessage | null;
}

/** A message as it came or goes, or a login without its password. */
export type WireLine = ({ readonly from: 'device' | 'gateway' } & WireMessage) | { readonly from: 'device'; readonly connect: WireLogin };

export interface CaptureTap {
  /** Whether anybody watches locks of this kind: asked first, so that a line costs nothing while nobody does. */
  isOn(kind: string): boolean;
  /** `lockId`: null for what belongs to no registered lock. */
  heard(kind: string, lockId: LockId | null, line: WireLine): void;
}
