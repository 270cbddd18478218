// What the gateway answers, by the names of the HTTP API. Dates are epoch milliseconds.

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

/** From `reportDate` on, the lock has said so. */
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

/** What the lock itself says that it holds. */
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
  /** false: it stands until a person has ended it. */
  readonly endsByItself: boolean;
}

export interface Account {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  readonly createDate: number;
}
