// Serves a receiver's delivery queues: in rotation, four at a time, with a pause after a failure.

import type { Clock } from '../clock.ts';
import { createSemaphore } from '../mutex.ts';
import type { DeliveryQueue } from './delivery-queues.ts';

const servedAtOnce = 4;

export interface Pause {
  readonly ms: number;
  /** The receiver did not answer: the pause ends when it answers another queue. */
  readonly isUnreachable: boolean;
}

/** The scheduler of one receiver. It serves one queue once at a time, so each queue keeps its order. */
export function createQueueScheduler(options: {
  readonly clock: Clock;
  readonly hasMore: (queue: DeliveryQueue) => boolean;
  /** Sends or loads the next delivery of the queue. Must not reject. */
  readonly serveNext: (queue: DeliveryQueue) => Promise<Pause | undefined>;
}) {
  const { clock, hasMore, serveNext } = options;
  const inPlace = createSemaphore(servedAtOnce);
  /** What ends a pause, and whether that pause is because the receiver did not answer. */
  const pauses = new Map<() => void, boolean>();
  let isStopped = false;

  function pauseFor({ ms, isUnreachable }: Pause): Promise<void> {
    return new Promise((resolve) => {
      function end(): void {
        cancel();
        pauses.delete(end);
        resolve();
      }
      const cancel = clock.timer(ms, end);
      pauses.set(end, isUnreachable);
    });
  }
  /** Ends all pauses, or only those because the receiver did not answer. */
  function resume(which: 'all' | 'unreachable'): void {
    for (const [end, isUnreachable] of pauses) if (which === 'all' || isUnreachable) end();
  }
  async function serveAll(queue: DeliveryQueue): Promise<void> {
    queue.isServed = true;
    while (hasMore(queue) && !isStopped) {
      const pause = await inPlace(() => serveNext(queue));
      if (pause !== undefined && !isStopped) await pauseFor(pause);
    }
    queue.isServed = false;
  }
  return {
    /** Serves the queue until it is empty. */
    serve(queue: DeliveryQueue): void {
      if (!queue.isServed) void serveAll(queue);
    },
    resume,
    stop(): void {
      isStopped = true;
      resume('all');
    },
  };
}
