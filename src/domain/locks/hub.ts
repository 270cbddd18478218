// A hub: one connection that speaks for the locks bound to it (Protocol 2 and 3).
import type { DeviceId } from './lock.ts';

export interface Hub {
  /** Its MQTT identity, and what the `hubId` of its locks refers to. */
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly createdAt: number;
  /** SHA-256 of the device key, 64 hex digits. */
  readonly keyHash: string;
}
