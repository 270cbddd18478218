// A house in which everything about access goes wrong at once: people get and lose cards and grants, others are at the doors with their
// phones, locks are away, silent, forgetful or new, and the gateway dies. Afterwards each lock must hold what the ledger says.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { enterCode, putCards, useCodes } from './access-direct.ts';
import { type AccessHouse, openHouse, pause } from './access-house.ts';
import { type AccessFault, faultsAtLocks, faultsOnWire } from './access-judge.ts';
import { killGateway, mischiefAtLock } from './access-mischief.ts';
import { livePerson } from './access-people.ts';
import { noteTraffic } from './lock-traffic.ts';
import { createRandom } from './seeded-random.ts';
import { openSite, type Site, until } from './site.ts';

const people = 3;
const today = { features: ['credentials', 'hours', 'once'], autoLockSeconds: 1 };
const old = { autoLockSeconds: 1 };
const locks = [today, today, today, old];
/** On a slow machine, too. */
const patienceMs = 120_000;
/** Without these a round shows nothing. */
const worth = ['person changed', 'suspended', 'taken off at the lock', 'code admitted', 'lost-reply', 'away', 'kill -9'];

export interface AccessRoundOptions {
  readonly seed: number;
  /** How many things are done in it at least. */
  readonly things: number;
  /** Another build than the usual one. */
  readonly program?: string;
}

export interface AccessRound {
  /** A sentence for each thing that is not as it must be, with what happened before it. */
  readonly faults: readonly string[];
  /** How often each thing was done, so that a round that did nothing is seen. */
  readonly tally: ReadonlyMap<string, number>;
}

/** A round in a house of its own; resolves when all is quiet again. */
export async function accessRound({ seed, things, program }: AccessRoundOptions): Promise<AccessRound> {
  const site = await openSite({ locks, flags: ['--command-timeout-ms', '1000'], ...(program !== undefined && { program }) });
  try {
    return await play(site, seed, things);
  } finally {
    await site.close();
  }
}

async function play(site: Site, seed: number, things: number): Promise<AccessRound> {
  const house = openHouse({ site, random: createRandom(seed), locks: locks.length, newLocks: locks.indexOf(old) });
  const { random, trail } = house;
  const stopNoting = noteTraffic(house);
  /** Those that have not ended yet. */
  const busy = new Set<string>();
  function actor(name: string, act: Promise<void>): Promise<void> {
    busy.add(name);
    return act.finally(() => {
      house.isOver = true;
      busy.delete(name);
    });
  }
  const actors = [
    ...Array.from({ length: people }, (_, index) => actor(`person ${index}`, livePerson(house, `P-${random.below(1_000_000)}-${index}`))),
    ...[actor('direct', putCards(house)), actor('direct, too', putCards(house)), actor('codes', useCodes(house))],
    actor('kill -9', killGateway(house)),
    ...house.locks.map((lock) => actor(`lock ${lock}`, mischiefAtLock(house, lock))),
  ];
  const isEnough = (): boolean => house.things() >= things && worth.every((what) => trail.tally.has(what));
  const enough = until(isEnough, 'enough was done', patienceMs).catch((error) => {
    throw new Error(`${error}, after ${JSON.stringify([...trail.tally])}`);
  });
  await Promise.race([enough, ...actors]);
  house.isOver = true;
  const isOver = until(() => busy.size === 0, 'all rest', patienceMs).catch((error) => {
    throw new Error(`${error}: ${[...busy].join(', ')} are busy after ${JSON.stringify([...trail.tally])}`);
  });
  await Promise.race([isOver, Promise.all(actors).then(() => isOver)]);
  trail.note('all rest');
  await Promise.all(house.locks.map((lock) => meetAgain(house, lock)));
  for (let ago = 0; ago < 20; ago++) await enterCode(house, ago);
  await Promise.all(house.locks.map((lock) => site.lock(lock).whenEventsAcknowledged()));
  await until(async () => (await faultsAtLocks(house)).length === 0, 'all is as it must be', 30_000).catch(() => undefined);
  // What is right now must stay so.
  await pause(300);
  const faults = [...(await faultsAtLocks(house)), ...faultsOnWire(house)];
  stopNoting();
  return { faults: await Promise.all(faults.map((fault) => sentence(house, fault))), tally: trail.tally };
}

/** Nothing goes wrong any more, and the lock connects anew. */
async function meetAgain({ site, did }: AccessHouse, lock: number): Promise<void> {
  const handle = site.lock(lock);
  handle.faults.memory.clear();
  // What was ordered and not met yet.
  while (handle.faults.next().kind !== 'none') did('fault not met', lock);
  handle.cutNetwork();
  await site.whenOnline(lock, false);
  handle.restoreNetwork();
  await site.whenOnline(lock);
  await handle.whenEventsAcknowledged();
}

/** With what happened before it, and what the gateway's own log says of this number. */
async function sentence({ site, trail }: AccessHouse, { lock, number, text }: AccessFault): Promise<string> {
  const folder = join(site.dataDir, 'access');
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.jsonl')) continue;
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      if (!line.includes(`"lockId":${site.lockId(lock)},`) || !line.includes(`"number":"${number}"`)) continue;
      trail.note(`log: ${line}`, lock, number, Number(/"recordedAt":(\d+)/.exec(line)?.[1]));
    }
  }
  return [`lock ${lock}, ${number}: ${text}`, ...trail.about(lock, number)].join('\n    ');
}
