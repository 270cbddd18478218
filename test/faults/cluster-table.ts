// What the rounds of `cluster.ts` came to, a row for each fault.
import type { DoorsReport } from './cluster-doors.ts';

export interface ClusterRound extends DoorsReport {
  readonly fault: string;
}

export function tableOf(rounds: readonly ClusterRound[]): string {
  const names = [...new Set(rounds.map(({ fault }) => fault))].sort();
  const rows = names.map((name) =>
    rowOf(
      name,
      rounds.filter(({ fault }) => fault === name),
    ),
  );
  return [
    '| fault | rounds | longest time without an answer at a door: half of the rounds within, most | oldest unlock that moved a bolt | what callers had | problems |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function rowOf(name: string, rounds: readonly ClusterRound[]): string {
  const gaps = rounds.map(({ longestGapMs }) => longestGapMs).sort((a, b) => a - b);
  const answers = new Map<string, number>();
  for (const round of rounds) for (const [answer, times] of round.answers) answers.set(answer, (answers.get(answer) ?? 0) + times);
  const had = [...answers].sort((a, b) => b[1] - a[1]).map(([answer, times]) => `${answer} ${times}`);
  const half = `${seconds(gaps[gaps.length >> 1] ?? 0)}, ${seconds(gaps.at(-1) ?? 0)}`;
  const oldest = `${Math.round(Math.max(...rounds.map(({ oldestMoveMs }) => oldestMoveMs)))} ms`;
  const problems = rounds.reduce((sum, round) => sum + round.problems.length, 0);
  return `| ${[name, rounds.length, half, oldest, had.join(', '), problems].join(' | ')} |`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
