// 1,000 who listen to live events, at the node that leads, at the other one, or half of them at each: when the last of them has what happens at a
// door. Each hears every record once and in order.
import type { PostgresServer } from '../../support/postgres.ts';
import type { Address } from '../daemon.ts';
import { openAudience, type RequiredRole } from '../load/audience.ts';
import { connectSwarm } from '../load/swarm.ts';
import { build, openPair } from '../pair.ts';
import { sleep } from '../processes.ts';
import { alternate, figureOf, quantile } from '../rounds.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { listenText, oneByOne, swiper } from './listeners.ts';

const locks = 100;
const [tries, againMs] = [10, 1_000];
const [atLeader, half, atOther] = ['all at the leader', 'half at each node', 'all at the other node'];

export async function listenersOfTwoNodes(server: PostgresServer, options: SectionOptions): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 1_000 });
  const count = options.quick ? 100 : 1_000;
  options.say(`two-nodes: ${count} listeners`);
  const pair = await openPair(await build(server, options, 'listeners', locks), options, 'listeners');
  const [leader, other] = [pair.leader().http, pair.other().http];
  const swarm = await connectSwarm({ address: pair.leader().mqtt, locks: pair.locks });
  const swipe = swiper(swarm.locks);
  /** They come for one measurement, for whoever else listens would be told, too. */
  async function measure(addresses: readonly Address[]): Promise<{ readonly p50: number; readonly p99: number }> {
    const audience = await admitted(() => openAudience({ addresses, request: listenText(pair.token), count }));
    await oneByOne(audience, ms / 4, swipe);
    const waits = await oneByOne(audience, ms, swipe);
    audience.close();
    return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) };
  }
  const contenders = [
    { name: half, measure: () => measure([leader, other]) },
    { name: atOther, measure: () => measure([other]) },
    { name: atLeader, measure: () => measure([leader]) },
  ];
  // Warm-up.
  await alternate(contenders, 1);
  const measured = await alternate(contenders, rounds);
  swarm.close();
  await pair.close();
  return [half, atOther].flatMap((name) =>
    (['p50', 'p99'] as const).map((which) => {
      const of = (whose: string) => (measured.get(whose) ?? []).map((one) => one[which]);
      const title = `live events, ${count.toLocaleString('en')} listeners, ${name}: from the door to the last of them, ${which}`;
      return figureOf(title, 'ms', of(name), { others: [{ name: atLeader, values: of(atLeader) }] });
    }),
  );
}

/** An account may have so many listeners: those who have just left may count for a moment still. */
async function admitted(open: () => Promise<RequiredRole>): Promise<RequiredRole> {
  for (let left = tries; ; left--) {
    try {
      return await open();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(againMs);
    }
  }
}
