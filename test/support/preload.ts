// Something of the daemon's surroundings that a test bends: a module that the daemon's process loads before its own.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Writes the module into the folder; the environment in which a daemon loads it. */
export async function preload(folder: string, source: string): Promise<Readonly<Record<string, string>>> {
  const file = join(folder, 'preload.mjs');
  await writeFile(file, source);
  return { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` };
}

/** Its monotonic clock leaps ahead by so much at each SIGUSR2; timers and dates do not. */
export const leapingClock = (leapMs: number): string => `
const now = performance.now.bind(performance);
let leaptMs = 0;
performance.now = () => now() + leaptMs;
process.on('SIGUSR2', () => { leaptMs += ${leapMs}; });
`;

/** At a SIGUSR2 its broker begins to take connections and do nothing with them, at the next one it works again. `aedes`: where the package is. */
export const hangingBroker = (aedes: string): string => `
import { Aedes } from '${pathToFileURL(join(aedes, 'aedes.js')).href}';
const { createBroker } = Aedes;
let hangs = false;
Aedes.createBroker = async (options) => {
  const broker = await createBroker.call(Aedes, options);
  const { handle } = broker;
  broker.handle = (stream) => (hangs ? void stream.resume() : handle(stream));
  return broker;
};
process.on('SIGUSR2', () => { hangs = !hangs; });
`;
