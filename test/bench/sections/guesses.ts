// guesses: doors beside a thousand guesses of passwords a second, from two hundred addresses. Each that is not refused before costs a hash.

import type { Address } from '../daemon.ts';
import { startHelloNode } from '../floors/start-floor.ts';
import { openCrowd } from '../load/crowd.ts';
import type { CrowdTask } from '../load/crowd-process.ts';
import { openDoorClients } from '../load/door-clients.ts';
import { pourEvents } from '../load/event-pour.ts';
import { sleep } from '../processes.ts';
import { effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { openLatchd } from '../site.ts';
import { figuresOf } from './scale-figures.ts';

const perSecond = 1_000;
/** Until the first guesses are in the queue. */
const beginMs = 500;
/** What a person may notice. */
const ratio = { atMost: 1.5 };

interface Measured {
  readonly unlockP99: number;
  readonly ackP99: number;
  readonly guesses: number;
  readonly hashes: number;
}

export const guessesSection: Section = { name: 'guesses', run };

async function run(options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 7, ms: 4_000 });
  const site = await openLatchd(options, { name: 'guesses', locks: 100 });
  const people = await openDoorClients({ ...site, locks: site.locks.slice(0, 50) }, 1);
  const other = await startHelloNode();
  const telling = site.swarm.locks.slice(50, 60);
  options.say(`guesses: an unlock and a PUBACK beside ${perSecond.toLocaleString('en')} guesses of passwords a second`);

  async function doors(): Promise<Pick<Measured, 'unlockP99' | 'ackP99'>> {
    const { p99 } = await people.measure(1, ms);
    const { ackP99 } = await pourEvents({ locks: telling, perMessage: 1, window: 1, ms, pid: site.pid });
    return { unlockP99: p99, ackP99 };
  }
  async function guessedAt(address: Address): Promise<Measured> {
    const task: CrowdTask = { kind: 'passwords', perSecond, ms: 2 * ms + 2 * beginMs };
    const crowd = await openCrowd<{ answered: number; computed: number }>({
      ...{ address, pid: site.pid, locks: [], epoch: 'guesses', task },
    });
    const guessing = crowd.go();
    await sleep(beginMs);
    const measured = await doors();
    const { answered, computed } = await guessing;
    await crowd.stop();
    const seconds = task.ms / 1_000;
    return { ...measured, guesses: answered / seconds, hashes: computed / seconds };
  }
  const quiet = async (): Promise<Measured> => ({ ...(await doors()), guesses: Number.NaN, hashes: Number.NaN });

  await doors();
  const contenders = [
    { name: 'guesses', measure: () => guessedAt(site.http) },
    // What the crowd costs by itself: it shares this machine.
    { name: 'guesses at another server', measure: () => guessedAt(other.at.http) },
    { name: 'nobody guesses', measure: quiet },
  ];
  const title = `beside ${perSecond.toLocaleString('en')} guesses of passwords a second`;
  const figures = await figuresOf(contenders, rounds, [
    { name: `unlock ${title}: p99`, unit: 'ms', read: ({ unlockP99 }) => unlockP99, ratio },
    { name: `PUBACK ${title}: p99`, unit: 'ms', read: ({ ackP99 }) => ackP99, ratio },
    {
      name: 'guesses of passwords that were answered',
      unit: '/s',
      read: ({ guesses }) => guesses,
      goal: { atLeast: options.quick ? 0 : 900 },
    },
    { name: 'guesses for which a hash was computed', unit: '/s', read: ({ hashes }) => hashes },
  ]);
  people.close();
  await site.close();
  await other.stop();
  return figures;
}
