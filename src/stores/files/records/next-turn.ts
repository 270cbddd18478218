/** Lets whatever else waits run first. What is read from memory never leaves the turn by itself, however much it is. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
