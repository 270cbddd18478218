// guard: what the packet filter costs between a socket and Aedes; and what it costs in the gateway, where most publishes go past Aedes,
// beside Aedes with the same receiver and nothing else. Run only when it is named.
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
          `${name}: publishes`,
          '/s',
          guarded.map(({ perSecond }) => perSecond),
          { others: [{ name: 'bare Aedes', values: plain.map(({ perSecond }) => perSecond), goal: { atLeast: 0.95 } }] },
        ),
        figureOf(
          `${name}: CPU of a publish`,
          'µs',
          guarded.map(({ cpuMicros }) => cpuMicros),
          { others: [{ name: 'bare Aedes', values: plain.map(({ cpuMicros }) => cpuMicros) }] },
        ),
      ]),
    ];
  },
};
