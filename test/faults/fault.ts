// What a fault is to `main.ts`: something that is done to the daemon again and again, and what was there afterwards.

export interface Toll {
  readonly fault: string;
  readonly rounds: number;
  /** Events, cards, accounts, tokens that a lock or a caller was told are kept. */
  readonly acknowledged: number;
  /** Those of them that were there after the round. */
  readonly recovered: number;
  readonly lost: number;
  readonly doubled: number;
  /** A sentence for each other thing that was not as it must be; none is a pass. */
  readonly problems: readonly string[];
}

export interface FaultOptions {
  /** A few rounds, for every change; else as many as mean something. */
  readonly short: boolean;
  /** A folder of its own, on a disk that flushes. */
  readonly work: string;
  readonly say: (text: string) => void;
}

export interface Fault {
  readonly name: string;
  /** Resolves with a row for each kind; rejects with `CannotRun` where the machine lacks what it needs. */
  run(options: FaultOptions): Promise<readonly Toll[]>;
}

/** Not a failure: the message says what is missing here. */
export class CannotRun extends Error {}

/** Adds up the rounds of one kind. */
export function sumOf(fault: string, rounds: readonly Omit<Toll, 'fault' | 'rounds'>[]): Toll {
  const sum = (of: (one: Omit<Toll, 'fault' | 'rounds'>) => number): number => rounds.reduce((all, one) => all + of(one), 0);
  return {
    fault,
    rounds: rounds.length,
    acknowledged: sum(({ acknowledged }) => acknowledged),
    recovered: sum(({ recovered }) => recovered),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    problems: rounds.flatMap(({ problems }) => problems),
  };
}
