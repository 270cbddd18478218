// The reconnect storm (Fault T16) and what idle locks cost, over TCP and over TLS.
import type { Address } from '../daemon.ts';
import { openCrowd } from '../load/crowd.ts';
import { openDoorClients } from '../load/door-clients.ts';
import { connectSwarm } from '../load/swarm.ts';
import { residentKb, sleep } from '../processes.ts';
import { figureOf } from '../rounds.ts';
import type { Figure, SectionOptions } from '../section.ts';
import { openLatchd } from '../site.ts';
import { figuresOf } from './scale-figures.ts';

/** From the first connection until the gateway has acknowledged the last lock's hello and reports. */
export async function storms(size: number, options: SectionOptions): Promise<Figure[]> {
  const rounds = options.quick ? 1 : 5;
  options.say(`broker: ${size} locks reconnect at once, over TCP and over TLS`);
  const site = await openLatchd(options, { name: 'storm', locks: size, connected: 0, tls: true });
  const seconds: { TCP: number[]; TLS: number[] } = { TCP: [], TLS: [] };
  for (let round = 0; round < rounds; round++) {
    for (const [over, to] of [['TCP', { address: site.mqtt }] as const, ['TLS', site.tls()] as const]) {
      await sleep(options.quick ? 100 : 1_000);
      const startedAt = performance.now();
      const swarm = await connectSwarm({ ...to, locks: site.locks, atOnce: size });
      seconds[over].push((performance.now() - startedAt) / 1000);
      swarm.close();
    }
  }
  await site.close();
  const title = `${size.toLocaleString('en')} locks reconnect at once`;
  return [
    figureOf(`${title} (TCP): all online`, 's', seconds.TCP, { goal: { atMost: 3 } }),
    figureOf(`${title} (TLS): all online`, 's', seconds.TLS, { goal: { atMost: 6 } }),
  ];
}

/** Unlocks of other doors meanwhile; the locks that come back are a process of their own. */
export async function whileLocksComeBack(options: SectionOptions): Promise<Figure[]> {
  const [size, doors, clients, rounds] = options.quick ? [100, 10, 2, 1] : [10_000, 100, 10, 5];
  const site = await openLatchd(options, { name: 'come-back', locks: doors + size, connected: doors, tls: true });
  const people = await openDoorClients({ ...site, locks: site.locks.slice(0, doors) }, clients);
  await people.measure(clients, options.quick ? 200 : 2_000);
  let epoch = 0;
  async function comeBack(count: number, to: { readonly address: Address; readonly ca?: string }) {
    await sleep(options.quick ? 100 : 3_000);
    const task = { kind: 'come-back', atOnce: 500 } as const;
    const locks = site.locks.slice(doors, doors + count);
    const crowd = await openCrowd<{ seconds: number }>({ ...to, pid: site.pid, locks, epoch: `back${epoch++}`, task });
    let isOver = false;
    const coming = crowd.go().finally(() => {
      isOver = true;
    });
    const { p99, longest } = await people.measure(clients, 120_000, () => isOver);
    const { seconds } = await coming;
    await crowd.stop();
    return { p99, longest, seconds };
  }
  const nobody = {
    name: 'nobody',
    async measure() {
      const { p99, longest } = await people.measure(clients, options.quick ? 200 : 2_000);
      return { p99, longest, seconds: Number.NaN };
    },
  };
  const named = (count: number): string => `${count.toLocaleString('en')} locks`;
  const figures: Figure[] = [];
  for (const [over, to] of [['TCP', { address: site.mqtt }] as const, ['TLS', site.tls()] as const]) {
    options.say(`scale: unlocks while ${size} locks come back over ${over}`);
    const contenders = [size, size / 10].map((count) => ({ name: named(count), measure: () => comeBack(count, to) }));
    const title = `${named(size)} come back (${over}), ${clients} clients`;
    figures.push(
      ...(await figuresOf([...contenders, nobody], rounds, [
        { name: `unlock while ${title}: p99`, unit: 'ms', read: ({ p99 }) => p99, goal: { atMost: 25 } },
        { name: `unlock while ${title}: the longest`, unit: 'ms', read: ({ longest }) => longest },
        { name: `${title}: all online`, unit: 's', read: ({ seconds }) => seconds },
      ])),
    );
  }
  people.close();
  await site.close();
  return figures;
}

/** What the process holds more than before its locks came, once it has had time to tidy up. */
export async function memory(options: SectionOptions): Promise<Figure[]> {
  const settleMs = options.quick ? 200 : 8_000;
  const figures: Figure[] = [];
  const crowds = options.quick
    ? ([
        [100, 'TCP', 20],
        [100, 'TLS', 120],
      ] as const)
    : ([
        [1_000, 'TCP', 20],
        [10_000, 'TCP', 20],
        [1_000, 'TLS', 120],
      ] as const);
  for (const [count, over, kbEach] of crowds) {
    options.say(`broker: memory of ${count} idle locks over ${over}`);
    const site = await openLatchd(options, { name: `memory-${over}`, locks: count, connected: 0, tls: over === 'TLS' });
    await sleep(settleMs);
    const before = residentKb(site.pid);
    const swarm = await connectSwarm({ ...(over === 'TLS' ? site.tls() : { address: site.mqtt }), locks: site.locks });
    await sleep(settleMs);
    const after = residentKb(site.pid);
    swarm.close();
    await site.close();
    const title = `${count.toLocaleString('en')} idle ${over} locks`;
    figures.push(figureOf(`${title}: memory of each`, 'kB', [(after - before) / count], { goal: { atMost: kbEach } }));
    figures.push(figureOf(`${title}: memory of the process`, 'MB', [after / 1024], { goal: { atMost: 300 } }));
  }
  return figures;
}
