// board: what the board of a large building and the pages of its activity cost, and for how long they stop the event loop. Run only when it is
// named: it writes 2 GB.
import { rmSync } from 'node:fs';
import { type Daemon, startDaemon } from '../daemon.ts';
import { pourEvents } from '../load/event-pour.ts';
import { connectSwarm } from '../load/swarm.ts';
import { cpuMs, sleep } from '../processes.ts';
import type { Figure, Section, SectionOptions } from '../section.ts';
import { seedDirectory } from '../seed.ts';
import { activityFigures } from './board-activity.ts';
import { figuresOf } from './scale-figures.ts';

const goalCpu = { atMost: 100 };
const goalStop = { atMost: 10 };
/** Until what a start and its logins leave to be done is over. */
const settleMs = 2_000;
const repeats = 10;

export const boardSection: Section = {
  name: 'board',
  async run(options) {
    return [...(await boardFigures(options)), ...(await activityFigures(options))];
  },
};

interface Cost {
  readonly ms: number;
  readonly cpu: number;
}

async function boardFigures(options: SectionOptions): Promise<Figure[]> {
  const { folder, program, quick, say } = options;
  const [count, online] = quick ? [500, 50] : [5_000, 500];
  const title = `the board of ${count.toLocaleString('en')} locks`;
  say(`board: ${title}`);
  const dataDir = `${folder}/board`;
  const { token, locks } = await seedDirectory(dataDir, count);

  let starts = 0;
  /** With all of its doors' last records known. */
  async function withDaemon<T>(use: (daemon: Daemon, changeOne: () => Promise<unknown>) => Promise<T>): Promise<T> {
    const daemon = await startDaemon({ program, dataDir, watched: true });
    starts += 1;
    // Of its own in each start: else its events would be those of before.
    const epoch = `b${starts}`;
    const swarm = await connectSwarm({ address: daemon.mqtt, locks: locks.slice(0, online), epoch });
    await pourEvents({ locks: swarm.locks, perMessage: 1, window: 1, messagesEach: 1, pid: daemon.pid });
    await sleep(quick ? 100 : settleMs);
    const changed = swarm.locks.slice(0, 1);
    const changeOne = () => pourEvents({ locks: changed, perMessage: 1, window: 1, messagesEach: 1, pid: daemon.pid });
    const result = await use(daemon, changeOne);
    swarm.close();
    await daemon.stop();
    return result;
  }
  async function ask({ http }: Daemon, status: number, known?: string): Promise<string> {
    const headers = { Authorization: `Bearer ${token}`, ...(known !== undefined && { 'If-None-Match': known }) };
    const response = await fetch(`http://${http.host}:${http.port}/api/v1/board`, { headers });
    const text = await response.text();
    if (response.status !== status) throw new Error(`the board was answered with ${response.status} in place of ${status}: ${text}`);
    return response.headers.get('etag') ?? '';
  }
  async function costOf(daemon: Daemon, work: () => Promise<unknown>): Promise<Cost> {
    const [cpu, begun] = [cpuMs(daemon.pid), performance.now()];
    await work();
    return { ms: performance.now() - begun, cpu: cpuMs(daemon.pid) - cpu };
  }
  async function stopIn(daemon: Daemon, work: () => Promise<unknown>): Promise<number> {
    const stopWatching = await daemon.watchLoop();
    await work();
    return stopWatching();
  }
  /** Of each thing that is asked, the mean; of the stops the longest. The first answer is there once in a start: its stop is that of another one. */
  async function measure() {
    const firstStop = await withDaemon((daemon) => stopIn(daemon, () => ask(daemon, 200)));
    return withDaemon(async (daemon, changeOne) => {
      let etag = '';
      const first = await costOf(daemon, async () => {
        etag = await ask(daemon, 200);
      });
      const [changed, unchanged]: [Cost[], Cost[]] = [[], []];
      let [changedStop, unchangedStop] = [0, 0];
      for (let n = 0; n < repeats; n++) {
        await changeOne();
        await sleep(20);
        const old = etag;
        const work = async () => {
          etag = await ask(daemon, 200, old);
        };
        const same = () => ask(daemon, 304, etag);
        if (n % 2 === 0) {
          changed.push(await costOf(daemon, work));
          unchanged.push(await costOf(daemon, same));
        } else {
          changedStop = Math.max(changedStop, await stopIn(daemon, work));
          unchangedStop = Math.max(unchangedStop, await stopIn(daemon, same));
        }
      }
      return { first, changed: meanOf(changed), unchanged: meanOf(unchanged), firstStop, changedStop, unchangedStop };
    });
  }

  type Measured = Awaited<ReturnType<typeof measure>>;
  const three = [
    ['first', 'firstStop', `${title}, the first answer`],
    ['changed', 'changedStop', `${title}, again after a record of one lock`],
    ['unchanged', 'unchangedStop', `${title}, again when nothing has changed (304)`],
  ] as const;
  const figures = await figuresOf(
    [{ name: title, measure }],
    quick ? 1 : 3,
    three.flatMap(([cost, stop, name]) => [
      { name: `${name}: CPU`, unit: 'ms', read: (measured: Measured) => measured[cost].cpu, goal: goalCpu } as const,
      { name: `${name}: time`, unit: 'ms', read: (measured: Measured) => measured[cost].ms } as const,
      { name: `${name}: longest stop of the loop`, unit: 'ms', read: (measured: Measured) => measured[stop], goal: goalStop } as const,
    ]),
  );
  rmSync(dataDir, { recursive: true });
  return figures;
}

function meanOf(costs: readonly Cost[]): Cost {
  const mean = (read: (cost: Cost) => number): number => costs.reduce((sum, cost) => sum + read(cost), 0) / costs.length;
  return { ms: mean(({ ms }) => ms), cpu: mean(({ cpu }) => cpu) };
}
