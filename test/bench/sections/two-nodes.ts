// two-nodes: unlocks that are asked for at a node that waits, and that it sends on to the one that serves; both on a PostgreSQL of their own
// on the same machine and disk. Run only when it is named.
import { freePort } from '../../support/free-port.ts';
import { startPostgres } from '../../support/postgres.ts';
import { type Daemon, startDaemon } from '../daemon.ts';
import { type DoorResult, type Doors, openDoorClients } from '../load/door-clients.ts';
import { connectSwarm } from '../load/swarm.ts';
import { sleep, startChild } from '../processes.ts';
import { alternate, figureOf, type Rounds } from '../rounds.ts';
import { effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { seedDatabase } from '../seed.ts';

const locks = 100;
const clientCounts = [1, 10];
const patienceMs = 30_000;
const serving = 'asked at the node that serves';
const waiting = 'asked at the other';

export const twoNodesSection: Section = {
  name: 'two-nodes',
  async run(options) {
    const server = await startPostgres({ fsync: true });
    try {
      const { address, url } = await server.newDatabase({ isEmpty: true });
      const { token, locks: seeded } = await seedDatabase(address, `${options.folder}/seed`, locks);
      const first = await startDaemon({ program: options.program, dataDir: `${options.folder}/box-1`, flags: await flagsOf('box-1', url) });
      const second = await startWaiting(options, await flagsOf('box-2', url));
      const swarm = await connectSwarm({ address: first.mqtt, locks: seeded });
      const doors = { pid: first.pid, token, locks: seeded, swarm };
      const figures = await measure({ [waiting]: { ...doors, http: second.http }, [serving]: { ...doors, http: first.http } }, options);
      swarm.close();
      await second.stop();
      await first.stop();
      return figures;
    } finally {
      await server.remove();
    }
  },
};

async function flagsOf(name: string, url: string): Promise<readonly string[]> {
  return ['--store', url, '--cluster-name', name, '--cluster-url', `https://127.0.0.1:${await freePort()}`, '--discovery-enabled', 'false'];
}

/** A daemon that waits for the other one never says that it is ready: it does not serve. */
async function startWaiting({ folder, program }: SectionOptions, flags: readonly string[]): Promise<Pick<Daemon, 'http' | 'stop'>> {
  const http = { host: '127.0.0.1', port: await freePort() };
  const ports = ['--http-port', String(http.port), '--mqtt-port', '0'];
  const { stop } = startChild(process.execPath, [program, 'serve', '--data-dir', `${folder}/box-2`, ...ports, ...flags]);
  for (const endsAt = performance.now() + patienceMs; performance.now() < endsAt; await sleep(20)) {
    const answer = await fetch(`http://${http.host}:${http.port}/readyz`).catch(() => undefined);
    const { cluster } = ((await answer?.json()) ?? {}) as { readonly cluster?: { readonly forwardsTo?: string } };
    if (cluster?.forwardsTo === 'box-1') return { http, stop };
  }
  await stop();
  throw new Error('the second node does not send requests on');
}

async function measure(sites: Readonly<Record<string, Doors>>, options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 1_000 });
  const clients = await Promise.all(
    Object.entries(sites).map(async ([name, doors]) => ({ name, doors: await openDoorClients(doors, 10) })),
  );
  for (const { doors } of clients) await doors.measure(10, options.quick ? 200 : 2_000);
  const figures: Figure[] = [];
  for (const count of clientCounts) {
    options.say(`two-nodes: ${count} ${count === 1 ? 'client' : 'clients'}`);
    const contenders = clients.map(({ name, doors }) => ({ name, measure: () => doors.measure(count, ms) }));
    figures.push(...figuresOf(count, await alternate(contenders, rounds)));
  }
  for (const { doors } of clients) doors.close();
  return figures;
}

function figuresOf(count: number, rounds: Rounds<DoorResult>): Figure[] {
  const of = (name: string, pick: (one: DoorResult) => number) => (rounds.get(name) ?? []).map(pick);
  const beside = (pick: (one: DoorResult) => number) => ({ others: [{ name: serving, values: of(serving, pick) }] });
  const title = `unlocks ${waiting}, ${count} ${count === 1 ? 'client' : 'clients'}`;
  const [p50, p99, perSecond] = [(one: DoorResult) => one.p50, (one: DoorResult) => one.p99, (one: DoorResult) => one.perSecond];
  return [
    figureOf(`${title}: p50`, 'ms', of(waiting, p50), { ...beside(p50), ...(count === 1 && { goal: { atMost: 2.5 } }) }),
    figureOf(`${title}: p99`, 'ms', of(waiting, p99), beside(p99)),
    figureOf(`${title}: a second`, '/s', of(waiting, perSecond), beside(perSecond)),
  ];
}
