// The gateway's answers about locks that are registered or found, by the names of the HTTP API. Dates are epoch milliseconds.

/** What holds for a lock of its make (HTTP API 8.1). */
export interface Capabilities {
  readonly success: 'bolt' | 'relay' | 'said';
  readonly late: 'never' | 'bounded' | 'possible';
  readonly refusals: 'named' | 'silent';
  readonly matched: boolean;
  readonly query: boolean;
  readonly events: 'exactly-once' | 'live' | 'none';
  readonly who: 'name' | 'number' | 'none';
  readonly wrongCodes: boolean;
  readonly cards: boolean;
  readonly passcodes: boolean;
  readonly hours: boolean;
  readonly once: boolean;
  readonly autoLock: boolean;
  readonly settings: boolean;
  readonly battery: 'percent' | 'none';
  readonly encrypted: boolean;
  readonly warnings: readonly string[];
}

/** The make of a lock, and what is set for it. */
export type LockDriver = { readonly kind: string } & Readonly<Record<string, string | number | null>>;

/** The login of a lock of another make, shown once; a port is null while nothing listens there. */
export interface MqttLogin {
  readonly host: string;
  readonly port: number | null;
  readonly tlsPort: number | null;
  readonly username: string;
  readonly password: string;
}

/** A new lock, or a new key for one: our own has a `deviceKey`, one of another make an `mqtt`, one over a bridge neither. */
export interface IssuedKey {
  readonly lockId: number;
  readonly deviceId: string;
  readonly deviceKey?: string;
  readonly mqtt?: MqttLogin;
}

/** An outside broker. */
export interface Bridge {
  readonly name: string;
  readonly connected: boolean;
  readonly reason: string;
  readonly locks: number;
  readonly drivers: readonly { readonly kind: string; readonly online: boolean }[];
}

/** A lock as gateway administrators see it. */
export interface ManagedLock {
  readonly lockId: number;
  readonly deviceId: string;
  readonly lockMac: string;
  readonly lockName: string;
  readonly lockAlias: string;
  readonly groupName: string;
  readonly online: boolean;
  /** null: never. */
  readonly lastSeen: number | null;
  /** null: it has a login of its own. */
  readonly hubId: string | null;
  /** null: it speaks our own protocol. */
  readonly driver: LockDriver | null;
  readonly capabilities: Capabilities;
  readonly administrator: string;
  /** null: it has never said. */
  readonly cardsOnLock: number | null;
}

/** A lock that waits to be confirmed, or that a program on a bridge announces. */
export interface FoundDevice {
  readonly deviceId: string;
  readonly address: string;
  readonly connected: boolean;
}

/** A lock that has made a key of its own. */
export interface PendingDevice extends FoundDevice {
  readonly driver: null;
  readonly lockMac: string;
  readonly keyFingerprint: string;
  readonly since: number;
  /** A device with another key claims the same address. */
  readonly contested: boolean;
  readonly hello: { readonly modelNum: string; readonly firmwareRevision: string; readonly electricQuantity: number } | null;
  readonly replaces: { readonly lockId: number; readonly lockName: string; readonly online: boolean } | null;
}

/** A lock that a program on a bridge announces. */
export interface AnnouncedDevice extends FoundDevice {
  readonly driver: LockDriver;
  readonly name: string;
  readonly make: string;
  readonly model: string;
  /** What of its announcement is not understood; null: nothing. */
  readonly refused: string | null;
}
