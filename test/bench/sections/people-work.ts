// people, of work for many of them at once: a table that is imported, and a lock that gets everybody's card again.
import type { Fleet } from '../../../device-sim/fleet.ts';
import { askSite, importTable, type PlannedTable } from '../people-request.ts';
import { sleep } from '../processes.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { openLatchd } from '../site.ts';
import { simulatedLocks } from './people-doors.ts';
import { figuresOf } from './scale-figures.ts';

/** How long a lock takes for a command, as over Bluetooth. */
const commandMs = 300;

/** A dry run of a table with many lines, while the event loop is watched. */
export async function importFigures(options: SectionOptions): Promise<Figure[]> {
  const lines = options.quick ? 100 : 10_000;
  const { rounds } = effort(options, { rounds: 5, ms: 0 });
  const locks = 20;
  const site = await openLatchd(options, { name: 'import', locks, connected: 0, watched: true });
  const title = `${lines.toLocaleString('en')} lines for ${locks} doors`;
  options.say(`people: an import of ${title}`);
  const doors = site.locks.map(({ lockId }) => `lock:${lockId}`);
  const table = importTable(doors, lines);
  const measure = async () => {
    const stopWatching = await site.watchLoop();
    const askedAt = performance.now();
    const { errors } = await askSite<PlannedTable>(site, 'POST', '/api/v1/access/imports', { csv: table });
    const ms = performance.now() - askedAt;
    if (errors.length > 0) throw new Error(`the table has errors: ${JSON.stringify(errors[0])}`);
    return { ms, stopMs: await stopWatching() };
  };
  await measure();
  const figures = await figuresOf([{ name: title, measure }], rounds, [
    { name: `dry run of an import of ${title}`, unit: 'ms', read: ({ ms }) => ms, goal: { atMost: 3_000 } },
    { name: `longest stop of the loop in a dry run of ${title}`, unit: 'ms', read: ({ stopMs }) => stopMs, goal: { atMost: 10 } },
  ]);
  await site.close();
  return figures;
}

/** A lock without anything in its memory gets the cards of many people, and is unlocked meanwhile. */
export async function resetFigures(options: SectionOptions): Promise<Figure[]> {
  const entries = options.quick ? 40 : 1_000;
  const { rounds } = effort(options, { rounds: 3, ms: 0 });
  const site = await openLatchd(options, { name: 'reset', locks: 1, connected: 0 });
  const title = `${entries.toLocaleString('en')} entries, ${commandMs} ms a command`;
  options.say(`people: a lock that gets ${title}`);
  const fleet = simulatedLocks(options, site, 1, { cardCapacity: 2_000, faults: { slow: 1, slowMs: commandMs } });
  try {
    await fleet.start();
    const lock = fleet.lock(1);
    const table = importTable([`lock:${lock.lockId}`], entries);
    const { importId, plan } = await askSite<PlannedTable>(site, 'POST', '/api/v1/access/imports', { csv: table });
    await askSite(site, 'POST', `/api/v1/access/imports/${importId}/apply`, { body: { plan } });
    await allOn(fleet, entries);
    const measure = async () => {
      const before = lock.session;
      await lock.wipe();
      while (!lock.online || lock.session === before) await sleep(1);
      await lock.whenOnline();
      const begunAt = performance.now();
      const filled = allOn(fleet, entries);
      let isOver = false;
      void filled.then(() => {
        isOver = true;
      });
      let longest = 0;
      while (!isOver) {
        const askedAt = performance.now();
        await askSite(site, 'POST', `/api/v1/lock/unlock?lockId=${lock.lockId}`);
        await askSite(site, 'POST', `/api/v1/lock/lock?lockId=${lock.lockId}`);
        longest = Math.max(longest, (performance.now() - askedAt) / 2);
        await sleep(1_000);
      }
      await filled;
      return { seconds: (performance.now() - begunAt) / 1_000, longest };
    };
    return await figuresOf([{ name: title, measure }], rounds, [
      {
        name: `a lock that was reset gets ${title}, and is unlocked and locked every second`,
        unit: 's',
        read: ({ seconds }) => seconds,
        goal: { atMost: 60 },
      },
      { name: `longest unlock or lock meanwhile, ${title}`, unit: 'ms', read: ({ longest }) => longest },
    ]);
  } finally {
    await fleet.stop();
    await site.close();
  }
}

async function allOn(fleet: Fleet, entries: number): Promise<void> {
  const deadline = performance.now() + 300_000;
  while (fleet.lock(1).memory.cards.length < entries) {
    if (performance.now() > deadline) throw new Error(`only ${fleet.lock(1).memory.cards.length} of ${entries} cards came to the lock`);
    await sleep(20);
  }
}
