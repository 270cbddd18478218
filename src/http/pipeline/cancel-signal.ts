// Whether a client still waits for its answer.
import type { ServerResponse } from 'node:http';
import type { CancelSignal } from '../../domain/cancel-signal.ts';
import { expiryOf } from '../peers/peer-requests.ts';

/**
 * Aborted when the connection ends before the answer is sent. An AbortSignal would cost as much as all the checks of a request, and
 * only a command that waits in its lock's queue ever listens.
 *
 * A class, because V8 puts the getter of an object literal into the old space at once, and the getter holds its whole request in memory
 * until the next full collection. A class has its getter once.
 */
export class ClosedConnectionSignal implements CancelSignal {
  readonly #response: ServerResponse;
  #onClose: Map<() => void, () => void> | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get aborted(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  get deadline(): number | undefined {
    return expiryOf(this.#response.req);
  }

  addEventListener(_kind: 'abort', left: () => void): void {
    const response = this.#response;
    const closed = () => {
      if (!response.writableFinished) left();
    };
    this.#onClose ??= new Map();
    this.#onClose.set(left, closed);
    response.once('close', closed);
  }

  removeEventListener(_kind: 'abort', left: () => void): void {
    const closed = this.#onClose?.get(left);
    if (closed !== undefined) this.#response.off('close', closed);
  }
}
