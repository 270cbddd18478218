// A receiver of the write-ahead log that a server takes for a standby: it writes and confirms all that is committed, and can do nothing else.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaries } from './postgres-programs.ts';

export interface SynchronousReceiver {
  /** Ends it as a crash does. */
  stop(): Promise<void>;
}

/** `name`: as in `synchronous_standby_names` of the server on this port of the loopback. */
export function startReceiver(port: number, name: string): SynchronousReceiver {
  const folder = mkdtempSync(join(tmpdir(), 'latchd-receiver-'));
  const where = `host=127.0.0.1 port=${port} user=postgres application_name=${name}`;
  const child: ChildProcess = spawn(join(binaries(), 'pg_receivewal'), ['-D', folder, '--synchronous', '-d', where], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  return {
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
