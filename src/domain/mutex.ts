// Changes that look at several stores before they write one (who may be an administrator, which MAC is free) go one after the other.

/** Runs each piece of work when all that were given before it have ended, however they ended. */
export type Sequence = <T>(work: () => Promise<T>) => Promise<T>;

export function createSequence(): Sequence {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
