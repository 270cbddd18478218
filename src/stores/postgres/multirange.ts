// Ranges of integers as PostgreSQL writes them: `{[1,4),[7,8)}`.
import type { Range } from '../../domain/ranges.ts';

/** An `int8multirange` with these ranges, in whatever order. */
export function multirangeText(ranges: readonly Range[]): string {
  return `{${ranges.map(([from, to]) => `[${from},${to}]`).join(',')}}`;
}

/** The ranges of an `int8multirange`, lowest first; both ends are included. */
export function rangesOf(text: string): Range[] {
  return [...text.matchAll(/\[(-?\d+),(-?\d+)\)/g)].map(([, from, end]) => [Number(from), Number(end) - 1]);
}
