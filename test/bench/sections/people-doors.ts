// people, of whole locks: how soon a grant is on them and a lost card dead, and how fast a door opens while another lock fails.
import { createFleet, type Fleet } from '../../../device-sim/fleet.ts';
import type { LockProfileInput } from '../../../device-sim/lock-profile.ts';
import { askSite } from '../people-request.ts';
import { sleep } from '../processes.ts';
import { quantile } from '../rounds.ts';
import { effort, type Figure, type SectionOptions } from '../section.ts';
import { type LatchdSite, openLatchd } from '../site.ts';
import { figuresOf } from './scale-figures.ts';

/** Simulated locks on a site, which keep cards as new firmware does. */
export function simulatedLocks({ folder }: SectionOptions, site: LatchdSite, locks: number, profile: LockProfileInput = {}): Fleet {
  return createFleet({
    gatewayUrl: `http://${site.http.host}:${site.http.port}`,
    mqttUrl: `mqtt://${site.mqtt.host}:${site.mqtt.port}`,
    ...{ token: site.token, stateDir: `${folder}/simulated-${locks}`, locks, flush: false, reconnect: { minMs: 20, maxMs: 80 } },
    profile: { features: ['credentials', 'hours', 'once'], boltTravelMs: 0, autoLockSeconds: 0, ...profile },
  });
}

const locks = Array.from({ length: 20 }, (_, n) => n + 1);
const away = locks.slice(10);
const lossDoors = locks.slice(0, 12);
const lossAway = lossDoors.slice(10);
const failing = 2;
const forgotten = 20;
const soon = { atMost: 2_000 };

interface Granted {
  readonly grants: readonly { readonly grantId: number }[];
}

interface Loss {
  readonly revocationId: number;
  readonly doors: { readonly dead: number };
}

export async function doorFigures(options: SectionOptions): Promise<Figure[]> {
  const unlocks = options.quick ? 20 : 1_000;
  const { rounds } = effort(options, { rounds: 3, ms: 0 });
  options.say(`people: grants, losses and failures on ${locks.length} locks`);
  const site = await openLatchd(options, { name: 'doors', locks: 1, connected: 0 });
  const fleet = simulatedLocks(options, site, locks.length);
  try {
    await fleet.start();
    let round = 0;
    const measure = async () => {
      round += 1;
      const granted = await grantTimes(site, fleet, 7_000_000 + round);
      const deadMs = await lossTime(site, fleet, 7_100_000 + round);
      const wellMs = await unlockTime(site, fleet, unlocks);
      fleet.lock(failing).faults.memory.add('forgets');
      for (let n = 0; n < forgotten; n++) await put(site, fleet, 7_200_000 + round * forgotten + n, [failing]);
      const besideMs = await unlockTime(site, fleet, unlocks);
      fleet.lock(failing).faults.memory.clear();
      return { ...granted, deadMs, wellMs, besideMs };
    };
    return await figuresOf([{ name: 'doors', measure }], rounds, [
      { name: 'a grant to 20 locks is on the 10 that are there', unit: 'ms', read: ({ thereMs }) => thereMs, goal: soon },
      { name: 'and on the 10 that were away, once they are back', unit: 'ms', read: ({ backMs }) => backMs, goal: soon },
      { name: 'a card lost on 12 locks is proven dead on the 10 that are there', unit: 'ms', read: ({ deadMs }) => deadMs, goal: soon },
      {
        name: `unlock p99 beside a lock that forgets ${forgotten} cards`,
        unit: 'ms',
        read: ({ besideMs }) => besideMs,
        goal: { atMost: 30 },
      },
      { name: 'unlock p99 of the same door while all is well', unit: 'ms', read: ({ wellMs }) => wellMs },
    ]);
  } finally {
    await fleet.stop();
    await site.close();
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<number> {
  const begunAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - begunAt > 60_000) throw new Error('what is measured did not happen within a minute');
    await sleep(2);
  }
  return performance.now() - begunAt;
}

/** A person with this card and a grant for these locks. */
function put(site: LatchdSite, fleet: Fleet, number: number, on: readonly number[]): Promise<Granted> {
  const grants = [{ lockIds: on.map((n) => fleet.lock(n).lockId) }];
  const body = { name: `Visitor ${number}`, credentials: [{ kind: 'card', cardNumber: String(number) }], grants };
  return askSite<Granted>(site, 'PUT', `/api/v1/access/people/external/visitor-${number}`, { body });
}

async function setOnline(site: LatchdSite, fleet: Fleet, some: readonly number[], online: boolean): Promise<void> {
  for (const n of some) fleet.lock(n)[online ? 'restoreNetwork' : 'cutNetwork']();
  const ids = new Set(some.map((n) => fleet.lock(n).lockId));
  await until(async () => {
    const { list } = await askSite<{ list: { lockId: number; online: boolean }[] }>(site, 'GET', '/api/v1/gateway/locks?pageSize=1000');
    return list.every((lock) => !ids.has(lock.lockId) || lock.online === online);
  });
}

async function grantTimes(site: LatchdSite, fleet: Fleet, number: number): Promise<{ thereMs: number; backMs: number }> {
  await setOnline(site, fleet, away, false);
  const begunAt = performance.now();
  const { grants } = await put(site, fleet, number, locks);
  const isOn = (count: number) => async () => {
    const { progress } = await askSite<{ progress: Record<string, number> }>(site, 'GET', `/api/v1/access/grants/${grants[0]?.grantId}`);
    return progress['on-lock'] === count;
  };
  await until(isOn(locks.length - away.length));
  const thereMs = performance.now() - begunAt;
  await setOnline(site, fleet, away, true);
  return { thereMs, backMs: await until(isOn(locks.length)) };
}

async function lossTime(site: LatchdSite, fleet: Fleet, number: number): Promise<number> {
  await put(site, fleet, number, lossDoors);
  const holds = (n: number): boolean => fleet.lock(n).memory.cards.some(({ cardNumber }) => cardNumber === String(number));
  await until(() => lossDoors.every(holds));
  await setOnline(site, fleet, lossAway, false);
  const begunAt = performance.now();
  const body = { cardNumber: String(number), reason: 'in town' };
  const { revocationId } = await askSite<Loss>(site, 'POST', '/api/v1/access/cards/lost', { body });
  await until(async () => {
    const { doors } = await askSite<Loss>(site, 'GET', `/api/v1/access/revocations/${revocationId}`);
    return doors.dead === lossDoors.length - lossAway.length;
  });
  const deadMs = performance.now() - begunAt;
  await setOnline(site, fleet, lossAway, true);
  return deadMs;
}

/** p99 of so many unlocks of the first door, each locked again. */
async function unlockTime(site: LatchdSite, fleet: Fleet, unlocks: number): Promise<number> {
  const { lockId, whenEventsAcknowledged } = fleet.lock(1);
  const times: number[] = [];
  for (let n = 0; n < unlocks; n++) {
    const begunAt = performance.now();
    await askSite(site, 'POST', `/api/v1/lock/unlock?lockId=${lockId}`);
    times.push(performance.now() - begunAt);
    await askSite(site, 'POST', `/api/v1/lock/lock?lockId=${lockId}`);
    // A lock has only so many messages under way.
    await whenEventsAcknowledged();
  }
  return quantile(times, 0.99);
}
