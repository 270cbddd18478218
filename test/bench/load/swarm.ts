// Many locks at once: connected some at a time, kept alive, counted.
import { createSecureContext } from 'node:tls';
import type { Address } from '../daemon.ts';
import { sleep } from '../processes.ts';
import type { BenchLock } from '../seed.ts';
import { connectLoadLock, type LoadLock, type LoadLockOptions } from './load-lock.ts';

export interface SwarmOptions {
  readonly address: Address;
  readonly locks: readonly BenchLock[];
  readonly keepAliveSeconds?: number;
  readonly epoch?: string;
  /** Connections that are being opened at a time; all when absent is not what a building does. */
  readonly atOnce?: number;
  /** TLS, and the authority that is trusted. */
  readonly ca?: string;
  /** Who is closed before he is online comes again, so many times. */
  readonly retries?: number;
}

export interface Swarm {
  readonly locks: readonly LoadLock[];
  /** That have arrived at all of them. */
  commands(): number;
  close(): void;
}

/** A gateway takes a bounded number of connections from one address: the locks come from several of this machine. */
const locksPerAddress = 1_000;
const pingSlices = 100;
const retryMs = 500;

export async function connectSwarm(options: SwarmOptions): Promise<Swarm> {
  const { address, locks, keepAliveSeconds = 120, epoch = 'b1', atOnce = 200, ca, retries = 0 } = options;
  const secureContext = ca === undefined ? undefined : createSecureContext({ ca });
  const connected: LoadLock[] = [];
  // Other addresses for each swarm: at those that have closed thousands of connections lately the kernel looks for seconds for a free port.
  const network = `127.0.${1 + Math.floor(Math.random() * 254)}`;
  let next = 0;
  async function connectSome(): Promise<void> {
    for (let n = next++; n < locks.length; n = next++) {
      const lock = locks[n] as BenchLock;
      const localAddress = `${network}.${1 + Math.floor(n / locksPerAddress)}`;
      connected[n] = await connectOne({ lock, address, localAddress, secureContext, keepAliveSeconds, epoch }, retries);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, locks.length) }, connectSome));

  // Slice by slice, so that no measurement meets all the pings at once.
  let slice = 0;
  const timer = setInterval(
    () => {
      slice = (slice + 1) % pingSlices;
      for (let n = slice; n < connected.length; n += pingSlices) connected[n]?.ping();
    },
    (keepAliveSeconds * 800) / pingSlices,
  );

  return {
    locks: connected,
    commands: () => connected.reduce((sum, lock) => sum + lock.commands(), 0),
    close() {
      clearInterval(timer);
      for (const lock of connected) lock.close();
    },
  };
}

async function connectOne(options: LoadLockOptions, retries: number): Promise<LoadLock> {
  for (let left = retries; ; left--) {
    try {
      return await connectLoadLock(options);
    } catch (error) {
      if (left === 0) throw error;
      await sleep(retryMs);
    }
  }
}
