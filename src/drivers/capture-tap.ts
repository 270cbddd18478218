// What is said on the wire, for whoever watches it.
import type { LockId } from '../domain/locks/lock.ts';

/** A message as it came or goes, or a login without its password. */
export type WireLine =
  | {
      readonly from: 'device' | 'gateway';
      readonly topic: string;
      readonly qos: 0 | 1 | 2;
      readonly retain: boolean;
      readonly payload: string;
    }
  | { readonly from: 'device'; readonly connect: WireLogin };

export interface WireLogin {
  readonly clientId: string;
  /** Seconds. */
  readonly keepAlive: number;
  readonly clean: boolean;
  readonly will: { readonly topic: string; readonly qos: number; readonly retain: boolean; readonly payload: string } | null;
}

export interface CaptureTap {
  /** Whether anybody watches locks of this kind: asked first, so that a line costs nothing while nobody does. */
  isOn(kind: string): boolean;
  heard(kind: string, lockId: LockId, line: WireLine): void;
}
