// Starts a crowd (crowd-process.ts) and waits for what it has to say.
import { fileURLToPath } from 'node:url';
import { startChild } from '../processes.ts';
import type { CrowdOrder } from './crowd-process.ts';

export interface Crowd<Result> {
  /** Begins; resolves with the result. */
  go(): Promise<Result>;
  stop(): Promise<void>;
}

/** Resolves when all its locks are connected. */
export async function openCrowd<Result>(order: CrowdOrder): Promise<Crowd<Result>> {
  const { child, stop } = startChild(process.execPath, [fileURLToPath(new URL('./crowd-process.js', import.meta.url))], { ipc: true });
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', (message) => {
        const { error } = message as { error?: string };
        if (error === undefined) resolve(message);
        else reject(new Error(error));
      });
      child.once('exit', () => reject(new Error('the crowd has ended')));
    });
  const connected = next();
  child.send(order);
  await connected;
  return {
    stop,
    async go() {
      const result = next();
      child.send('go');
      return ((await result) as { result: Result }).result;
    },
  };
}
