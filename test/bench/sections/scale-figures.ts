// How the figures of scale are made: contenders in alternating rounds beside a fixed piece of work, which says how fast the machine was.
import { calibration } from '../calibration.ts';
import { alternate, type Contender, figureOf } from '../rounds.ts';
import type { Figure, Goal, Unit } from '../section.ts';

/** One figure of what was measured: of the first contender, beside those of the others. */
export interface Reading<M> {
  readonly name: string;
  readonly unit: Unit;
  read(measured: M): number;
  readonly goal?: Goal;
  /** Of the first to the last contender. */
  readonly ratio?: Goal;
}

const work = 'a fixed piece of work';

/** Each contender is measured once in each round, and so is the fixed work. */
export async function figuresOf<M>(
  contenders: readonly Contender<M>[],
  rounds: number,
  readings: readonly Reading<M>[],
): Promise<Figure[]> {
  const calibrations: number[] = [];
  const fixedWork = {
    name: work,
    async measure() {
      calibrations.push(calibration());
      return undefined;
    },
  };
  const measured = await alternate<M | undefined>([...contenders, fixedWork], rounds);
  return readings.map(({ name, unit, read, goal, ratio }) => {
    const [ours, ...others] = contenders.map((contender, n) => ({
      name: contender.name,
      values: (measured.get(contender.name) as M[]).map(read),
      ...(ratio && n === contenders.length - 1 && { goal: ratio }),
    }));
    const beside = [...others, { name: work, unit: 'ms', values: calibrations } as const];
    return figureOf(name, unit, ours?.values ?? [], { ...(goal && { goal }), others: beside });
  });
}
