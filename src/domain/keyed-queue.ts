// Runs the work for one key (a lock) strictly one after the other: the most urgent first, then in the order of arrival.
// Work that waits too long, or whose caller is gone, is dropped before it begins.

import type { CancelSignal } from './cancel-signal.ts';
import type { Clock } from './clock.ts';
import { DomainError } from './errors.ts';

export interface Turn {
  /** Lower goes first. */
  readonly priority: number;
  /** Time on the monotonic clock: work that has not begun by then is dropped with `lock-busy`. */
  readonly deadline: number;
  /** Aborts when the caller no longer waits for the answer; work that has not begun is then dropped. */
  readonly gone?: CancelSignal;
}

export interface QueueStats {
  readonly waiting: number;
  /** Length of the longest queue of a key. */
  readonly longestQueue: number;
}

export interface KeyedQueue<K> {
  /** Settles as `work` does; rejects with `lock-busy` when too many wait or the work could not begin in time. */
  run<T>(key: K, turn: Turn, work: () => Promise<T>): Promise<T>;
  stats(): QueueStats;
  /** Rejects waiting and later work with `reason()`; work that has begun goes on. */
  close(reason: () => Error): void;
}

interface Waiting {
  readonly turn: Turn;
  begin(): void;
  refuse(error: Error): void;
}

/**
 * `limit`: how many pieces of work with the same or a higher urgency may wait for one key, besides the one under way, before another is
 * refused. So many waiting settings cannot make an unlock fail. Work of negative priority is neither counted nor refused.
 */
export function createKeyedQueue<K>(options: { readonly clock: Clock; readonly limit: number }): KeyedQueue<K> {
  const { clock, limit } = options;
  const queues = new Map<K, Waiting[]>();
  let closed: (() => Error) | undefined;

  function next(key: K): void {
    for (;;) {
      const first = queues.get(key)?.shift();
      if (first === undefined) {
        queues.delete(key);
        return;
      }
      // After the process was held up, work can be next in the queue before its timer has rejected it.
      if (clock.monotonic() < first.turn.deadline) {
        first.begin();
        return;
      }
      first.refuse(tooLate());
    }
  }

  async function begin<T>(key: K, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      next(key);
    }
  }

  return {
    run<T>(key: K, turn: Turn, work: () => Promise<T>): Promise<T> {
      if (closed !== undefined) return Promise.reject(closed());
      if (turn.gone?.aborted) return Promise.reject(nobodyWaits());
      const queue = queues.get(key);
      if (queue === undefined) {
        queues.set(key, []);
        return begin(key, work);
      }
      const before = queue.filter((other) => other.turn.priority >= 0 && other.turn.priority <= turn.priority).length;
      if (turn.priority >= 0 && before >= limit) return Promise.reject(busy('too many commands wait for this lock'));
      return new Promise<T>((resolve, reject) => {
        const late = () => waiting.refuse(tooLate());
        const left = () => waiting.refuse(nobodyWaits());
        const cancelTimer = clock.timer(Math.max(0, turn.deadline - clock.monotonic()), late);
        const leave = () => {
          cancelTimer();
          turn.gone?.removeEventListener('abort', left);
          const at = queue.indexOf(waiting);
          if (at >= 0) queue.splice(at, 1);
        };
        const waiting: Waiting = {
          turn,
          begin: () => {
            leave();
            begin(key, work).then(resolve, reject);
          },
          refuse: (error) => {
            leave();
            reject(error);
          },
        };
        turn.gone?.addEventListener('abort', left);
        const behind = queue.findIndex((other) => other.turn.priority > turn.priority);
        queue.splice(behind < 0 ? queue.length : behind, 0, waiting);
      });
    },

    stats() {
      let waiting = 0;
      let longestQueue = 0;
      for (const { length } of queues.values()) {
        waiting += length;
        longestQueue = Math.max(longestQueue, length);
      }
      return { waiting, longestQueue };
    },

    close(reason) {
      closed = reason;
      for (const queue of queues.values()) for (const waiting of [...queue]) waiting.refuse(reason());
    },
  };
}

function busy(why: string): DomainError {
  return new DomainError('lock-busy', `${why}; nothing was sent`, { retryAfterSeconds: 1 });
}

function tooLate(): DomainError {
  return busy("this command's turn did not come in time");
}

function nobodyWaits(): DomainError {
  return busy('the caller has gone');
}
