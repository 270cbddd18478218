// The clock of a process set wrong, by libfaketime.
import { existsSync } from 'node:fs';
import type { Random } from './seeded-random.ts';

const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu', 'arm-linux-gnueabihf'].map(
  (cpu) => `/usr/lib/${cpu}/faketime/libfaketimeMT.so.1`,
);
/** Where libfaketime is; undefined: it is not installed. */
export const faketime = libraries.find((path) => existsSync(path));

/** For the environment of a process: ten years ahead or one year back. Throws when libfaketime is not installed. */
export function fakedClock(random: Random): Readonly<Record<string, string>> {
  if (faketime === undefined) throw new Error('libfaketime is not installed: apt-get install faketime');
  const monotonic = { FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' };
  return { LD_PRELOAD: faketime, FAKETIME: random.pick(['+3652d', '-365d']), ...monotonic };
}
