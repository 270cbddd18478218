/** Runs work that is made for slices to its end at once. */
export function inOneGo<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
