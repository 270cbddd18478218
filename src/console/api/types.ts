// The gateway's answers, by the names of the HTTP API. Dates are epoch milliseconds.

export interface Lock {
  readonly lockId: number;
  readonly lockName: string;
  readonly lockAlias: string;
  readonly lockMac: string;
  readonly groupId: number;
  readonly groupName: string;
}

/** For the lock's administrator. */
export interface LockDetail {
  readonly lockId: number;
  readonly lockName: string;
  readonly lockAlias: string;
  readonly lockMac: string;
  readonly noKeyPwd: string;
  readonly timezoneRawOffset: number;
  readonly modelNum: string;
  readonly hardwareRevision: string;
  readonly firmwareRevision: string;
  readonly autoLockTime: number;
  readonly date: number;
}

/** The battery level that the lock has reported from `reportDate` on. */
export interface BatteryLevel {
  readonly reportDate: number;
  readonly electricQuantity: number;
}

export interface LockRecord {
  readonly recordId: number;
  readonly lockId: number;
  readonly serverDate: number;
  readonly recordType: string;
  readonly success: 0 | 1;
  readonly keyboardPwd: string;
  readonly lockDate: number;
  readonly username: string;
}

export interface Card {
  readonly cardId: number;
  readonly lockId: number;
  readonly cardNumber: string;
  readonly cardName: string;
  readonly startDate: number;
  readonly endDate: number;
  readonly createDate: number;
  readonly senderUsername: string;
}

/** A card that the lock itself says it holds. */
export interface CardOnLock {
  readonly cardNumber: string;
  readonly startDate: number;
  readonly endDate: number;
  readonly known: boolean;
}

export interface Alarm {
  readonly kind: string;
  /** null: of the gateway itself. */
  readonly lockId: number | null;
  readonly since: number;
  readonly reason: string;
  /** false: it is active until a person ends it. */
  readonly endsByItself: boolean;
}

export interface Account {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  readonly createDate: number;
}

export interface Token {
  readonly tokenId: number;
  readonly username: string;
  readonly name: string;
  readonly createDate: number;
  /** null: never. */
  readonly expireDate: number | null;
}

export interface Hub {
  readonly deviceId: string;
  readonly mac: string;
  readonly name: string;
  readonly online: boolean;
  /** How many locks are bound to it. */
  readonly locks: number;
  readonly date: number;
}

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

/** A lock that was removed; the name of an account is empty when the account is removed. */
export interface RemovedLock {
  readonly lockId: number;
  readonly lockMac: string;
  readonly lockName: string;
  readonly administrator: string;
  readonly removeDate: number;
  readonly removedBy: string;
}

export interface GrantedRole {
  readonly username: string;
  readonly role: 'operator' | 'manager' | 'administrator';
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

export interface AuditEntry {
  readonly date: number;
  readonly username: string;
  readonly address: string;
  readonly action: string;
  readonly object: string;
  readonly detail: string;
  readonly outcome: string;
  readonly missed: number;
  /** How often within a minute. */
  readonly count: number;
}

/** The members of the gateway's status that a caretaker looks for. */
export interface GatewayStatus {
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly locks: number;
  readonly online: number;
  readonly pairingOpen: boolean;
  readonly pairingCloseDate: number | null;
  readonly pendingDevices: number;
  readonly alarms: number;
  readonly records: number;
  readonly listeners: Readonly<Record<string, { readonly host: string; readonly port: number }>>;
  /** When the certificate shown there expires. */
  readonly certificates: Readonly<Record<string, number>>;
  readonly clockIsSuspect: boolean;
  readonly backupDate: number | null;
  readonly storage: { readonly health: string; readonly freeBytes: number | null };
}

export interface Webhook {
  readonly webhookId: number;
  readonly username: string;
  readonly name: string;
  readonly url: string;
  /** Empty: all. */
  readonly eventTypes: readonly string[];
  /** Empty: all locks on which the account has a role, and the gateway itself. */
  readonly lockIds: readonly number[];
  readonly enabled: boolean;
  readonly waiting: number;
  readonly failed: number;
  /** null: the last attempt succeeded. */
  readonly failingSince: number | null;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly eventType: string;
  readonly lockId: number | null;
  readonly eventDate: number;
  readonly progress: 'delivered' | 'waiting' | 'failed';
  readonly attempts: number;
  readonly attemptDate: number;
  readonly status: number | null;
  readonly reason: string;
}

/** The result of a test or a replay. */
export interface Attempt {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly reason: string;
  readonly ms: number;
}
