// What waits for the end of a turn of the event loop, so that work of one kind is done together (Decision 25).

/** In the order in which they are done: a command that a request makes leaves in the same turn. */
export const tickSteps = ['requests', 'packets', 'answers'] as const;

export type TickStep = (typeof tickSteps)[number];

export interface TickBatcher {
  /**
   * What the returned function is given is handed to `handle` when everything that has arrived in this turn has been read, together with
   * all else of its step, in order. What `handle` throws ends the process.
   */
  batch<T>(step: TickStep, handle: (item: T) => void): (item: T) => void;
  /** Does what waits at once: for whoever is about to begin something that others need not wait for. Not from within a step. */
  drain(): void;
}
