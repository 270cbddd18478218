// Writes that come while another one is under way go out together.

/** Resolves when the item is stored; rejects as `write` did. */
export interface GroupWrites<T> {
  add(item: T): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** `write` gets at most `most` items, in the order in which they came; one call at a time. */
export function createGroupWrites<T>(most: number, write: (items: readonly T[]) => Promise<void>): GroupWrites<T> {
  let queue: { readonly item: T; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // What comes in the same turn goes along.
    await Promise.resolve();
    while (queue.length > 0) {
      const group = queue.slice(0, most);
      queue = queue.slice(most);
      await write(group.map(({ item }) => item)).then(
        () => group.forEach(({ resolve }) => void resolve()),
        (error: unknown) => group.forEach(({ reject }) => void reject(error)),
      );
    }
    running = undefined;
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        running ??= run();
      }),
    async idle() {
      await running;
    },
  };
}
