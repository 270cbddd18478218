// The answer to a rejected CONNECT: logged, and delayed for those who keep guessing (Protocol 2, Fault T12).
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import { originOf } from '../domain/origin.ts';
import type { RateLimitedLog } from '../domain/rate-limited-log.ts';
import type { Rejection } from './client-handlers.ts';
import { createLoginThrottle } from './login-throttle.ts';

/** The connection that sent the CONNECT. */
interface Claimant {
  readonly stream: Duplex & { readonly remoteAddress?: string | undefined };
  close(): void;
}

/** Of a CONNECT that is read when its connection is over. */
export const connectionOver: Rejection = { allow: false, code: 3, reason: 'connection-over', failedLogin: false };

/** Time for the last four bytes to leave. */
const flushMs = 1_000;

export interface LoginRejections {
  /**
   * Writes the CONNACK and closes. Aedes, when asked to do so, takes over the client id first, and with it touches the session of the
   * client that really has it (Fault T11).
   */
  answer(rejection: Rejection, claimant: Claimant): void;
  /** Answers that are put off now. */
  waiting(): number;
  /** Networks whose failed logins are remembered. */
  slowed(): number;
}

/** Answers rejected CONNECTs, more slowly for a network whose logins keep failing. */
export function createLoginRejections({ clock, limited }: { readonly clock: Clock; readonly limited: RateLimitedLog }): LoginRejections {
  const throttle = createLoginThrottle({ clock });

  return {
    answer({ code, reason, failedLogin, identity }, { stream, close }) {
      const { address, network } = originOf(stream.remoteAddress);
      limited.warn(
        `connect ${reason} ${network}`,
        { code: 'connection-refused', address, ...identity, reason },
        'A connection was refused.',
      );

      const delayMs = failedLogin ? throttle.failed(network) : 0;
      if (delayMs === undefined) {
        close();
        return;
      }
      const send = () => void stream.end(Buffer.from([0x20, 2, 0, code]), close);
      const cancelAnswer = delayMs === 0 ? undefined : clock.timer(delayMs, send);
      const cancelDeadline = clock.timer(delayMs + flushMs, close);
      stream.once('close', () => {
        cancelAnswer?.();
        cancelDeadline();
        if (delayMs > 0) throttle.answered();
      });
      if (delayMs === 0) send();
    },
    waiting: throttle.waiting,
    slowed: throttle.slowed,
  };
}
