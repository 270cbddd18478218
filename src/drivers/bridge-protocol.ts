// How a program that stands between us and many locks is spoken to over an outside broker, such as Zigbee2MQTT. Without any I/O, clock or
// timer, as in device-protocol.ts; the bridge host runs it.
import type { z } from 'zod';
import type { Capabilities } from '../domain/locks/capabilities.ts';
import type { LockCommand } from '../domain/locks/lock-command.ts';
import type { CommandRefusal, DeviceMessage, Effect } from './device-protocol.ts';

/** A lock that the program announces. */
export interface AnnouncedLock {
  /** The member `driver` of its registration without `bridge`. */
  readonly driver: { readonly kind: string } & Readonly<Record<string, unknown>>;
  /** Identifies the lock in this program. */
  readonly address: string;
  readonly name: string;
  readonly make: string;
  readonly model: string;
  /** Of its state. */
  readonly topic: string;
  /** Where the lock takes commands; finds loops and locks that are announced twice. */
  readonly commandTopic: string;
  /** When it was announced first in this connection: epoch ms. */
  readonly since: number;
  /** What of its announcement is not understood; null: nothing. */
  readonly refused: string | null;
}

export type BridgeEffect =
  /** Exact topics, or `+` for one level; never `#`. Idempotent. */
  | { readonly kind: 'subscribe'; readonly filters: readonly string[] }
  | { readonly kind: 'unsubscribe'; readonly filters: readonly string[] }
  /** Whether the program itself runs. */
  | { readonly kind: 'program'; readonly online: boolean; readonly reason: string }
  /** Of one lock. */
  | { readonly kind: 'lock'; readonly address: string; readonly effect: Effect };

/** One program on one bridge, from the beginning to the end of a connection to the broker. */
export interface BridgeProtocol {
  begin(now: number): readonly BridgeEffect[];
  /** Registered locks with these addresses are spoken to; of others it only announces. Called at begin, and at each change. */
  follow(addresses: ReadonlySet<string>, now: number): readonly BridgeEffect[];
  /** Never throws, whatever the payload. */
  hear(message: DeviceMessage, now: number): readonly BridgeEffect[];
  /** All that the program announces now. */
  announced(): readonly AnnouncedLock[];
  command(address: string, command: LockCommand, now: number): readonly BridgeEffect[] | CommandRefusal;
  expire(address: string, now: number): readonly BridgeEffect[];
  wake(address: string, now: number): readonly BridgeEffect[];
}

/** One kind of program. */
export interface BridgeKind<Options> {
  readonly kind: string;
  /** The member `driver` of a registration, as in `DeviceKind`. */
  readonly schema: z.ZodType<Options & { readonly kind: string; readonly bridge: string }>;
  /** Identifies the lock in its program; its address among all locks is `<bridge>/<this>`. */
  address(options: Options): string;
  capabilities(options: Options): Capabilities;
  /** Where the topics of the program begin, if they are its own: what another kind announces below is the same lock again. */
  root?(settings: Readonly<Record<string, string>>): string;
  /** `settings`: this kind's entry in the configuration of the bridge, such as its base topic. */
  create(settings: Readonly<Record<string, string>>): BridgeProtocol;
}
