// Serves the queues of one receiver: in rotation, some at a time, with a pause after a failure.
import type { Clock } from '../clock.ts';
import { createSemaphore } from '../mutex.ts';

export interface Pause {
  readonly ms: number;
  /** The receiver did not answer: the pause ends when it answers another queue. */
  readonly isUnreachable: boolean;
}

/** It serves a queue once at a time, so each queue keeps its order, and `atOnce` queues at most. */
export function createQueueScheduler<Queue extends object>(options: {
  readonly clock: Clock;
  readonly atOnce: number;
  readonly hasMore: (queue: Queue) => boolean;
  /** Sends the next of the queue. Must not reject. */
  readonly serveNext: (queue: Queue) => Promise<Pause | undefined>;
}) {
  const { clock, hasMore, serveNext } = options;
  const inPlace = createSemaphore(options.atOnce);
  const served = new Set<Queue>();
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
  async function serveAll(queue: Queue): Promise<void> {
    served.add(queue);
    while (hasMore(queue) && !isStopped) {
      const pause = await inPlace(() => serveNext(queue));
      if (pause !== undefined && !isStopped) await pauseFor(pause);
    }
    served.delete(queue);
  }
  return {
    /** Serves the queue until it is empty. */
    serve(queue: Queue): void {
      if (!served.has(queue)) void serveAll(queue);
    },
    resume,
    stop(): void {
      isStopped = true;
      resume('all');
    },
  };
}
