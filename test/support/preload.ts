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

/** Its wall clock goes ahead by so much, or behind; NODE_OPTIONS that need no file. */
export function shiftedClock(ms: number): string {
  const shifted = `const Real=Date,by=${ms};globalThis.Date=class extends Real{constructor(...given){given.length?super(...given):super(Real.now()+by)}static now(){return Real.now()+by}}`;
  return `--import=data:text/javascript,${encodeURIComponent(shifted)}`;
}

/** Its monotonic clock leaps ahead by so much at each SIGUSR2; timers and dates do not. */
export const leapingClock = (leapMs: number): string => `
const now = performance.now.bind(performance);
let leaptMs = 0;
performance.now = () => now() + leaptMs;
process.on('SIGUSR2', () => { leaptMs += ${leapMs}; });
`;

/**
 * At a SIGUSR2 the listeners of its broker begin to take connections and do nothing with them, at the next one they work again. HTTP and the
 * control socket go on.
 */
export const hangingBroker = `
import { Server as HttpServer } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { Server } from 'node:net';
const { emit } = Server.prototype;
let hangs = false;
Server.prototype.emit = function (event, ...values) {
  const isOfBroker = !(this instanceof HttpServer) && !(this instanceof HttpsServer) && typeof this.address() === 'object';
  if (!hangs || event !== 'connection' || !isOfBroker) return emit.call(this, event, ...values);
  values[0].resume();
  return true;
};
process.on('SIGUSR2', () => { hangs = !hangs; });
`;
