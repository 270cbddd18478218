// The port to the outside brokers over which locks are spoken to, and to what programs on them announce.
import type { DeviceId } from './lock.ts';

/** A program on a bridge. */
export interface BridgeProgram {
  readonly kind: string;
  /** Its entry in the configuration besides the kind: where its topics begin. */
  readonly settings: Readonly<Record<string, string>>;
  /** It says that it runs; for one that says nothing: the bridge is connected. */
  readonly online: boolean;
}

export interface BridgeStatus {
  readonly name: string;
  readonly url: string;
  readonly connected: boolean;
  /** When `connected` became so: epoch ms. */
  readonly since: number;
  /** Why it is not connected; empty while it is. */
  readonly reason: string;
  /** How many registered locks are spoken to over it. */
  readonly locks: number;
  readonly drivers: readonly BridgeProgram[];
  /** Its broker lets somebody subscribe who gives no user name and password; null: not known. */
  readonly admitsStrangers: boolean | null;
}

/** A lock that a program announces and that is not registered. */
export interface AnnouncedDevice {
  readonly deviceId: DeviceId;
  /** The member `driver` of its registration. */
  readonly driver: Readonly<Record<string, unknown>> & { readonly kind: string; readonly bridge: string };
  /** The bridge and the topic of its state: `house: zigbee2mqtt/Front Door`. */
  readonly address: string;
  readonly name: string;
  readonly make: string;
  readonly model: string;
  /** When it was announced first: epoch ms. */
  readonly since: number;
  /** The bridge is connected. */
  readonly connected: boolean;
  /** What of its announcement is not understood, so that it cannot be registered; null: nothing. */
  readonly refused: string | null;
}

export interface Bridges {
  /** In the order of the configuration. */
  list(): readonly BridgeStatus[];
  /** By bridge, then by name. */
  announced(): readonly AnnouncedDevice[];
  /** The announced device with this deviceId; undefined: there is none, or it is registered. */
  announcedAs(deviceId: DeviceId): AnnouncedDevice | undefined;
}
