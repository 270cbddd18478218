// scale, of starts: what many cards cost a start that reads none of them.
import { startDaemon } from '../daemon.ts';
import { cpuMs, residentKb } from '../processes.ts';
import type { Figure, SectionOptions } from '../section.ts';
import { seedDirectory } from '../seed.ts';
import { figuresOf } from './scale-figures.ts';

export async function startFigures({ folder, program, quick, say }: SectionOptions): Promise<Figure[]> {
  const [locks, cardsEach] = quick ? [10, 100] : [1_000, 1_000];
  const title = (cards: number): string => `${(locks * cards).toLocaleString('en')} cards on ${locks.toLocaleString('en')} locks`;
  say(`scale: a start with ${title(cardsEach)}`);
  const without = `${folder}/no-cards`;
  await seedDirectory(without, locks);
  const contenders = [];
  for (const cards of [cardsEach, cardsEach / 10]) {
    const dataDir = `${folder}/cards-${cards}`;
    await seedDirectory(dataDir, locks, cards);
    contenders.push({
      name: title(cards),
      async measure() {
        const [filled, bare] = [await started(program, dataDir), await started(program, without)];
        return { ...filled, bytesOfCard: ((filled.kb - bare.kb) * 1_024) / (locks * cards) };
      },
    });
  }
  return figuresOf(contenders, quick ? 1 : 5, [
    { name: `start with ${title(cardsEach)}`, unit: 'ms', read: ({ startMs }) => startMs, goal: { atMost: 2_000 } },
    { name: `CPU of a start with ${title(cardsEach)}`, unit: 'ms', read: ({ cpu }) => cpu },
    {
      name: `bytes of memory for a card after a start with ${title(cardsEach)}, beside a start without any`,
      unit: '',
      read: ({ bytesOfCard }) => bytesOfCard,
      goal: { atMost: 150 },
    },
  ]);
}

async function started(program: string, dataDir: string): Promise<{ startMs: number; cpu: number; kb: number }> {
  const { pid, startMs, stop } = await startDaemon({ program, dataDir });
  const result = { startMs, cpu: cpuMs(pid), kb: residentKb(pid) };
  await stop();
  return result;
}
