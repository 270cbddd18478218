// Keeps what a step throws from leaving it: an exception in a hook of the broker would end the process (T15).

/** Runs what `decide` returns, or `otherwise` when it throws: one of them, once. `onFailed` hears of every exception. */
export function contained(onFailed: (error: unknown) => void, otherwise: () => void, decide: () => () => void): void {
  let answer = otherwise;
  try {
    answer = decide();
  } catch (error) {
    onFailed(error);
  }
  try {
    answer();
  } catch (error) {
    onFailed(error);
  }
}
