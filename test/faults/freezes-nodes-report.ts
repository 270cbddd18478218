// What unlocks through two nodes came to: a table of the mischief, the answers, and how many were not as they must be.
import type { NodesTrial } from './freezes-nodes.ts';

/** Whether the trials could have found anything: doors were opened, and callers were told that it was too late. */
export function isWorthIt(trials: readonly NodesTrial[]): boolean {
  const opened = trials.filter(({ moved }) => moved > 0).length;
  return opened > trials.length / 10 && opened < trials.length;
}

export function reportOf(trials: readonly NodesTrial[]): readonly string[] {
  const mischiefs = [...new Set(trials.map(({ mischief }) => mischief))].sort();
  return [
    '| meanwhile | unlocks | bolts moved | of them for callers who knew nothing | oldest request that moved a bolt |',
    '|---|---|---|---|---|',
    ...mischiefs.map((mischief) => rowOf(mischief, trials)),
    `callers were told: ${countOf(trials.map(({ answer }) => answer))}`,
    `connections of locks that stalled: ${countOf(trials.map(({ step }) => step ?? 'not at all'))}`,
    `locks that changed their node: ${trials.filter(({ changesNode }) => changesNode).length}`,
    `late, double or wrong: ${trials.filter(({ faults }) => faults.length > 0).length}`,
  ];
}

function rowOf(mischief: string, trials: readonly NodesTrial[]): string {
  const own = trials.filter((trial) => trial.mischief === mischief);
  const moved = own.filter((trial) => trial.moved > 0);
  const unknown = moved.filter(({ answer }) => answer !== '200').length;
  const oldest = Math.max(0, ...moved.map(({ ageMs = 0 }) => ageMs));
  return `| ${mischief} | ${own.length} | ${moved.length} | ${unknown} | ${(oldest / 1_000).toFixed(1)} s |`;
}

/** How often each of these is there. */
export function countOf(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
}
