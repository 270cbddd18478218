// Handovers: a screen that is signed in signs one other browser in, once its person has seen which one came.
import type { AuditTrail } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { createKeyedRateLimiter } from '../rate-limiter.ts';
import type { Secrets } from '../secrets.ts';
import type { AccountId, Caller } from './account.ts';
import type { AccountService } from './account-service.ts';
import type { Browser } from './password-service.ts';
import type { SignIn } from './sign-in.ts';
import type { SignInService, StartedSignIn } from './sign-in-service.ts';

const validMs = 2 * 60_000;
const codeDigits = 4;

/** What the screen that made it sees. */
export interface HandoverView {
  readonly handoverId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly state: 'waiting' | 'claimed' | 'confirmed' | 'taken';
  /** The browser that came; undefined while it waits. `code` is what that browser shows, too. */
  readonly came: { readonly agent: string; readonly address: string; readonly code: string } | undefined;
}

interface Handover extends HandoverView {
  readonly maker: Caller;
  readonly secretHash: string;
  state: HandoverView['state'];
  came: HandoverView['came'];
  claimHash: string | undefined;
  readonly cancelTimer: () => void;
}

/** Those with a caller are for the session that made the handover; others of the account have none, and get `not-found`. */
export interface HandoverService {
  /** Makes one, which ends an earlier one of this session. Throws `forbidden` without a session, `rate-limited` after ten within a minute. */
  make(caller: Caller): { readonly secret: string; readonly handover: HandoverView };
  state(caller: Caller): HandoverView;
  /** Lets the browser in that came. Rejects with `conflict` while none has come. */
  confirm(caller: Caller, handoverId: string): Promise<void>;
  /** Ends it, and refuses the browser that came. */
  cancel(caller: Caller): void;
  /** The other browser comes with the secret, once. Throws `invitation-invalid`. */
  claim(
    secret: string,
    browser: Pick<Browser, 'agent' | 'address'>,
  ): {
    readonly claim: string;
    readonly code: string;
    /** Epoch milliseconds. */
    readonly expiresAt: number;
  };
  /** Signs that browser in, once; undefined: not yet. Rejects with `invitation-invalid` when it is over or was refused. */
  take(claim: string, browser: Browser): Promise<StartedSignIn | undefined>;
}

export function createHandoverService(options: {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accounts: Pick<AccountService, 'callerWith'>;
  readonly signIns: Pick<SignInService, 'of' | 'signIn'>;
  readonly audit: Pick<AuditTrail, 'record'>;
}): HandoverService {
  const { clock, secrets, accounts, signIns, audit } = options;
  const bySession = new Map<string, Handover>();
  const bySecret = new Map<string, Handover>();
  const byClaim = new Map<string, Handover>();
  const allowed = createKeyedRateLimiter<AccountId>({ clock, perSecond: 1 / 6, burst: 10, maxKeys: 10_000 });

  function end(handover: Handover): void {
    const { sessionId = '' } = handover.maker.session ?? {};
    handover.cancelTimer();
    bySecret.delete(handover.secretHash);
    if (handover.claimHash !== undefined) byClaim.delete(handover.claimHash);
    if (bySession.get(sessionId) === handover) bySession.delete(sessionId);
  }
  function ofCaller({ session }: Caller): Handover {
    const found = session && bySession.get(session.sessionId);
    if (found === undefined) throw new DomainError('not-found', 'this session has no handover, or not any more');
    return found;
  }
  /** With the session of the screen, while it lasts. Throws `invitation-invalid`. */
  function stillValid(handover: Handover | undefined): { readonly handover: Handover; readonly signIn: SignIn } {
    const signIn = handover && signIns.of(handover.maker);
    if (handover !== undefined && signIn !== undefined) return { handover, signIn };
    if (handover !== undefined) end(handover);
    throw new DomainError('invitation-invalid', 'this handover is not valid, or not any more');
  }

  return {
    make(caller) {
      const { session, accountId } = caller;
      if (session === undefined) throw new DomainError('forbidden', 'a token hands nothing over: sign in with a browser first');
      if (!allowed.take(accountId)) {
        const retryAfterSeconds = Math.ceil(allowed.msUntil(accountId, 1) / 1_000);
        throw new DomainError('rate-limited', 'too many handovers within a minute', { retryAfterSeconds });
      }
      const earlier = bySession.get(session.sessionId);
      if (earlier !== undefined) end(earlier);
      const secret = secrets.newLinkSecret();
      const handover: Handover = {
        ...{ handoverId: secrets.newName(), maker: caller, secretHash: secrets.hash(secret), expiresAt: clock.now() + validMs },
        ...{ state: 'waiting', came: undefined, claimHash: undefined },
        cancelTimer: clock.timer(validMs, () => end(handover)),
      };
      bySession.set(session.sessionId, handover);
      bySecret.set(handover.secretHash, handover);
      return { secret, handover };
    },

    state: ofCaller,

    async confirm(caller, handoverId) {
      const handover = ofCaller(caller);
      if (handover.handoverId !== handoverId) throw new DomainError('not-found', `this session has no handover ${handoverId} any more`);
      const { came } = handover;
      if (came === undefined) throw new DomainError('conflict', 'no browser has come yet');
      if (handover.state !== 'claimed') return;
      const detail = `${came.agent || 'a browser'} at ${came.address}`;
      await audit.record(
        caller,
        () => ({ action: 'handover', object: `account ${caller.username}`, detail }),
        async () => {
          // It can have been refused, or made anew, while the line was written.
          if (ofCaller(caller) === handover) handover.state = 'confirmed';
        },
      );
    },

    cancel: (caller) => end(ofCaller(caller)),

    claim(secret, { agent, address }) {
      const { handover } = stillValid(bySecret.get(secrets.hash(secret)));
      bySecret.delete(handover.secretHash);
      const claim = secrets.newLinkSecret();
      const code = secrets.newDigits(codeDigits);
      handover.claimHash = secrets.hash(claim);
      handover.came = { agent, address, code };
      handover.state = 'claimed';
      byClaim.set(handover.claimHash, handover);
      return { claim, code, expiresAt: handover.expiresAt };
    },

    async take(claim, { address, ...session }) {
      const claimHash = secrets.hash(claim);
      const { handover, signIn } = stillValid(byClaim.get(claimHash));
      if (handover.state === 'claimed') return undefined;
      byClaim.delete(claimHash);
      handover.state = 'taken';
      const caller = { ...accounts.callerWith(signIn.accountId), address };
      return signIns.signIn(caller, { method: 'handover', tokenId: signIn.tokenId, passkeyId: signIn.passkeyId, ...session });
    },
  };
}
