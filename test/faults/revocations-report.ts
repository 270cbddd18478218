// What the revocations came to: a table of the faults, how long they took, and what callers heard.
import type { Tally } from './revoked-callers.ts';
import type { Kind } from './revoked-things.ts';

export interface Revoked {
  readonly kind: Kind;
  readonly fault: string;
  /** Where it was asked for: at the node that leads, or at the other one. */
  readonly at: 'leader' | 'other';
  /** From the request that was answered with 2xx to that; undefined: no answer said that it was done. */
  readonly tookMs: number | undefined;
  /** Each thing that was honoured, and should not have been. */
  readonly problems: readonly string[];
}

export function reportOf(done: readonly Revoked[], tally: Tally): readonly string[] {
  return [
    '| meanwhile | revoked | not known | half of the 2xx within, most | honoured later |',
    '|---|---|---|---|---|',
    ...[...new Set(done.map(({ fault }) => fault))].map((fault) => rowOf(fault, done)),
    ...(['leader', 'other'] as const).map((at) => {
      const times = timesOf(done.filter((one) => one.fault === 'none' && one.at === at));
      return `${times.length} without a fault, asked at the ${at}: p50 ${msAt(times, 0.5)}, p99 ${msAt(times, 0.99)}`;
    }),
    [...new Set(done.map(({ kind }) => kind))].map((kind) => `${kind} ${done.filter((one) => one.kind === kind).length}`).join(', '),
    ...[...tally].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `${what}: ${times}`),
  ];
}

function rowOf(fault: string, done: readonly Revoked[]): string {
  const own = done.filter((one) => one.fault === fault);
  const times = timesOf(own);
  const wrong = own.reduce((sum, { problems }) => sum + problems.length, 0);
  return `| ${fault} | ${times.length} | ${own.length - times.length} | ${msAt(times, 0.5)}, ${msAt(times, 1)} | ${wrong} |`;
}

/** Shortest first. */
function timesOf(done: readonly Revoked[]): readonly number[] {
  return done.flatMap(({ tookMs }) => tookMs ?? []).sort((a, b) => a - b);
}

function msAt(sorted: readonly number[], share: number): string {
  return `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)} ms`;
}
