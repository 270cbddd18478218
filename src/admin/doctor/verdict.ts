// The result of a check: its verdict, what was seen, and what to do about it.

export interface Verdict {
  /** `fail`: something does not work, or will not work at the next start. `warn`: it works, but somebody should look at it. */
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly seen: string;
  /** What to do; absent for `ok`. */
  readonly remedy?: string;
}

export function good(seen: string): Verdict {
  return { verdict: 'ok', seen };
}

export function warn(seen: string, remedy: string): Verdict {
  return { verdict: 'warn', seen, remedy };
}

/** The result is unknown, because only root or the owner of the data may look. */
export function cannotTell(seen: string): Verdict {
  return warn(`cannot tell as this user: ${seen}`, 'look as root: sudo latchd doctor');
}

export function fail(seen: string, remedy: string): Verdict {
  return { verdict: 'fail', seen, remedy };
}
