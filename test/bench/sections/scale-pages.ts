// scale, of pages: what one page of each list costs, however long the list is.
import { runLoop } from '../load/closed-loop.ts';
import { type HttpClient, openHttpClients, reopen, requestText } from '../load/http-client.ts';
import { alternate } from '../rounds.ts';
import type { Scale } from '../scale-seed.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { figuresOf } from './scale-figures.ts';
import { doors, type Place } from './scale-place.ts';

const pageSize = 20;
const clientsEach = 10;

/** Of the nth request. */
const lists: readonly { readonly name: string; path(n: number, scale: Scale): string }[] = [
  { name: 'lock/list', path: (n, { locks }) => `/api/v1/lock/list?${anyPage(n, locks)}` },
  { name: 'lock/list, one needle', path: (n, { locks }) => `/api/v1/lock/list?lockAlias=door%201&${anyPage(n, locks / 10)}` },
  { name: 'lock/list, another needle each', path: (n, { locks }) => `/api/v1/lock/list?lockAlias=R%20${n % locks}&${anyPage(0, 1)}` },
  {
    name: 'lock/records',
    path: (n, { recordsEach }) => `/api/v1/lock/records?lockId=${doorOf(n)}&startDate=1&endDate=0&${anyPage(n, recordsEach)}`,
  },
  { name: 'gateway/locks', path: (n, { locks }) => `/api/v1/gateway/locks?${anyPage(n, locks)}` },
  { name: 'gateway/removed-locks', path: (n, { removedLocks }) => `/api/v1/gateway/removed-locks?${anyPage(n, removedLocks)}` },
  { name: 'gateway/accounts', path: (n, { accounts }) => `/api/v1/gateway/accounts?${anyPage(n, accounts)}` },
  { name: 'gateway/tokens', path: (n, { tokens }) => `/api/v1/gateway/tokens?${anyPage(n, tokens)}` },
  { name: 'gateway/audit', path: (n, { deeds }) => `/api/v1/gateway/audit?${anyPage(n, deeds)}` },
  {
    name: 'gateway/audit, from a date on',
    path: (n, { deeds }) => `/api/v1/gateway/audit?startDate=${Date.UTC(2026, 10, 1) + deeds * 300}&${anyPage(n, deeds / 2)}`,
  },
  { name: 'gateway/alarms', path: (n, { alarms }) => `/api/v1/gateway/alarms?${anyPage(n, alarms)}` },
  { name: 'gateway/hubs', path: () => `/api/v1/gateway/hubs?${anyPage(0, 1)}` },
  { name: 'gateway/devices', path: () => `/api/v1/gateway/devices?${anyPage(0, 1)}` },
  { name: 'gateway/webhooks', path: () => `/api/v1/gateway/webhooks?${anyPage(0, 1)}` },
  {
    name: 'deliveries of a webhook',
    path: (n, { failedDeliveries }) => `/api/v1/gateway/webhooks/1/deliveries?${anyPage(n, failedDeliveries)}`,
  },
  { name: 'roles of a lock', path: (n) => `/api/v1/gateway/locks/${doorOf(n)}/roles?${anyPage(0, 1)}` },
  { name: 'lock/battery-history', path: (n) => `/api/v1/lock/battery-history?lockId=${doorOf(n)}` },
];

const doorOf = (n: number): number => 1 + (n % doors);

/** Not one after the other: whoever turns pages is not alone. */
function anyPage(n: number, count: number): string {
  const pages = Math.max(1, Math.floor(count / pageSize));
  return `pageNo=${1 + ((n * 7_919) % pages)}&pageSize=${pageSize}`;
}

export async function pageFigures(options: SectionOptions, places: readonly Place[]): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 400 });
  const opened = new Map<Place, HttpClient[]>();
  for (const place of places) opened.set(place, await openHttpClients(place.http, clientsEach));
  const figures: Figure[] = [];
  for (const { name, path } of lists) {
    options.say(`scale: ${name}`);
    const contenders = places.map((place) => {
      const clients = opened.get(place) as HttpClient[];
      let n = 0;
      return {
        name: place.name,
        async measure() {
          await reopen(clients, place.http);
          const begin = (client: number, done: (status: number) => void) =>
            clients[client]?.ask(requestText('GET', path(n++, place.scale), place.token), done);
          return (await runLoop({ clients: clientsEach, ms, pid: place.pid, begin })).cpuMicros;
        },
      };
    });
    await alternate(contenders, 1);
    const reading = { name: `CPU of a page of ${name}`, unit: 'µs', read: (micros: number) => micros, goal: { atMost: 300 } } as const;
    figures.push(...(await figuresOf(contenders, rounds, [reading])));
  }
  for (const client of [...opened.values()].flat()) client.close();
  return figures;
}
