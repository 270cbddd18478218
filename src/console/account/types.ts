// The gateway's answers about signing in (HTTP API 13.1). Dates are epoch milliseconds.

/** Of the one who asks. */
export interface OwnSession {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  readonly accessManager: boolean;
  readonly hasPassword: boolean;
}

export interface SignInSession {
  readonly sessionId: string;
  readonly method: string;
  readonly createDate: number;
  readonly lastUsedDate: number;
  readonly address: string;
  /** What the browser said of itself; '' for nothing. */
  readonly agent: string;
  readonly current: boolean;
}

export interface Passkey {
  readonly passkeyId: number;
  readonly name: string;
  readonly createDate: number;
  /** null: never. */
  readonly lastUsedDate: number | null;
  /** The name of the gateway at which it works. */
  readonly host: string;
}

/** A link that carries a secret. */
export interface SecretLink {
  readonly url: string;
  /** The same as a drawing, in SVG. */
  readonly qr: string;
  readonly expiresDate: number;
}

/** How far the sign-in of another browser is; who came is null while it is `waiting`. */
export interface Handover {
  readonly handoverId: string;
  readonly state: 'waiting' | 'claimed' | 'confirmed' | 'taken';
  readonly agent: string | null;
  readonly address: string | null;
  readonly code: string | null;
}

/** What the other browser holds meanwhile. */
export interface HandoverClaim {
  readonly claim: string;
  readonly code: string;
}
