// Collects work until the end of a tick of the event loop, so that work of one kind is done together (Decision 25).

/** The steps in their order: a command that a request makes is sent in the same tick. */
export const tickSteps = ['requests', 'packets', 'answers'] as const;

export type TickStep = (typeof tickSteps)[number];

export interface TickBatcher {
  /**
   * Returns a function that collects items. When everything that has arrived in this tick has been read, `handle` gets all items of its
   * step, in order. An error that `handle` throws ends the process.
   */
  batch<T>(step: TickStep, handle: (item: T) => void): (item: T) => void;
  /**
   * Runs the waiting work at once: for a caller that is about to begin something for which others need not wait. Never call it within a
   * step.
   */
  drain(): void;
}
