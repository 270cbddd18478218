// A crowd of locks in a process of its own, so that what it does weighs on the gateway and not on whoever measures.
// Asked over IPC: { address, locks, pid, task }; says 'connected', begins at 'go', and sends its result.
import type { Address } from '../daemon.ts';
import type { BenchLock } from '../seed.ts';
import { pourEvents } from './event-pour.ts';
import { openFleet } from './fleet.ts';
import { guess, stall, takePlaces } from './hostile.ts';
import type { LoadLock } from './load-lock.ts';
import { publishText } from './packets.ts';
import { guessPasswords } from './password-guesses.ts';
import { connectSwarm } from './swarm.ts';

export interface CrowdOrder {
  readonly address: Address;
  /** The authority that is trusted, over TLS; only of those who come back. */
  readonly ca?: string;
  readonly locks: readonly BenchLock[];
  readonly epoch: string;
  readonly pid: number;
  readonly task: CrowdTask;
}

export type CrowdTask =
  /** Each lock sends its backlog. */
  | { readonly kind: 'backlog'; readonly events: number }
  /** Each lock publishes without end and never reads what comes back. */
  | { readonly kind: 'stuck'; readonly ms: number }
  /** Each lock makes the gateway write without end, until it is closed. */
  | { readonly kind: 'stall'; readonly ms: number }
  /** So many sockets of people who are no locks. */
  | { readonly kind: 'strangers'; readonly sockets: number; readonly ms: number }
  /** They are not there yet, and come so many at a time. */
  | { readonly kind: 'come-back'; readonly atOnce: number; readonly retries?: number }
  /** They are there, know another address, and come again when their connections end. */
  | { readonly kind: 'stay'; readonly otherAddress: Address; readonly ms: number }
  | { readonly kind: 'guesses'; readonly perSecond: number; readonly ms: number }
  /** Of passwords, over HTTP. */
  | { readonly kind: 'passwords'; readonly perSecond: number; readonly ms: number };

const window = 20;
const burst = 100;
const burstMs = 10;

async function work({ address, ca, locks, epoch, pid, task }: CrowdOrder): Promise<unknown> {
  if (task.kind === 'come-back') return comeBack(() => connectSwarm({ address, ...(ca !== undefined && { ca }), locks, epoch, ...task }));
  if (task.kind === 'stay') {
    const fleet = await openFleet({ addresses: [address, task.otherAddress], locks, epoch });
    await told();
    return fleet.watch(task.ms);
  }
  const swarm = await connectSwarm({ address, locks, epoch });
  await told();
  if (task.kind === 'backlog') return pourEvents({ locks: swarm.locks, perMessage: 1, window, messagesEach: task.events, pid });
  if (task.kind === 'stall') return { stalledMs: await Promise.all(swarm.locks.map((lock) => stall(lock, task.ms))) };
  if (task.kind === 'strangers') return { count: await takePlaces(address, task.sockets, task.ms) };
  if (task.kind === 'guesses') return { count: await guess(address, task.perSecond, task.ms) };
  if (task.kind === 'passwords') return guessPasswords(address, task.perSecond, task.ms);
  await Promise.all(swarm.locks.map((lock) => flood(lock, task.ms)));
  return { stillOpen: swarm.locks.filter((lock) => lock.isOpen()).length };
}

async function told(): Promise<void> {
  process.send?.('connected');
  await new Promise((resolve) => process.once('message', resolve));
}

async function comeBack(connect: () => Promise<unknown>): Promise<{ seconds: number }> {
  await told();
  const startedAt = performance.now();
  await connect();
  return { seconds: (performance.now() - startedAt) / 1000 };
}

function flood(lock: LoadLock, ms: number): Promise<void> {
  lock.pauseReading();
  const report = publishText(`latchd/v1/${lock.deviceId}/state`, 7, `{"session":"bench-session","state":"locked","date":${Date.now()}}`);
  const reports = report.repeat(burst);
  const endsAt = performance.now() + ms;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (lock.isOpen() && performance.now() < endsAt) return lock.write(reports);
      clearInterval(timer);
      resolve();
    }, burstMs);
  });
}

process.once('disconnect', () => process.exit(0));
process.once('message', (order: CrowdOrder) => {
  work(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
