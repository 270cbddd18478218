// What happened in a house in which much goes wrong at once, in its order: counted, so that a round that did nothing is seen, and printed when
// something is wrong in the end.

export interface AccessTrail {
  /** How often each thing was done. */
  readonly tally: ReadonlyMap<string, number>;
  /** Counts it, and notes it of this number on this lock; without a number of the whole lock. */
  did(what: string, lock?: number, number?: string): void;
  /** Notes it only; without a lock of the whole house. `date`: when it was, if not now. */
  note(text: string, lock?: number, number?: string, date?: number): void;
  /** What happened to this number on this lock, and to the lock and the house around it: a line each. */
  about(lock: number, number: string): readonly string[];
}

interface Step {
  readonly date: number;
  readonly text: string;
  readonly lock: number | undefined;
  readonly number: string | undefined;
}

export function createAccessTrail(): AccessTrail {
  const begunAt = Date.now();
  const steps: Step[] = [];
  const tally = new Map<string, number>();
  const note = (text: string, lock?: number, number?: string, date = Date.now()): void => {
    steps.push({ date, text, lock, number });
  };
  return {
    tally,
    did(what, lock, number) {
      tally.set(what, (tally.get(what) ?? 0) + 1);
      if (lock !== undefined) note(what, lock, number);
    },
    note,
    about: (lock, number) =>
      steps
        .filter((step) => (step.lock ?? lock) === lock && (step.number ?? number) === number)
        .sort((one, other) => one.date - other.date)
        .map(({ date, text, number: of }) => `${((date - begunAt) / 1_000).toFixed(3).padStart(8)} s  ${(of ?? '').padEnd(8)} ${text}`),
  };
}
