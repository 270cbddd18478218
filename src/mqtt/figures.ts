// Counters of what was refused and what went wrong, by reason.

export interface ReasonCounts {
  add(reason: string): void;
  /** A copy: reason to number. */
  all(): Readonly<Record<string, number>>;
}

/** Reasons are from closed lists in this folder, never text from outside: the counters stay few. */
export function createReasonCounts(): ReasonCounts {
  const counts = new Map<string, number>();
  return {
    add(reason) {
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    },
    all: () => Object.fromEntries(counts),
  };
}
