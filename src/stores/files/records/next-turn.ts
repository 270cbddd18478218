/** Waits for the next tick, so that other work runs first. Reads from memory alone never leave the current tick, however many they are. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
