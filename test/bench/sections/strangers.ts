// Strangers who take places and guess keys while locks log in (Fault T12), and how long a reader that is stuck is kept (Fault T14).
import { openCrowd } from '../load/crowd.ts';
import type { CrowdTask } from '../load/crowd-process.ts';
import { connectLoadLock } from '../load/load-lock.ts';
import { residentKb, sleep } from '../processes.ts';
import { figureOf } from '../rounds.ts';
import type { Figure, SectionOptions } from '../section.ts';
import type { BenchLock } from '../seed.ts';
import { type LatchdSite, openLatchd } from '../site.ts';

const betweenLoginsMs = 100;

export async function strangers(options: SectionOptions): Promise<Figure[]> {
  const ms = options.quick ? 500 : 12_000;
  const sockets = options.quick ? 500 : 10_000;
  const site = await openLatchd(options, { name: 'strangers', locks: 1_000, connected: 0 });
  const figures = [
    ...(await beside(
      site,
      { kind: 'strangers', sockets, ms },
      `${sockets.toLocaleString('en')} sockets that say nothing, little or too much`,
      options,
    )),
    ...(await beside(site, { kind: 'guesses', perSecond: 1_000, ms }, '1,000 guesses of keys a second', options)),
    ...(await stall(site, site.locks.slice(-1), options)),
  ];
  await site.close();
  return figures;
}

async function beside(site: LatchdSite, task: CrowdTask, title: string, options: SectionOptions): Promise<Figure[]> {
  options.say(`broker: logins beside ${title}`);
  const crowd = await openCrowd<{ count: number }>({ address: site.mqtt, pid: site.pid, locks: [], epoch: task.kind, task });
  const before = residentKb(site.pid);
  let over = false;
  let most = before;
  const logins: number[] = [];
  const crowding = crowd.go().finally(() => {
    over = true;
  });
  for (let n = 0; !over; n++) {
    logins.push(await login(site, site.locks[n % (site.locks.length - 10)] as BenchLock));
    most = Math.max(most, residentKb(site.pid));
    await sleep(betweenLoginsMs);
  }
  const { count } = await crowding;
  await crowd.stop();
  const seconds = task.kind === 'guesses' ? task.ms / 1_000 : undefined;
  return [
    figureOf(`a lock beside ${title}: the longest until it is online`, 'ms', [Math.max(...logins)], { goal: { atMost: 500 } }),
    figureOf(`${title}: memory on top`, 'MB', [(most - before) / 1024], { goal: { atMost: 100 } }),
    ...(seconds === undefined
      ? []
      : [figureOf('guesses a second that were made', '/s', [count / seconds], { goal: { atLeast: options.quick ? 0 : 900 } })]),
  ];
}

/** From the beginning of its connection until the gateway has acknowledged its hello and reports. */
async function login({ mqtt }: LatchdSite, lock: BenchLock): Promise<number> {
  const startedAt = performance.now();
  const opened = await connectLoadLock({
    ...{ lock, address: mqtt, localAddress: '127.0.2.1', keepAliveSeconds: 120, epoch: 'login' },
  });
  const ms = performance.now() - startedAt;
  opened.close();
  return ms;
}

/** A lock that makes the gateway write without end and reads nothing of it: until it is closed, from when it was read no more. */
async function stall(site: LatchdSite, locks: readonly BenchLock[], options: SectionOptions): Promise<Figure[]> {
  if (options.quick) return [];
  options.say('broker: a reader is stuck until it is closed');
  const task = { kind: 'stall', ms: 90_000 } as const;
  const crowd = await openCrowd<{ stalledMs: readonly number[] }>({ address: site.mqtt, pid: site.pid, locks, epoch: 'stall', task });
  const { stalledMs } = await crowd.go();
  await crowd.stop();
  return [
    figureOf(
      'a reader that is stuck is closed after',
      's',
      stalledMs.map((each) => each / 1_000),
      { goal: { atMost: 6 } },
    ),
  ];
}
