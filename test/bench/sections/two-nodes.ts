// two-nodes: what is asked for, connected or listened to at a node that passes it on to the one that leads; both on a PostgreSQL of their own
// on the same machine and disk. Run only when it is named. BENCH_PARTS=unlocks,storms: only these parts.
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import type { Figure, Section, SectionOptions } from '../section.ts';
import { endsOfTheLeader } from './two-nodes-ends.ts';
import { eventsOfTwoNodes } from './two-nodes-events.ts';
import { listenersOfTwoNodes } from './two-nodes-listeners.ts';
import { memoryOfTwoNodes, stormsOfTwoNodes } from './two-nodes-storms.ts';
import { unlocksOfTwoNodes } from './two-nodes-unlocks.ts';

/** What an administrator gives a database of this size; everything else is as PostgreSQL comes. */
const settings = ['shared_buffers=512MB', 'max_wal_size=4GB'];

const parts: Readonly<Record<string, (server: PostgresServer, options: SectionOptions) => Promise<Figure[]>>> = {
  unlocks: unlocksOfTwoNodes,
  events: eventsOfTwoNodes,
  listeners: listenersOfTwoNodes,
  storms: stormsOfTwoNodes,
  memory: memoryOfTwoNodes,
  ends: endsOfTheLeader,
};

export const twoNodesSection: Section = {
  name: 'two-nodes',
  async run(options) {
    const asked = process.env['BENCH_PARTS']?.split(',') ?? Object.keys(parts);
    const server = await startPostgres({ fsync: true, settings });
    try {
      const figures: Figure[] = [];
      for (const name of asked) {
        const part = parts[name];
        if (part === undefined) throw new Error(`no such part: ${name}; there are ${Object.keys(parts).join(', ')}`);
        figures.push(...(await part(server, options)));
      }
      return figures;
    } finally {
      await server.remove();
    }
  },
};
