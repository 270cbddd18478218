// The answer to a refused CONNECT: counted, logged, and for those who keep guessing delayed (Protocol 2, T12).
import type { Duplex } from 'node:stream';
import { originOf } from '../domain/origin.ts';
import type { Clock } from '../domain/ports.ts';
import type { RateLimitedLog } from '../domain/rate-limited-log.ts';
import type { RefusedConnect } from '../drivers/native/access.ts';
import { createLoginThrottle } from './login-throttle.ts';

export interface RefusalOptions {
  readonly clock: Clock;
  readonly limited: RateLimitedLog;
}

/** Whoever sent the CONNECT. */
export interface Claimant {
  readonly stream: Duplex & { readonly remoteAddress?: string | undefined };
  /** The username as it was sent. */
  readonly claimed: string | undefined;
  close(): void;
}

/** Time for the last four bytes to leave. */
const flushMs = 1_000;

export interface Refusals {
  refuse(decision: RefusedConnect, claimant: Claimant): void;
  /** Answers that are put off now. */
  waiting(): number;
  /** Networks whose failed logins are remembered. */
  slowed(): number;
}

/**
 * Writes the CONNACK itself and closes. A broker that was asked to do so would have taken over the client id first,
 * and with it touched the session of the lock that really has it (T11).
 */
export function createRefusals({ clock, limited }: RefusalOptions): Refusals {
  const throttle = createLoginThrottle({ clock });

  function refuse({ code, reason, failedLogin }: RefusedConnect, { stream, claimed, close }: Claimant): void {
    const { address, network } = originOf(stream.remoteAddress);
    // Only what looks like a deviceId is written down: people put keys into the wrong field.
    const identity = claimed !== undefined && /^[0-9a-f]{12}$/.test(claimed) ? { deviceId: claimed } : {};
    limited.warn(`connect ${reason} ${network}`, { code: 'connection-refused', address, ...identity, reason }, 'A connection was refused.');

    const delayMs = failedLogin ? throttle.failed(network) : 0;
    if (delayMs === undefined) {
      close();
      return;
    }
    const answer = () => void stream.end(Buffer.from([0x20, 2, 0, code]), close);
    const cancelAnswer = delayMs === 0 ? undefined : clock.timer(delayMs, answer);
    const cancelDeadline = clock.timer(delayMs + flushMs, close);
    stream.once('close', () => {
      cancelAnswer?.();
      cancelDeadline();
      if (delayMs > 0) throttle.answered();
    });
    if (delayMs === 0) answer();
  }

  return { refuse, waiting: throttle.waiting, slowed: throttle.slowed };
}
