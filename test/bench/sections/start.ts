// start: how long until it serves, and what it needs when nothing happens.
import { startDaemon } from '../daemon.ts';
import { cpuMs, residentKb, sleep } from '../processes.ts';
import { figureOf } from '../rounds.ts';
import type { Figure, Section, SectionOptions } from '../section.ts';
import { seedDirectory } from '../seed.ts';
import { openLatchd } from '../site.ts';

export const startSection: Section = {
  name: 'start',
  run: async (options) => [...(await starts(options)), ...(await idle(options))],
};

async function starts(options: SectionOptions): Promise<Figure[]> {
  const { folder, program, quick, say } = options;
  const figures: Figure[] = [];
  for (const locks of quick ? [10] : [10, 1_000, 10_000]) {
    say(`start: ${locks} locks`);
    const dataDir = `${folder}/start-${locks}`;
    await seedDirectory(dataDir, locks);
    const times: number[] = [];
    const sizes: number[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      const daemon = await startDaemon({ program, dataDir });
      times.push(daemon.startMs);
      sizes.push(residentKb(daemon.pid) / 1024);
      await daemon.stop();
    }
    const title = `${locks.toLocaleString('en')} registered locks`;
    figures.push(figureOf(`start with ${title}`, 'ms', times), figureOf(`memory after the start with ${title}`, 'MB', sizes));
  }
  return figures;
}

/** CPU of 1,000 locks that say nothing but that they are still there, every 24 s. */
async function idle(options: SectionOptions): Promise<Figure[]> {
  const locks = options.quick ? 100 : 1_000;
  const ms = options.quick ? 500 : 15_000;
  options.say(`start: CPU of ${locks} idle locks`);
  const site = await openLatchd(options, { name: 'idle', locks, keepAliveSeconds: 30 });
  await sleep(ms / 5);
  const before = cpuMs(site.pid);
  await sleep(ms);
  const share = ((cpuMs(site.pid) - before) / ms) * 100;
  await site.close();
  return [figureOf(`CPU of ${locks.toLocaleString('en')} idle locks, keep alive 30 s`, '%', [share], { goal: { atMost: 1 } })];
}
