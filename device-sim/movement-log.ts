// The last movements of a bolt, for tests that ask when and why a door opened.
import type { OpenState } from '../src/domain/locks/lock.ts';

/** The beginning of a movement of the bolt, as this lock saw it. */
export interface Movement {
  readonly target: OpenState;
  /** The lock's own uptime counter, in which `expires` is given (Protocol 5.1). */
  readonly uptime: number;
  /** Time on the monotonic clock of the simulator. */
  readonly at: number;
  readonly session: string | undefined;
  /** The command that caused it. */
  readonly commandId: string | undefined;
}

/** How many movements are remembered. */
const limit = 32;

export class MovementLog {
  /** Oldest first. */
  readonly movements: Movement[] = [];

  add(movement: Movement): void {
    this.movements.push(movement);
    if (this.movements.length > limit) this.movements.shift();
  }
}
