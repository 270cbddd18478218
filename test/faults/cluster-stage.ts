// Where the faults of two nodes strike, and how they see that another node has taken over.
import type { PostgresPair } from '../support/postgres-pair.ts';
import type { Random } from '../support/seeded-random.ts';
import type { ClusterHouse } from './cluster-house.ts';
import type { ClusterNode } from './cluster-node.ts';
import { until } from './house.ts';

export interface Stage {
  readonly house: ClusterHouse;
  readonly pair: PostgresPair;
  /** The same for the same seed and round. */
  readonly random: Random;
  readonly leaseMs: number;
}

/** The machine may be busy: what is promised within a time is measured, and this much more is let pass. */
export const slackMs = 2_000;
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** From `least` to `most` milliseconds: many are short, few are long. */
export const fewLong = (random: Random, least: number, most: number): number => Math.round(least * (most / least) ** random.next());

/** Waits until another node serves, after it may have stood in at the doors; `withinMs` is promised. */
export async function takenOver({ house }: Stage, from: ClusterNode, withinMs: number): Promise<readonly string[]> {
  const begun = performance.now();
  const next = house.other(from);
  await until(() => next.log().some(({ code }) => code === 'lease-held'), `${next.name} takes over`);
  const tookMs = Math.round(performance.now() - begun);
  return tookMs > withinMs + slackMs ? [`taken over after ${tookMs} ms`] : [];
}
