// guard: what the frame guard costs between a socket and Aedes. Run only when it is named.
import type { GuardCost } from '../guard-child.ts';
import { measuredBy } from '../processes.ts';
import { figureOf } from '../rounds.ts';
import type { Section } from '../section.ts';

export const guardSection: Section = {
  name: 'guard',
  async run({ quick }) {
    const { parserNs, loads } = await measuredBy<GuardCost>('guard-child', ['guard', quick ? '1' : '7']);
    return [
      figureOf('the parser alone, a packet of 100 bytes', 'ns', parserNs),
      ...loads.flatMap(({ name, plain, guarded }) => [
        figureOf(
          `publishes through the guard, ${name}`,
          '/s',
          guarded.map(({ perSecond }) => perSecond),
          { others: [{ name: 'without it', values: plain.map(({ perSecond }) => perSecond), goal: { atLeast: 0.95 } }] },
        ),
        figureOf(
          `CPU of a publish through the guard, ${name}`,
          'µs',
          guarded.map(({ cpuMicros }) => cpuMicros),
          { others: [{ name: 'without it', values: plain.map(({ cpuMicros }) => cpuMicros) }] },
        ),
      ]),
    ];
  },
};
