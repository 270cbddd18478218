// A connection to the broker of a bridge, as this room needs it; src/app joins it with the MQTT client.

/** An entry of `bridges` in the configuration, as far as it is spoken of here. */
export interface BridgeSettings {
  readonly name: string;
  /** `mqtt://…` or `mqtts://…`. */
  readonly url: string;
  /** With a user name of its own; without one everybody may log in. */
  readonly hasLogin: boolean;
  readonly programs: readonly BridgeProgramSettings[];
}

/** Where the topics of a program begin, beside its kind. */
export interface BridgeProgramSettings {
  readonly kind: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface BridgeEvents {
  onUp(): void;
  /** A connection or an attempt has ended. */
  onDown(reason: string): void;
  /** `isRetained`: it is history. */
  onMessage(topic: string, payload: Buffer, isRetained: boolean): void;
  /** The broker does not let us hear this. */
  onRefused(filters: readonly string[]): void;
}

/** There is one connection at most; while there is none, nothing is sent, and nothing waits to be sent. */
export interface BridgeConnection {
  start(): void;
  stop(): Promise<void>;
  /** `ttlMs`: a command; the connection is reset when the broker has not taken it by then. False: nothing was sent. */
  publish(topic: string, payload: string, ttlMs?: number): boolean;
  subscribe(filters: readonly string[]): void;
  unsubscribe(filters: readonly string[]): void;
  /** Whether somebody without user name and password may log in and subscribe; undefined: nobody could find out. Never rejects. */
  admitsStrangers(): Promise<boolean | undefined>;
}

/** Creating it does no I/O. */
export type OpenBridge = (bridge: BridgeSettings, events: BridgeEvents) => BridgeConnection;
