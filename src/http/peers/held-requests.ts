// Requests that wait for a leader, while one hands over to another. Nothing of them was begun anywhere, and none of their bodies is read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import type { RequestEffect } from '../pipeline/effect.ts';

export interface HeldRequests {
  /**
   * Resolves with `true` when there may be a leader, and with `false` when there is none in time, no room, or `stop` was called.
   * A client that leaves frees its place; then it resolves with `false`, too. @param until on the monotonic clock
   */
  wait(
    request: IncomingMessage,
    response: ServerResponse,
    how: { readonly effect: RequestEffect; readonly until: number },
  ): Promise<boolean>;
  /** From now on none is held. */
  stop(): void;
}

const lookMs = 25;
/** For how long nobody must wait until it is said how many have: who was let go may come back. */
const quietMs = 5_000;
/** Of all that are held. Others may take three quarters, so that doors have room. */
const bytesAtMost = 32 * 1024 * 1024;
const bytesOfOthersAtMost = 24 * 1024 * 1024;
/** What a request has in memory at most while nobody reads it: its head (`http/pipeline/endpoint.ts`), and of its body what was read ahead. */
const headBytes = 16 * 1024;
const bodyBytes = 96 * 1024;

interface Held {
  readonly until: number;
  readonly isDoor: boolean;
  readonly go: (mayGo: boolean) => void;
}

/** @param isServed whether there is a leader; asked again and again while a request is held */
export function createHeldRequests({
  clock,
  log,
  isServed,
}: {
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly log: Log;
  readonly isServed: () => boolean;
}): HeldRequests {
  const held = new Set<Held>();
  let bytes = 0;
  /** Since one waits: when that was, who has waited, and how many; and when the last one was let go. */
  let [since, lastAt, requests] = [0, 0, 0];
  let waited = new WeakSet<IncomingMessage>();
  let cancelSay: (() => void) | undefined;
  let isStopped = false;
  let cancelLook: (() => void) | undefined;

  function look(): void {
    cancelLook = undefined;
    const now = clock.monotonic();
    for (const one of held) if (now >= one.until) one.go(false);
    // Doors first.
    if (held.size > 0 && isServed()) for (const one of [...held].sort((a, b) => Number(b.isDoor) - Number(a.isDoor))) one.go(true);
    lookAgain();
  }
  function lookAgain(): void {
    if (held.size > 0) cancelLook ??= clock.timer(lookMs, look);
  }

  function sayHeld(): void {
    if (cancelSay === undefined) return;
    cancelSay();
    cancelSay = undefined;
    log.info({ code: 'requests-held', requests, ms: Math.round(lastAt - since) }, 'requests waited for a leader');
  }

  function noteHeld(request: IncomingMessage): void {
    if (held.size === 0 && cancelSay === undefined) {
      [since, requests] = [clock.monotonic(), 0];
      waited = new WeakSet();
    }
    cancelSay?.();
    cancelSay = undefined;
    if (waited.has(request)) return;
    waited.add(request);
    requests += 1;
  }

  return {
    wait(request, response, { effect, until }) {
      const isDoor = effect === 'door';
      const size = sizeOf(request);
      if (isStopped || response.destroyed || bytes + size > (isDoor ? bytesAtMost : bytesOfOthersAtMost)) return Promise.resolve(false);
      bytes += size;
      return new Promise((resolve) => {
        const left = () => one.go(false);
        const one: Held = {
          until,
          isDoor,
          go(mayGo) {
            if (!held.delete(one)) return;
            bytes -= size;
            response.off('close', left);
            resolve(mayGo);
            if (held.size > 0) return;
            lastAt = clock.monotonic();
            cancelSay = clock.timer(quietMs, sayHeld);
          },
        };
        noteHeld(request);
        held.add(one);
        response.once('close', left);
        lookAgain();
      });
    },
    stop() {
      isStopped = true;
      cancelLook?.();
      for (const one of held) one.go(false);
      sayHeld();
    },
  };
}

function sizeOf({ headers }: IncomingMessage): number {
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyBytes;
  return headBytes + Math.min(length, bodyBytes);
}
