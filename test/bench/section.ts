// What a section of the bench is, and what it hands back: figures, each beside the floors of the same run.

export interface SectionOptions {
  /** A smoke run: some seconds, figures good for nothing. */
  readonly quick: boolean;
  /** Also those peers that must be downloaded first. */
  readonly peers: boolean;
  /** An empty folder of this section's own, on the disk that is measured; removed afterwards. */
  readonly folder: string;
  /** The built main.js that is measured. */
  readonly program: string;
  /** Another build of it, measured in the same rounds: for before and after. */
  readonly before: string | undefined;
  /** One line on the terminal: what is going on, or why something is left out. */
  say(text: string): void;
}

export interface Section {
  readonly name: string;
  run(options: SectionOptions): Promise<Figure[]>;
}

export type Unit = 'ms' | 's' | 'µs' | 'ns' | '/s' | 'kB' | 'MB' | '%' | '';

/** A bound from the issue that set it; a figure or a ratio is as it should be when it keeps all that are there. */
export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  /** Median of the rounds. */
  readonly value: number;
  readonly rounds: readonly number[];
  readonly goal?: Goal;
  readonly beside: readonly Beside[];
}

/** The same thing measured on a floor or a peer, in the same rounds. */
export interface Beside {
  readonly name: string;
  /** When it is not that of the figure. */
  readonly unit?: Unit;
  readonly value: number;
  /** Median of the ratios: ours to theirs. */
  readonly ratio: number;
  /** The ratio of each round. */
  readonly ratios: readonly number[];
  readonly goal?: Goal;
}

/** The seconds of a measurement and how often it is repeated. */
export interface Effort {
  readonly rounds: number;
  readonly ms: number;
}

export function effort({ quick }: Pick<SectionOptions, 'quick'>, thorough: Effort): Effort {
  return quick ? { rounds: 1, ms: 250 } : thorough;
}

/** Whether a goal is reached; undefined without one. */
export function reached(value: number, goal: Goal | undefined): boolean | undefined {
  if (goal === undefined) return undefined;
  return value >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && value <= (goal.atMost ?? Number.POSITIVE_INFINITY);
}
