// unlock: HTTP to the lock and back, alternately lock and unlock, so that each request is a command. The locks keep the protocol whole:
// reply, new state, and an event that the gateway stores before it acknowledges it. The floors and peers store nothing.

import { openNodeRed } from '../floors/node-red.ts';
import { startEcho } from '../floors/start-floor.ts';
import type { DoorResult } from '../load/door-clients.ts';
import { measureEcho } from '../load/echo-client.ts';
import { alternate, type Rounds } from '../rounds.ts';
import { type Effort, effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { openBareBridge, openClients, openHello, openLatchd, openMosquittoBridge, type Site } from '../site.ts';
import { doorFigures } from './door-figures.ts';

const clientCounts = [1, 10, 100];
export const unlockSection: Section = {
  name: 'unlock',
  run: async (options) => [...(await besideOthers(options)), ...(await manyLocks(options))],
};

/** Each site, in each round, with 1, 10 and 100 clients. */
async function measureSites(sites: readonly Site[], options: SectionOptions, { rounds, ms }: Effort, counts = clientCounts) {
  const clients = await openClients(sites, 100, options.quick ? 200 : 2_000);
  const measured = new Map<number, Rounds<DoorResult>>();
  for (const count of counts) {
    options.say(`unlock: ${count} ${count === 1 ? 'client' : 'clients'}, ${sites.map(({ name }) => name).join(', ')}`);
    const contenders = [...clients].map(([name, { measure }]) => ({ name, measure: () => measure(count, ms) }));
    measured.set(count, await alternate(contenders, rounds));
  }
  for (const { close } of clients.values()) close();
  return measured;
}

async function besideOthers(options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 1_000 });
  const latchd = await openLatchd(options, { locks: 100 });
  const { locks } = latchd;
  const others: (Site | undefined)[] = [
    options.before === undefined ? undefined : await openLatchd(options, { name: 'latchd before', program: options.before, locks: 100 }),
    await openHello('node:http', locks),
    await openHello('Express', locks),
    await openBareBridge(locks),
    await openMosquittoBridge(options, locks, 'on'),
    await openMosquittoBridge(options, locks, 'off'),
    ...(await openNodeRed(options, locks)),
  ];
  const sites = [latchd, ...others.filter((site) => site !== undefined)];
  const measured = await measureSites(sites, options, { rounds, ms });

  const echo = await startEcho();
  const echoes = await alternate([{ name: 'echo', measure: () => measureEcho(echo.at.echo, ms) }], rounds);
  await echo.stop();
  for (const { close } of sites) await close();
  return clientCounts.flatMap((count) =>
    doorFigures(`100 locks, ${count} clients`, measured.get(count) as Rounds<DoorResult>, count, echoes.get('echo')),
  );
}

async function manyLocks(options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 3, ms: 1_000 });
  const sites: Site[] = [];
  for (const locks of options.quick ? [100, 10] : [10_000, 1_000, 10])
    sites.push(await openLatchd(options, { name: `latchd with ${locks.toLocaleString('en')} locks`, locks }));
  const thousand = sites.at(-2) as Site;
  sites.push(await openBareBridge(thousand.locks));
  const measured = await measureSites(sites, options, { rounds, ms });
  for (const { close } of sites) await close();
  const title = (sites[0] as Site).name;
  return clientCounts.flatMap((count) => doorFigures(`${title}, ${count} clients`, measured.get(count) as Rounds<DoorResult>, count));
}
