// scale, of writes: for how long nobody is served while something is written beside much that is stored, and what that costs.
import { type Asked, type Cost, costOf } from '../load/changes.ts';
import { heavyAccounts } from '../scale-seed.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { figuresOf } from './scale-figures.ts';
import type { Place } from './scale-place.ts';

/** Changes of one kind, so many of them, none of which was made before in another round. */
const kinds: readonly { readonly name: string; changes(round: number): Asked[] }[] = [
  { name: 'nothing is written', changes: () => many(30, () => ({ method: 'GET', path: '/healthz' })) },
  {
    name: 'tokens are made',
    changes: () => many(30, (n) => ({ method: 'POST', path: '/api/v1/gateway/tokens', body: { username: 'admin', name: `bench ${n}` } })),
  },
  {
    name: 'accounts are made and removed',
    changes: (round) =>
      many(15, (n) => `bench-${round}-${n}`).flatMap((username): Asked[] => [
        { method: 'POST', path: '/api/v1/gateway/accounts', body: { username, gatewayAdministrator: false } },
        { method: 'DELETE', path: `/api/v1/gateway/accounts/${encodeURIComponent(username)}` },
      ]),
  },
  {
    name: 'an account with a tenth of all tokens is removed',
    changes: (round) => [
      { method: 'DELETE', path: `/api/v1/gateway/accounts/user-${2 + (round % heavyAccounts)}` },
      ...many(20, (): Asked => ({ method: 'GET', path: '/api/v1/gateway/tokens?pageNo=1&pageSize=20' })),
    ],
  },
  {
    name: 'alarms are ended',
    changes: (round) => many(30, (n) => ({ method: 'DELETE', path: `/api/v1/gateway/alarms/tampered/${100 + round * 30 + n}` })),
  },
  {
    name: 'locks are renamed and listed',
    changes: (round) =>
      many(15, (n) => n).flatMap((n): Asked[] => [
        { method: 'PUT', path: `/api/v1/gateway/locks/${100 + n}`, body: { lockAlias: `Door ${round} ${n}` } },
        { method: 'GET', path: `/api/v1/lock/list?pageNo=${1 + n}&pageSize=20&lockAlias=door` },
      ]),
  },
];

function many<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

export async function writeFigures(options: SectionOptions, places: readonly Place[]): Promise<Figure[]> {
  const { rounds } = effort(options, { rounds: 5, ms: 0 });
  const figures: Figure[] = [];
  for (const { name, changes } of kinds.filter((_, n) => !options.quick || n < 3)) {
    options.say(`scale: ${name}`);
    const contenders = places.map((place) => {
      let round = 0;
      return { name: place.name, measure: (): Promise<Cost> => costOf(place, changes(round++)) };
    });
    figures.push(
      ...(await figuresOf(contenders, rounds, [
        { name: `longest stop of the loop while ${name}`, unit: 'ms', read: ({ stopMs }) => stopMs, goal: { atMost: 15 } },
        { name: `answer while ${name}`, unit: 'ms', read: ({ answerMs }) => answerMs },
        { name: `CPU of a request while ${name}`, unit: 'µs', read: ({ cpuMicros }) => cpuMicros },
      ])),
    );
  }
  return figures;
}
