// scale: what much that is stored costs those who ask for little. Each figure with as much as a gateway may hold, beside a tenth of it and
// beside a fixed piece of work, all in the same rounds.
import { type DoorClients, openDoorClients } from '../load/door-clients.ts';
import { alternate } from '../rounds.ts';
import type { Scale } from '../scale-seed.ts';
import { effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { listsSection } from './lists.ts';
import { cardFigures } from './scale-cards.ts';
import { figuresOf } from './scale-figures.ts';
import { pageFigures } from './scale-pages.ts';
import { doors, openPlace, type Place } from './scale-place.ts';
import { startFigures } from './scale-start.ts';
import { swipeFigures } from './scale-swipes.ts';
import { writeFigures } from './scale-writes.ts';
import { whileLocksComeBack } from './storm.ts';

const much: Scale = {
  ...{ locks: 10_000, accounts: 10_000, tokens: 100_000, deeds: 50_000, alarms: 10_000 },
  ...{ removedLocks: 1_000, failedDeliveries: 200, recordsEach: 10_000 },
};
const little: Scale = {
  ...{ locks: 10, accounts: 10, tokens: 10, deeds: 10, alarms: 10 },
  ...{ removedLocks: 1, failedDeliveries: 2, recordsEach: 10 },
};
export const scaleSection: Section = {
  name: 'scale',
  async run(options) {
    const [most, less] = options.quick ? ([tenthOf(much), little] as const) : ([much, tenthOf(much)] as const);
    const places = [
      await openPlace(options, 'much', most),
      await openPlace(options, 'a tenth of it', less),
      await openPlace(options, 'ten of each', little),
    ] as const;
    const figures = [
      ...(await unlocks(options, places)),
      ...(await pageFigures(options, places)),
      ...(await writeFigures(options, places.slice(0, 2))),
    ];
    for (const place of places) await place.close();
    return [
      ...figures,
      ...(await cardFigures(options)),
      ...(await swipeFigures(options)),
      ...(await startFigures(options)),
      ...(await whileLocksComeBack(options)),
      ...(await listsSection.run(options)),
    ];
  },
};

function tenthOf(scale: Scale): Scale {
  return Object.fromEntries(Object.entries(scale).map(([kind, count]) => [kind, count / 10])) as unknown as Scale;
}

async function unlocks(options: SectionOptions, places: readonly [Place, Place, Place]): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 2_000 });
  options.say('scale: unlocks');
  const clients = new Map<Place, DoorClients>();
  for (const place of places) clients.set(place, await openDoorClients(place, doors));
  const contenders = places.map((place) => ({
    name: place.name,
    measure: async () => (await (clients.get(place) as DoorClients).measure(doors, ms)).cpuMicros,
  }));
  await alternate(contenders, 2);
  const { tokens, accounts, locks } = places[0].scale;
  const [t, a, l] = [tokens, accounts, locks].map((count) => count.toLocaleString('en'));
  const name = `CPU of an unlock with ${t} tokens, ${a} accounts and ${l} locks`;
  const figures = await figuresOf(contenders, rounds, [{ name, unit: 'µs', read: (micros) => micros, ratio: { atMost: 1.1 } }]);
  for (const opened of clients.values()) opened.close();
  return figures;
}
