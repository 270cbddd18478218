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
  /** 0 unknown, 1 on, 2 off. */
  readonly passageMode: number;
  /** 1: in passage mode it unlocks by itself. */
  readonly passageModeAutoUnlock: number;
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
  readonly accessManager: boolean;
  readonly createDate: number;
}

export interface Token {
  readonly tokenId: number;
  /** `ttlock`: a program that speaks as to TTLock's cloud made it by signing in. */
  readonly kind: 'api' | 'ttlock';
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
  readonly update: {
    readonly state: 'off' | 'unknown' | 'newest' | 'available';
    /** null: not known. */
    readonly version: string | null;
    readonly reason: 'not-asked' | 'no-apt' | 'not-installed' | 'other-version' | 'no-repository' | 'failed' | null;
    readonly askedDate: number | null;
    readonly lookedDate: number | null;
  };
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
  /** Absent: its data is its own. */
  readonly cluster?: { readonly leader: string | null; readonly nodes: readonly ClusterNode[] };
}

/** One of those that share a database. */
interface ClusterNode {
  readonly name: string;
  /** null: the others do not reach it. */
  readonly url: string | null;
  readonly role: 'starting' | 'waiting' | 'serving' | 'lost';
}

export interface Webhook {
  readonly webhookId: number;
  /** `ttlock`: the callback of a TTLock login. */
  readonly kind: 'plain' | 'ttlock';
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
