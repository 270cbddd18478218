// The gateway's answers about Home Assistant and TTLock logins, by the names of the HTTP API. Dates are epoch milliseconds.

/** The member of the gateway's status about the TTLock interface. */
export interface TtlockStatus {
  readonly ttlock: { readonly enabled: boolean };
}

export interface HomeAssistant {
  /** Whether it is configured. */
  readonly enabled: boolean;
  readonly connected: boolean;
  readonly gatewayId: string;
  /** How many locks are announced. */
  readonly locks: number;
  readonly lastError: string | null;
  /** How often a command was refused, by the reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** null while it is not enabled. */
  readonly account: string | null;
  /** Whether Home Assistant may lock and unlock. */
  readonly commands: boolean;
  readonly hasCode: boolean;
  readonly lastRefusal: { readonly lockId: number | null; readonly reason: string; readonly at: number } | null;
}

export interface TtlockLogin {
  readonly loginId: number;
  readonly username: string;
  readonly name: string;
  readonly clientId: string;
  readonly callback: string | null;
  readonly createDate: number;
  /** null: never. */
  readonly lastUsed: number | null;
}

/** Shown once. */
export interface MadeTtlockLogin {
  readonly loginId: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly password: string;
}
