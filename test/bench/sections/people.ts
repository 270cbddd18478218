// people: what a building full of people costs a start, and what changes for many of them cost everybody else.
import { startDaemon } from '../daemon.ts';
import { type Crowd, seedPeople } from '../people-seed.ts';
import { cpuMs, residentKb } from '../processes.ts';
import type { Figure, Section, SectionOptions } from '../section.ts';
import { seedDirectory } from '../seed.ts';
import { doorFigures } from './people-doors.ts';
import { changeStopFigures, questionStopFigures } from './people-stops.ts';
import { importFigures, resetFigures } from './people-work.ts';
import { figuresOf } from './scale-figures.ts';

const full: Crowd = { locks: 200, people: 20_000, doorsEach: 3, accessLines: 1_000_000 };
const few: Crowd = { locks: 20, people: 100, doorsEach: 3, accessLines: 1_000 };

export const peopleSection: Section = {
  name: 'people',
  async run(options) {
    const crowd = options.quick ? few : full;
    return [
      ...(await startFigures(options, crowd)),
      ...(await importFigures(options)),
      ...(await changeStopFigures(options)),
      ...(await questionStopFigures(options)),
      ...(await resetFigures(options)),
      ...(await doorFigures(options)),
    ];
  },
};

async function startFigures({ folder, program, quick, say }: SectionOptions, crowd: Crowd): Promise<Figure[]> {
  const [people, entries, lines] = [crowd.people, crowd.people * crowd.doorsEach, crowd.accessLines].map((count) =>
    count.toLocaleString('en'),
  );
  const title = `${people} people, ${entries} entries and ${lines} lines of the access log`;
  say(`people: ${title} are written`);
  const [filled, bare] = [`${folder}/people`, `${folder}/nobody`];
  await seedPeople(filled, crowd);
  await seedDirectory(bare, crowd.locks);
  return figuresOf(
    [
      {
        name: title,
        async measure() {
          const [one, other] = [await started(program, filled), await started(program, bare)];
          return { ...one, addedMb: (one.kb - other.kb) / 1_000 };
        },
      },
    ],
    quick ? 1 : 5,
    [
      { name: `start with ${title}`, unit: 'ms', read: ({ startMs }) => startMs, goal: { atMost: 2_000 } },
      { name: `CPU of a start with ${title}`, unit: 'ms', read: ({ cpu }) => cpu },
      {
        name: `memory of a start with ${title}, beyond that of one with nobody`,
        unit: 'MB',
        read: ({ addedMb }) => addedMb,
        goal: { atMost: 120 },
      },
    ],
  );
}

async function started(program: string, dataDir: string): Promise<{ startMs: number; cpu: number; kb: number }> {
  const { pid, startMs, stop } = await startDaemon({ program, dataDir });
  const result = { startMs, cpu: cpuMs(pid), kb: residentKb(pid) };
  await stop();
  return result;
}
