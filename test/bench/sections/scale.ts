// scale: what much that is stored costs those who ask for little. Each figure with as much as a gateway may hold, beside a tenth of it and
// beside a fixed piece of work, all in the same rounds.
import { calibration } from '../calibration.ts';
import { type Address, startDaemon } from '../daemon.ts';
import { type ask, type Held, whileChanging } from '../load/changes.ts';
import { runLoop } from '../load/closed-loop.ts';
import { type DoorClients, openDoorClients } from '../load/door-clients.ts';
import { type HttpClient, openHttpClients, reopen, requestText } from '../load/http-client.ts';
import { connectSwarm, type Swarm } from '../load/swarm.ts';
import { alternate, figureOf } from '../rounds.ts';
import { heavyAccounts, type Scale, seedScale } from '../scale-seed.ts';
import { effort, type Figure, type Goal, type Section, type SectionOptions } from '../section.ts';
import type { BenchLock } from '../seed.ts';
import { cardFigures } from './scale-cards.ts';

const much: Scale = { locks: 10_000, accounts: 10_000, tokens: 100_000, deeds: 50_000, alarms: 10_000 };
const tenth: Scale = { locks: 1_000, accounts: 1_000, tokens: 10_000, deeds: 5_000, alarms: 1_000 };
const little: Scale = { locks: 10, accounts: 10, tokens: 10, deeds: 10, alarms: 10 };
/** Doors that are used. */
const doors = 10;
const pageSize = 20;

interface Place {
  readonly name: string;
  readonly scale: Scale;
  readonly http: Address;
  readonly pid: number;
  readonly token: string;
  readonly locks: readonly BenchLock[];
  readonly swarm: Swarm;
  close(): Promise<void>;
}

export const scaleSection: Section = {
  name: 'scale',
  async run(options) {
    const [most, less] = options.quick ? ([tenth, little] as const) : ([much, tenth] as const);
    const places = [
      await open(options, 'much', most),
      await open(options, 'a tenth of it', less),
      await open(options, 'ten of each', little),
    ] as const;
    const figures = [
      ...(await unlocks(options, places)),
      ...(await pages(options, places)),
      ...(await writes(options, [places[0], places[1]])),
    ];
    for (const place of places) await place.close();
    return [...figures, ...(await cardFigures(options))];
  },
};

async function open({ folder, program, say }: SectionOptions, name: string, scale: Scale): Promise<Place> {
  say(
    `scale: ${name}: ${Object.entries(scale)
      .map(([kind, count]) => `${count.toLocaleString('en')} ${kind}`)
      .join(', ')}`,
  );
  const dataDir = `${folder}/${name.replaceAll(' ', '-')}`;
  const { token, locks } = await seedScale(dataDir, scale);
  const { http, mqtt, pid, stop } = await startDaemon({ program, dataDir });
  const swarm = await connectSwarm({ address: mqtt, locks: locks.slice(0, doors) });
  const close = async (): Promise<void> => {
    swarm.close();
    await stop();
  };
  return { name, scale, http, pid, token, locks: locks.slice(0, doors), swarm, close };
}

/** A round's calibration beside whatever else is measured in it. */
const fixed = { name: 'a fixed piece of work', measure: async () => calibration() };

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
  const measured = await alternate([...contenders, fixed], rounds);
  for (const opened of clients.values()) opened.close();
  return [compared(`CPU of an unlock with ${titleOf(places[0].scale)}`, 'µs', places, measured, undefined, { atMost: 1.1 })];
}

/** Of the nth request. */
const lists: readonly { readonly name: string; path(n: number, scale: Scale): string }[] = [
  { name: 'lock/list', path: (n, { locks }) => `/api/v1/lock/list?${anyPage(n, locks)}` },
  { name: 'lock/list, one needle', path: (n, { locks }) => `/api/v1/lock/list?lockAlias=door%201&${anyPage(n, locks / 10)}` },
  { name: 'lock/list, another needle each', path: (n, { locks }) => `/api/v1/lock/list?lockAlias=R%20${n % locks}&${anyPage(0, 1)}` },
  { name: 'gateway/locks', path: (n, { locks }) => `/api/v1/gateway/locks?${anyPage(n, locks)}` },
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
  { name: 'roles of a lock', path: (n) => `/api/v1/gateway/locks/${1 + (n % doors)}/roles?${anyPage(0, 1)}` },
  { name: 'lock/battery-history', path: (n) => `/api/v1/lock/battery-history?lockId=${1 + (n % doors)}` },
];

/** Not one after the other: whoever turns pages is not alone. */
function anyPage(n: number, count: number): string {
  const pages = Math.max(1, Math.floor(count / pageSize));
  return `pageNo=${1 + ((n * 7_919) % pages)}&pageSize=${pageSize}`;
}

async function pages(options: SectionOptions, places: readonly [Place, Place, Place]): Promise<Figure[]> {
  const { rounds, ms } = effort(options, { rounds: 5, ms: 400 });
  const opened = new Map<Place, HttpClient[]>();
  for (const place of places) opened.set(place, await openHttpClients(place.http, doors));
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
          return (await runLoop({ clients: doors, ms, pid: place.pid, begin })).cpuMicros;
        },
      };
    });
    await alternate(contenders, 1);
    const measured = await alternate([...contenders, fixed], rounds);
    figures.push(compared(`CPU of a page of ${name}`, 'µs', places, measured, { atMost: 300 }));
  }
  for (const client of [...opened.values()].flat()) client.close();
  return figures;
}

/** Changes of one kind, so many of them, none of which was made before in another round. */
const kinds: readonly { readonly name: string; changes(round: number): Parameters<typeof ask>[2][] }[] = [
  { name: 'nothing is written', changes: () => many(30, () => ({ method: 'GET', path: '/healthz' })) },
  {
    name: 'tokens are made',
    changes: () => many(30, (n) => ({ method: 'POST', path: '/api/v1/gateway/tokens', body: { username: 'admin', name: `bench ${n}` } })),
  },
  {
    name: 'accounts are made and removed',
    changes: (round) =>
      many(15, (n) => `bench-${round}-${n}`).flatMap((username): Parameters<typeof ask>[2][] => [
        { method: 'POST', path: '/api/v1/gateway/accounts', body: { username, gatewayAdministrator: false } },
        { method: 'DELETE', path: `/api/v1/gateway/accounts/${encodeURIComponent(username)}` },
      ]),
  },
  {
    name: 'an account with a tenth of all tokens is removed',
    changes: (round) => [
      { method: 'DELETE', path: `/api/v1/gateway/accounts/user-${2 + (round % heavyAccounts)}` },
      ...many(20, (): Parameters<typeof ask>[2] => ({ method: 'GET', path: '/api/v1/gateway/tokens?pageNo=1&pageSize=20' })),
    ],
  },
  {
    name: 'alarms are ended',
    changes: (round) => many(30, (n) => ({ method: 'DELETE', path: `/api/v1/gateway/alarms/tampered/${100 + round * 30 + n}` })),
  },
  {
    name: 'locks are renamed and listed',
    changes: (round) =>
      many(15, (n) => n).flatMap((n): Parameters<typeof ask>[2][] => [
        { method: 'PUT', path: `/api/v1/gateway/locks/${100 + n}`, body: { lockAlias: `Door ${round} ${n}` } },
        { method: 'GET', path: `/api/v1/lock/list?pageNo=${1 + n}&pageSize=${pageSize}&lockAlias=door` },
      ]),
  },
];

function many<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

async function writes(options: SectionOptions, places: readonly [Place, Place]): Promise<Figure[]> {
  const { rounds } = effort(options, { rounds: 5, ms: 0 });
  const figures: Figure[] = [];
  for (const { name, changes } of kinds.filter((_, n) => !options.quick || n < 3)) {
    options.say(`scale: ${name}`);
    const contenders = places.map((place) => {
      let round = 0;
      return { name: place.name, measure: async (): Promise<Held> => whileChanging(place, changes(round++)) };
    });
    const measured = await alternate([...contenders, { name: fixed.name, measure: async () => heldBy(calibration()) }], rounds);
    const by = (read: (held: Held) => number) => new Map([...measured].map(([one, values]) => [one, values.map(read)]));
    figures.push(
      compared(
        `longest answer of /healthz while ${name}`,
        'ms',
        places,
        by(({ longest }) => longest),
        { atMost: 15 },
      ),
      compared(
        `CPU of a request while ${name}`,
        'µs',
        places,
        by(({ cpuMicros }) => cpuMicros),
      ),
    );
  }
  return figures;
}

const heldBy = (ms: number): Held => ({ longest: ms, cpuMicros: ms });

/** The first of the places beside the others and the fixed work; `ratio`: of the first to the last. */
function compared(
  name: string,
  unit: 'µs' | 'ms',
  places: readonly Place[],
  measured: ReadonlyMap<string, readonly number[]>,
  goal?: Goal,
  ratio?: Goal,
): Figure {
  const [first, ...rest] = places as readonly [Place, ...Place[]];
  const others = rest.map((place, n) => {
    return { name: place.name, values: measured.get(place.name) ?? [], ...(ratio && n === rest.length - 1 && { goal: ratio }) };
  });
  const calibrated = { name: `${fixed.name} (ms)`, values: measured.get(fixed.name) ?? [] };
  return figureOf(name, unit, measured.get(first.name) ?? [], { ...(goal && { goal }), others: [...others, calibrated] });
}

function titleOf({ tokens, accounts, locks }: Scale): string {
  const [t, a, l] = [tokens, accounts, locks].map((count) => count.toLocaleString('en'));
  return `${t} tokens, ${a} accounts and ${l} locks`;
}
