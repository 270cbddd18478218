// The bolt: it takes its time, and it can jam on the way.
import type { OpenState } from '../src/domain/locks/lock.ts';
import type { TimeSource } from './time-source.ts';

export interface Bolt {
  readonly state: OpenState;
  /** True from the first to the last millisecond of a movement. */
  readonly moving: boolean;
  /** Something stands in the way until this is taken back; `once`: only in that of the next movement. */
  jam(on: boolean | 'once'): void;
  /**
   * Moves and calls `done` once: true when the bolt has arrived, false when it was blocked (and has gone back).
   * Must not be called while it moves.
   */
  move(target: OpenState, done: (arrived: boolean) => void): void;
  /** Power is gone: a movement under way stays unfinished, the bolt where it was. */
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
      // There and back again takes a blocked bolt twice the way to the obstacle.
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
