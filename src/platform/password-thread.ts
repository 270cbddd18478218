// The thread that computes the hashes of passwords. It gives way to every other thread of the machine: a hash takes a core for as long as a
// hundred doors take to open.
import { scryptSync } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type Derivation, scryptOptions } from './password-hash.ts';

giveWay();
parentPort?.on('message', ({ password, salt, bytes, cost }: Derivation) =>
  parentPort?.postMessage(scryptSync(password, salt, bytes, scryptOptions(cost))),
);

function giveWay(): void {
  // On Linux a priority is that of a thread (setpriority(2)); elsewhere it would be that of all of them.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A service manager may forbid it: then a hash competes with the doors as before.
  }
}
