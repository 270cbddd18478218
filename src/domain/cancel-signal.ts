// Whether whoever has asked for something still wants it.

/** Whether somebody still waits for the answer. An AbortSignal is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(kind: 'abort', left: () => void): void;
  removeEventListener(kind: 'abort', left: () => void): void;
}
