// What becomes of a check.

export type Verdict =
  | { readonly verdict: 'held' }
  /** What the lock did, and what the page says it should have done. */
  | { readonly verdict: 'broken'; readonly came: string; readonly due: string }
  | { readonly verdict: 'not-tried'; readonly why: string };

export const held: Verdict = { verdict: 'held' };

export function broken(came: string, due: string): Verdict {
  return { verdict: 'broken', came, due };
}

export function notTried(why: string): Verdict {
  return { verdict: 'not-tried', why };
}

/** Held when nothing came that should not have come. */
export function heldUnless(came: string | undefined, due: string): Verdict {
  return came === undefined ? held : broken(came, due);
}

/** Ends a check from within: its rule is broken. */
export class Broken extends Error {
  readonly came: string;
  readonly due: string;

  constructor(came: string, due: string) {
    super(`${came}; due: ${due}`);
    this.came = came;
    this.due = due;
  }
}

/** The lock does not come back, so that nothing more can be tried. */
export class LockAway extends Broken {}

/** Ends a check from within: it cannot be tried with this lock, or now. */
export class NotTried extends Error {}

/** Throws Broken unless `is`. */
export function expectThat(is: boolean, came: string, due: string): void {
  if (!is) throw new Broken(came, due);
}
