// What is done to a link around an unlock, and what of the unlock reached the device afterwards.
import type { Random } from '../support/seeded-random.ts';
import { type Cell, gatewayTtlMs, type Heard, now, type Outcome } from './links-cell.ts';
import type { Break } from './links-network.ts';

export interface Trial {
  readonly subject: string;
  readonly what: 'cut' | 'gateway killed' | 'gateway killed, device silent' | 'device killed';
  readonly breaks: Break;
  readonly tls: boolean;
  readonly end: 'reset' | 'destroy';
  readonly outcome: Outcome;
  /**
   * The link was back later than 3 s after the connection was over: the kernel keeps what it cannot address for so long, and until then it has
   * written it again and again.
   */
  readonly isLongCut: boolean;
  /** Bytes of the unlock that came to the device when the link was back, and its caller had long been told that it failed. */
  readonly lateBytes: number;
  /** The device's own TCP had them before the link was cut, and its process, starved, found them when the caller had been told. */
  readonly slowBytes: number;
}

/** The kernel gives up the address of a neighbour after three questions, one each second. */
const addressMs = 3_050;
/** By then a connection that lives on has tried again at 0.2, 0.6, 1.4, 3 and 6.2 s. */
const watchedMs = 7_500;
/** What the kernel could not address goes out with the next question for the address. */
const releasedMs = 2_500;
/** Until all that a login brings is acknowledged. */
const restMs = 1_000;
const loginMs = 60_000;
/** Both sides may have doubled their waits up to 26 s. */
const recoveryMs = 60_000;
let lastId = 0;

/** Waits until the condition holds, or the time is over. */
async function within(ms: number, condition: () => boolean): Promise<boolean> {
  const until = now() + ms;
  while (!condition()) {
    if (now() > until) return false;
    await sleep(5);
  }
  return true;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
const sum = (heard: readonly Heard[]) => heard.reduce((all, { bytes }) => all + bytes, 0);

/** All devices of the cell are there, and their connections work. */
export async function online(cell: Cell): Promise<void> {
  const { links } = cell.options;
  const isThere = await Promise.all(links.map((link) => within(loginMs, () => cell.logins(link) > 0)));
  if (isThere.includes(false)) throw new Error('a device did not log in');
}

/** After a link was cut: resolves when its device answers again, on the old connection or a new one. */
async function recover(cell: Cell, link: number): Promise<void> {
  for (const until = now() + recoveryMs; now() < until; ) {
    cell.speak(link);
    const id = ++lastId;
    cell.unlock(link, { id, ttlMs: 2_000 });
    await within(2_500, () => cell.outcome(id) !== undefined);
    if (cell.outcome(id)?.outcome === 'ok') return;
    await sleep(200);
  }
  throw new Error(`the device of link ${link} did not come back`);
}

interface Facts extends Pick<Trial, 'isLongCut'> {
  readonly id: number;
  /** When a side was killed; Infinity when none was. */
  readonly deadAt: number;
  /** When the link was back. */
  readonly healedAt: number;
}

function trialOf(what: Trial['what'], cell: Cell, link: number, facts: Facts): Trial {
  const { id, deadAt, healedAt, isLongCut } = facts;
  const ended = cell.outcome(id);
  const heard = cell.heard(id);
  const overAt = Math.min(deadAt, ended?.outcome === 'ok' ? Number.POSITIVE_INFINITY : (ended?.at ?? Number.POSITIVE_INFINITY));
  const { tls, end, network, make = 'broker' } = cell.options;
  return {
    ...{ subject: make, what, tls, end, isLongCut, breaks: network.breakOf(link), outcome: ended?.outcome },
    lateBytes: sum(heard.filter(({ at }) => at > overAt && at >= healedAt)),
    slowBytes: sum(heard.filter(({ at }) => at > overAt && at < healedAt)),
  };
}

/** The link is cut at a random moment around an unlock, the deadline passes, and the link comes back. */
export async function cutTrial(cell: Cell, link: number, random: Random): Promise<Trial> {
  const { network } = cell.options;
  const wantsLong = random.below(10) > 0;
  const ttlMs = cell.options.make === undefined ? 150 + random.below(400) : gatewayTtlMs;
  const aheadMs = random.below(120) - 60;
  const id = ++lastId;
  const unlock = () => cell.unlock(link, { id, ttlMs });
  const cut = () => network.cut(link);
  for (const act of aheadMs > 0 ? [cut, unlock] : [unlock, cut]) {
    act();
    await sleep(Math.abs(aheadMs));
  }
  const askedAt = now();
  await within(ttlMs + 5_000, () => cell.outcome(id) !== undefined);
  const over = cell.outcome(id)?.at ?? now();
  // A gateway that was busy has written it later than it was asked to.
  const writtenAt = Math.max(askedAt, over - ttlMs);
  await sleep(over + (wantsLong ? addressMs + random.below(2_000) : random.below(addressMs)) - now());
  const healedAt = now();
  const isLongCut = healedAt - over >= addressMs;
  network.heal(link);
  await sleep(Math.max(writtenAt + watchedMs, healedAt + releasedMs) - now());
  const trial = trialOf('cut', cell, link, { id, isLongCut, healedAt, deadAt: Number.POSITIVE_INFINITY });
  await recover(cell, link);
  return trial;
}

/** The link dies while nothing is said, or on its way: milliseconds until the gateway knows that; undefined after half a minute. */
export async function silenceTrial(cell: Cell, link: number): Promise<number | undefined> {
  await sleep(restMs);
  const cutAt = now();
  cell.options.network.cut(link);
  const isLost = await within(30_000, () => (cell.lostAt(link) ?? 0) > cutAt);
  cell.options.network.heal(link);
  return isLost ? (cell.lostAt(link) ?? 0) - cutAt : undefined;
}

/**
 * All links of the cell are cut, an unlock is asked for on each, and one side is killed and started again before they come back. `silentMs`: the
 * devices have been silent for longer than a command allows.
 */
export async function killTrials(cell: Cell, side: 'gateway' | 'devices', random: Random, silentMs = 0): Promise<readonly Trial[]> {
  const { network, links } = cell.options;
  const ids = new Map(links.map((link) => [link, ++lastId]));
  for (const link of links) network.cut(link);
  await sleep(20 + silentMs);
  const fresh = silentMs > 0 ? { freshMs: silentMs } : {};
  for (const [link, id] of ids) cell.unlock(link, { id, ttlMs: 2_500, ...fresh });
  await sleep(5 + random.below(silentMs > 0 ? 1_200 : 800));
  await cell.kill(side);
  const killedAt = now();
  if (side === 'gateway') await cell.startGateway();
  else cell.startDevices();
  await sleep(killedAt + addressMs + random.below(1_500) - now());
  const healedAt = now();
  for (const link of links) network.heal(link);
  await sleep(killedAt + watchedMs - now());
  const what = side === 'devices' ? 'device killed' : silentMs > 0 ? 'gateway killed, device silent' : 'gateway killed';
  const trials = [...ids].map(([link, id]) => trialOf(what, cell, link, { id, isLongCut: true, healedAt, deadAt: killedAt }));
  await Promise.all(links.map((link) => recover(cell, link)));
  return trials;
}
