// What a check says: how it is, what was seen, and what to do about it.

export interface Verdict {
  /** `fail`: something does not work, or will not at the next start. `warn`: it works; look at it all the same. */
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly seen: string;
  /** What to do; with `ok` there is nothing. */
  readonly remedy?: string;
}

export function good(seen: string): Verdict {
  return { verdict: 'ok', seen };
}

export function warn(seen: string, remedy: string): Verdict {
  return { verdict: 'warn', seen, remedy };
}

/** It is not known how it is: only the owner of the data, or root, may look. */
export function cannotTell(seen: string): Verdict {
  return warn(`cannot tell as this user: ${seen}`, 'look as root: sudo latchd doctor');
}

export function fail(seen: string, remedy: string): Verdict {
  return { verdict: 'fail', seen, remedy };
}
