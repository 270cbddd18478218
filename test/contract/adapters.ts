// Runs a contract over one adapter: a fresh one for each test.

/** Makes an adapter, runs the test on it, and takes it away again. */
export type RunOver<T> = (run: (adapter: T) => Promise<void>) => Promise<void>;
