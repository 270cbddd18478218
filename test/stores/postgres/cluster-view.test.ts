// What /readyz says of a node and the others, by what they are to each other.
import { expect, test } from '@jest/globals';
import { clusterView } from '../../../src/stores/postgres/cluster-view.ts';
import type { NodeRow } from '../../../src/stores/postgres/nodes.ts';

const row = (name: string, given: Partial<NodeRow>): NodeRow => ({
  ...{
    incarnation: name,
    name,
    url: `https://${name}.lan:8444`,
    bootId: 'boot',
    directory: null,
    leaseMs: 30_000,
    serving: false,
    beat: 1,
  },
  ...given,
});
const own = { name: 'box-2', url: 'https://box-2.lan:8444', aliveMs: 12_900, leads: false, standsIn: false, role: 'waiting' } as const;
const leading = { ...own, role: 'serving', leads: true } as const;

test.each([
  ['passes on what it is asked', own, [row('box-1', { serving: true })], true, ['serving', 'box-1', 12], ['serving', 'serving']],
  [
    'waits, for it reaches nobody',
    { ...own, url: null },
    [row('box-1', { serving: true, url: null })],
    false,
    ['waiting', 'box-1', null],
    ['serving', 'waiting'],
  ],
  ['leads others that reach it', leading, [row('box-1', {})], false, ['serving', 'box-2', 12], ['serving', 'serving']],
  ['leads one that has no url', leading, [row('box-1', { url: null })], false, ['serving', 'box-2', 12], ['waiting', 'serving']],
  [
    'has no url, and leads one that waits',
    { ...leading, url: null },
    [row('box-1', {})],
    false,
    ['serving', 'box-2', 12],
    ['waiting', 'serving'],
  ],
  ['leads in place of another one', leading, [row('box-1', { isDeposed: true })], false, ['serving', 'box-2', 12], ['lost', 'serving']],
  [
    'opens doors for a silent one',
    { ...own, role: 'serving', standsIn: true } as const,
    [row('box-1', { serving: true })],
    false,
    ['serving', 'box-1', 12],
    ['lost', 'serving'],
  ],
  [
    'starts, and knows nobody',
    { ...own, role: 'starting' } as const,
    [row('box-1', { serving: true })],
    false,
    ['starting', null, null],
    ['starting'],
  ],
] as const)('one that %s', (_title, self, others, passesOn, [role, leader, leaseSecondsLeft], roles) => {
  const view = clusterView(self, { all: () => others }, passesOn);
  expect(view).toMatchObject({ name: 'box-2', role, leader, leaseSecondsLeft });
  expect(view.nodes.map((node) => node.role)).toEqual(roles);
  expect(view.serving).toEqual(view.nodes.filter((node) => node.role === 'serving').map(({ name }) => name));
});
