// How one make of lock is spoken to, without any I/O, clock or timer: what it says goes in, and the effects of it come out. Two hosts run
// such a protocol: one for devices that log in to our broker, and one for the locks behind an outside broker.
import type { z } from 'zod';
import type { Capabilities } from '../domain/locks/capabilities.ts';
import type { PasscodeForm } from '../domain/locks/driver.ts';
import type { OpenState } from '../domain/locks/lock.ts';
import type { CommandOutcome, LockCommand, Refusal } from '../domain/locks/lock-command.ts';
import type { HelloReport, LockEvent } from '../domain/locks/lock-report.ts';

/** A message from the device or its bridge. */
export interface DeviceMessage {
  readonly topic: string;
  /** At most as long as the connection allows; text for all known makes, not checked yet. */
  readonly payload: Buffer;
  /**
   * It came from the store of an outside broker, so it is history: it may say what was, never that a command worked. Always false for what
   * a device itself sends on its connection to us.
   */
  readonly isHistory: boolean;
}

/** What follows from a message, a command or a wait, in this order. */
export type Effect =
  /** To the device. Not retained. A connection that has ended gets nothing. */
  | { readonly kind: 'publish'; readonly topic: string; readonly payload: string }
  /** The session of the lock begins: it receives commands now. While it is online already: it has said more about itself. */
  | { readonly kind: 'online'; readonly hello: HelloReport }
  /** The session ends, though the connection goes on; `reason` is for the operator. */
  | { readonly kind: 'offline'; readonly reason: string }
  /** `isHistory`: as last heard; it makes no state certain and confirms nothing. */
  | { readonly kind: 'state'; readonly state: OpenState; readonly isHistory?: boolean }
  /** Percent, 0 to 100. */
  | { readonly kind: 'battery'; readonly level: number }
  /** The device says itself that its battery is low, or no longer. */
  | { readonly kind: 'battery-critical'; readonly isCritical: boolean }
  /**
   * The command under way has ended. Without a command under way it has no meaning. The host makes the record of a confirmed lock or unlock;
   * with `isLogged` that is the numbered event in which the device tells of it, if one comes within 30 s.
   */
  | { readonly kind: 'end'; readonly outcome: CommandOutcome; readonly isLogged?: boolean }
  /** Something happened at the door that the device does not number: the gateway numbers it. */
  | { readonly kind: 'event'; readonly event: Omit<LockEvent, 'seq'> }
  /** Events with numbers of the device's own, lowest first: each becomes one record, however often it is said. */
  | { readonly kind: 'numbered'; readonly epoch: string; readonly events: readonly NumberedEvent[] }
  /** What is missing between these two numbers can no longer be had from the device. */
  | { readonly kind: 'lost-events'; readonly epoch: string; readonly first: number; readonly last: number }
  /** What the capabilities of this lock are from now on, as far as they differ from those of its kind. */
  | { readonly kind: 'capabilities'; readonly changed: Partial<Capabilities> }
  /** Call `wake` once after this time; a later one replaces it. */
  | { readonly kind: 'wake'; readonly afterMs: number };

export interface NumberedEvent extends LockEvent {
  /** It may tell of a command of the gateway: if a confirmed one with `isLogged` waits for its record, this is it. */
  readonly mayBeCommand?: boolean;
}

/** A command that this make has no words for, or that it must not get now: nothing is sent. */
export interface CommandRefusal {
  readonly refuse: Refusal;
  readonly message: string;
}

/** Of one device, from the beginning to the end of one connection. */
export interface DeviceProtocol {
  /** The device is connected and has subscribed to `commandTopics`. */
  begin(now: number): readonly Effect[];
  /** Never throws, whatever the payload. `now`: epoch ms of the gateway. Before `begin`, too: many devices speak before they subscribe. */
  hear(message: DeviceMessage, now: number): readonly Effect[];
  /** One at a time: the next one comes after the end of this one. */
  command(command: LockCommand, now: number): readonly Effect[] | CommandRefusal;
  /** The deadline of the command under way has passed: nothing that comes from now on is its answer. */
  expire(now: number): readonly Effect[];
  wake(now: number): readonly Effect[];
  /** The connection has ended: events that waited for what was still to come. Absent: none ever wait. */
  ended?(now: number): readonly Effect[];
}

/** All devices of one make that log in to our broker. */
export interface DeviceKind<Options> {
  readonly kind: string;
  /**
   * The member `driver` of a registration: strict, with `kind` as a literal and its defaults. The API validates by it, tells all that is wrong
   * by path (`driver.nukiId`), and documents it, so its messages are `must be …`.
   */
  readonly schema: z.ZodType<Options & { readonly kind: string }>;
  /** Identifies the device among all of its kind. */
  address(options: Options): string;
  /** Its last bytes, in the name under which it logs in and in its MAC-like deviceId; absent: a hash of kind and address. */
  deviceIdOf?(options: Options): string;
  /** It cannot log in over TLS: without the listener `devices` it cannot be registered. */
  readonly isPlainOnly?: boolean;
  /** What it may publish and subscribe to: all topics below these prefixes, such as `nuki/2BB28570/`. */
  prefixes(options: Options, deviceId: string): readonly string[];
  /** The topics on which it gets commands: its session cannot begin before it has subscribed to all of them. */
  commandTopics(options: Options, deviceId: string): readonly string[];
  /** While nothing more is known of the device. */
  capabilities(options: Options): Capabilities;
  /** A lock that is in the wanted state already gets this command nevertheless, such as the pulse of a strike. */
  alwaysSends(options: Options, op: 'lock' | 'unlock'): boolean;
  /** As `Driver.passcodeForm`. */
  readonly passcodeForm?: PasscodeForm;
  create(lock: { readonly deviceId: string; readonly options: Options }): DeviceProtocol;
}
