// Tells whether the client of a request still waits for the answer.

/** Aborted when the client no longer waits for the answer. An AbortSignal is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  /** Until when the client waits, on the monotonic clock, where that is known. */
  readonly deadline?: number | undefined;
  addEventListener(kind: 'abort', left: () => void): void;
  removeEventListener(kind: 'abort', left: () => void): void;
}
