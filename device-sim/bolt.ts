// The bolt: a movement takes time, and the bolt can jam on the way.
import type { OpenState } from '../src/domain/locks/lock.ts';
import type { TimeSource } from './time-source.ts';

export interface Bolt {
  readonly state: OpenState;
  /** True from the first to the last millisecond of a movement. */
  readonly moving: boolean;
  /** An obstacle blocks the bolt until it is removed; `once`: it blocks only the next movement. */
  jam(on: boolean | 'once'): void;
  /**
   * Moves and calls `done` once: true when the bolt has arrived, false when it was blocked (and has gone back).
   * Must not be called while it moves.
   */
  move(target: OpenState, done: (arrived: boolean) => void): void;
  /** Power is gone: a movement under way stays unfinished, and the bolt stays where it was. */
  halt(): void;
}

/** How far a jammed bolt gets before it turns back. */
const blockedAt = 0.4;

export function createBolt(options: { time: TimeSource; travelMs: number; state: OpenState }): Bolt {
  let state = options.state;
  let jammed: boolean | 'once' = false;
  let cancel: (() => void) | undefined;
  return {
    get state() {
      return state;
    },
    get moving() {
      return cancel !== undefined;
    },
    jam(on) {
      if (on !== 'once' || jammed === false) jammed = on;
    },
    move(target, done) {
      const blocked = jammed !== false;
      if (jammed === 'once') jammed = false;
      // A blocked bolt goes to the obstacle and back, which takes twice the time.
      cancel = options.time.timer(blocked ? options.travelMs * blockedAt * 2 : options.travelMs, () => {
        cancel = undefined;
        if (!blocked) state = target;
        done(!blocked);
      });
    },
    halt() {
      cancel?.();
      cancel = undefined;
    },
  };
}
