// Locks that know two addresses: when their connection ends they come again, at the other one first, with the waits of Protocol 2.
import type { Address } from '../daemon.ts';
import type { BenchLock } from '../seed.ts';
import { connectLoadLock, type LoadLock } from './load-lock.ts';

export interface FleetOptions {
  /** The first one is where they connect at first. */
  readonly addresses: readonly [Address, Address];
  readonly locks: readonly BenchLock[];
  readonly epoch: string;
}

/** In milliseconds since the watch began. */
export interface Returns {
  /** Half of the locks are back. */
  readonly halfMs: number;
  /** All of them, for the first time; infinite when they were not. */
  readonly allMs: number;
  /** The last login of all. */
  readonly lastMs: number;
  readonly logins: number;
  /** Attempts that failed. */
  readonly failures: number;
  /** Online at the end. */
  readonly online: number;
}

export interface Fleet {
  /** Until all are back, for so long at least. */
  watch(leastMs: number): Promise<Returns>;
  close(): void;
}

const [leastWaitMs, mostWaitMs, patienceMs, keepAliveSeconds] = [500, 5_000, 30_000, 120];
/** How long they are waited for beyond that, and how often somebody looks. */
const [returnMs, lookMs] = [120_000, 500];
const atOnce = 200;
const locksPerAddress = 1_000;

/** Resolves when all are online. */
export async function openFleet({ addresses, locks, epoch }: FleetOptions): Promise<Fleet> {
  const network = `127.0.${1 + Math.floor(Math.random() * 254)}`;
  const connected: (LoadLock | undefined)[] = [];
  let isClosed = false;
  let logins: { readonly lock: number; readonly at: number }[] = [];
  let failures = 0;

  async function connect(n: number, place: number): Promise<void> {
    const lock = locks[n] as BenchLock;
    const localAddress = `${network}.${1 + Math.floor(n / locksPerAddress)}`;
    const address = addresses[place] as Address;
    const online = await connectLoadLock({ lock, address, localAddress, keepAliveSeconds, epoch, patienceMs });
    connected[n] = online;
    online.onClosed(() => void comeAgain(n, 1 - place));
    logins.push({ lock: n, at: performance.now() });
  }

  async function comeAgain(n: number, first: number): Promise<void> {
    connected[n] = undefined;
    for (let attempt = 0, place = first; ; attempt++, place = 1 - place) {
      await wait(Math.min(mostWaitMs, leastWaitMs * 2 ** attempt) * (0.5 + Math.random() / 2));
      if (isClosed) return;
      try {
        return await connect(n, place);
      } catch {
        failures += 1;
      }
    }
  }

  let next = 0;
  async function connectSome(): Promise<void> {
    for (let n = next++; n < locks.length; n = next++) await connect(n, 0).catch(() => comeAgain(n, 0));
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, locks.length) }, connectSome));

  return {
    async watch(leastMs) {
      const begunAt = performance.now();
      [logins, failures] = [[], 0];
      const online = (): number => connected.filter((one) => one?.isOpen()).length;
      for (let ms = leastMs; ms > 0; ) {
        await wait(ms);
        const isOver = online() === locks.length || performance.now() - begunAt > leastMs + returnMs;
        ms = isOver ? 0 : lookMs;
      }
      const back = new Map<number, number>();
      for (const { lock, at } of logins) if (!back.has(lock)) back.set(lock, at - begunAt);
      const backAt = [...back.values()];
      return {
        halfMs: backAt[Math.ceil(locks.length / 2) - 1] ?? Number.POSITIVE_INFINITY,
        allMs: backAt[locks.length - 1] ?? Number.POSITIVE_INFINITY,
        lastMs: (logins.at(-1)?.at ?? begunAt) - begunAt,
        ...{ logins: logins.length, failures, online: online() },
      };
    },
    close() {
      isClosed = true;
      for (const one of connected) one?.close();
    },
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
