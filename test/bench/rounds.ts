// Alternating rounds: everything that is compared is measured in turn, again and again, so that whatever else the
// machine does meanwhile hits all of it alike. A ratio is taken within each round, then the median of the ratios.
import type { Beside, Figure, Goal, Unit } from './section.ts';

export interface Contender<M> {
  readonly name: string;
  measure(): Promise<M>;
}

/** What came out for each contender, in the order of the rounds. Every other round goes backwards. */
export type Rounds<M> = ReadonlyMap<string, readonly M[]>;

export async function alternate<M>(contenders: readonly Contender<M>[], rounds: number): Promise<Rounds<M>> {
  const measured = new Map<string, M[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contenders : [...contenders].reverse();
    for (const { name, measure } of order) measured.get(name)?.push(await measure());
  }
  return measured;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Something of a floor or a peer to set a figure beside; `values` round by round. */
export interface Other {
  readonly name: string;
  /** When it is not that of the figure. */
  readonly unit?: Unit;
  readonly values: readonly number[];
  readonly goal?: Goal;
}

/** A figure from its rounds; others without values were not there to be measured and are left out. */
export function figureOf(
  name: string,
  unit: Unit,
  values: readonly number[],
  { goal, others = [] }: { readonly goal?: Goal; readonly others?: readonly Other[] } = {},
): Figure {
  const beside = others
    .filter((other) => other.values.length > 0)
    .map((other): Beside => {
      const ratios = values.map((value, round) => value / (other.values[round] ?? Number.NaN));
      const { name, unit, goal } = other;
      return { name, ...(unit && { unit }), value: median(other.values), ratio: median(ratios), ratios, ...(goal && { goal }) };
    });
  return { name, unit, value: median(values), rounds: values, beside, ...(goal && { goal }) };
}
