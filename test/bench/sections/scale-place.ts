// A gateway that holds much, with its doors connected: where the figures of scale are taken.
import { type Address, type Daemon, startDaemon } from '../daemon.ts';
import { pourEvents } from '../load/event-pour.ts';
import { connectSwarm, type Swarm } from '../load/swarm.ts';
import { type Scale, seedScale } from '../scale-seed.ts';
import type { SectionOptions } from '../section.ts';
import type { BenchLock } from '../seed.ts';

/** Doors that are used. */
export const doors = 10;
const recordsAtOnce = 100;

/** A gateway that holds so much. */
export interface Place extends Pick<Daemon, 'watchLoop'> {
  readonly name: string;
  readonly scale: Scale;
  readonly http: Address;
  readonly pid: number;
  readonly token: string;
  readonly locks: readonly BenchLock[];
  readonly swarm: Swarm;
  close(): Promise<void>;
}

/** Seeds it, starts it and has its doors tell of their records. */
export async function openPlace({ folder, program, say }: SectionOptions, name: string, scale: Scale): Promise<Place> {
  say(
    `scale: ${name}: ${Object.entries(scale)
      .map(([kind, count]) => `${count.toLocaleString('en')} ${kind}`)
      .join(', ')}`,
  );
  const dataDir = `${folder}/${name.replaceAll(' ', '-')}`;
  const { token, locks } = await seedScale(dataDir, scale);
  const { http, mqtt, pid, watchLoop, stop } = await startDaemon({ program, dataDir, watched: true });
  const swarm = await connectSwarm({ address: mqtt, locks: locks.slice(0, doors) });
  const perMessage = Math.min(recordsAtOnce, scale.recordsEach);
  await pourEvents({ locks: swarm.locks, perMessage, window: 20, messagesEach: scale.recordsEach / perMessage, pid });
  const close = async (): Promise<void> => {
    swarm.close();
    await stop();
  };
  return { name, scale, http, pid, watchLoop, token, locks: locks.slice(0, doors), swarm, close };
}
