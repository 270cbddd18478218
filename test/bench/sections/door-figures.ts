// The figures of doors that are locked and unlocked: throughput, latencies and cost, each beside the others of the same rounds.
import type { DoorResult } from '../load/door-clients.ts';
import { figureOf, median, type Other, type Rounds } from '../rounds.ts';
import type { Figure, Goal } from '../section.ts';

/** Of the throughput beside another, by the number of clients. */
const goals: Readonly<Record<string, Readonly<Record<number, Goal>>>> = {
  'bare Express + Aedes': { 10: { atLeast: 1.5 }, 100: { atLeast: 1.5 } },
  'latchd with 10 locks': { 10: { atLeast: 0.6 } },
};

/** The first of the rounds is ours. `echoes`: TCP round trips of the same rounds, for the sum of the floors. */
export function doorFigures(title: string, rounds: Rounds<DoorResult>, count: number, echoes?: readonly number[]): Figure[] {
  const [, ours = []] = [...rounds][0] ?? [];
  const rest = [...rounds].slice(1);
  const others = (pick: (one: DoorResult) => number, goalOf: (name: string) => Goal | undefined = () => undefined): Other[] =>
    rest.map(([name, results]) => ({ name, values: results.map(pick), ...withGoal(goalOf(name)) }));
  const latencies = others(
    ({ p50 }) => p50,
    (name) => (count === 1 && name.startsWith('bare') ? { atMost: 1.1 } : undefined),
  );
  if (count === 1 && echoes !== undefined) {
    const hello = rounds.get('node:http hello world') ?? [];
    const sum = hello.map(({ p50 }, round) => p50 + (echoes[round] ?? median(echoes)));
    latencies.unshift({ name: 'floors: http hello + TCP echo', values: sum });
  }
  const real = Math.min(...ours.map(({ realShare }) => realShare));
  const name = real > 0.99 ? title : `${title} (${Math.round(real * 100)} % real commands)`;
  return [
    figureOf(
      `${name}: unlocks a second`,
      '/s',
      ours.map((one) => one.perSecond),
      {
        others: others(
          (one) => one.perSecond,
          (other) => goals[other]?.[count],
        ),
      },
    ),
    figureOf(
      `${name}: p50`,
      'ms',
      ours.map(({ p50 }) => p50),
      { others: latencies },
    ),
    figureOf(
      `${name}: p99`,
      'ms',
      ours.map(({ p99 }) => p99),
      { others: others(({ p99 }) => p99) },
    ),
    figureOf(
      `${name}: CPU of one unlock`,
      'µs',
      ours.map((one) => one.cpuMicros),
      { others: others((one) => one.cpuMicros) },
    ),
  ];
}

function withGoal(goal: Goal | undefined): { goal?: Goal } {
  return goal === undefined ? {} : { goal };
}
