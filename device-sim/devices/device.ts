// What a simulated device of another make is: it says what its make says, wire-exact, over a connection that is not its business.
import type { LineLogin, Qos } from '../mqtt-line.ts';
import type { TimeSource } from '../time-source.ts';
import type { DeviceFaults, RudeTopics } from './device-faults.ts';
import type { DeviceWire } from './device-wire.ts';

/** A door with one of its locks: what people can do there. */
export interface Door {
  readonly name: string;
  readonly faults: DeviceFaults;
  /** Where its bolt is really, whatever has been said of it; undefined: neither here nor there. */
  bolt(): 'locked' | 'unlocked' | undefined;
  /** One line for a person. */
  describe(): string;
  /** Turns it by hand: locks or unlocks. */
  turn(): void;
  /** Types a code; the answer is for the person at the door. */
  enterCode(code: string): string;
  /** False: it is locked. */
  moveDoor(open: boolean): boolean;
  setBattery(percent: number): void;
}

export interface SimulatedDevice {
  readonly doors: readonly Door[];
  readonly rudeTopics: RudeTopics;
  /** What its CONNECT says, without name and password. */
  login(): Omit<LineLogin, 'username' | 'password'>;
  /** The connection is up. It may speak before it has subscribed. */
  begin(wire: DeviceWire): void;
  /** What it subscribes to on each connection, in this order. */
  subscriptions(): readonly { readonly topic: string; readonly qos: Qos }[];
  hear(topic: string, text: string): void;
  /** The connection is gone; the door goes on without it. */
  end(): void;
}

export interface DeviceOptions {
  /** As after the colon of `--as`. */
  readonly address: string;
  readonly time: TimeSource;
  /** Gets a sentence for each thing that happens at a door. */
  readonly tell: (line: string) => void;
  /** How long a bolt needs; default 1,000. */
  readonly travelMs?: number;
}
