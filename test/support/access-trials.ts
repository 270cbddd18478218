// A house in which everything about access goes wrong at once: people get and lose cards and grants, others are at the doors with their
// phones, locks are away, silent, forgetful or new, and the gateway dies. Afterwards each lock must hold what the ledger says.
import { createAccessLedger } from './access-ledger.ts';
import { passcodeKey, sentCredentials } from './lock-traffic.ts';
import type { Random } from './seeded-random.ts';
import { type Answer, type Item, type RequestOptions, type Site, until } from './site.ts';

const access = '/api/v1/access';
const cards = '/api/v1/identity-card';
const year = 31_536_000_000;
/** Well in the future, so that nothing ends meanwhile. */
const ends = [0, Date.UTC(2099, 0, 1), Date.UTC(2099, 0, 1) + year];
const openStatuses = ['pending', 'updating', 'removing', 'unsure', 'failed'];
/** A one-time code that opened, or that a phone or a new board took away, ends in nothing else. */
const doneStatuses = [undefined, 'ended'];

export interface AccessTrialOptions {
  readonly site: Site;
  readonly random: Random;
  /** Locks by number; the first so many have the features of today. */
  readonly locks: number;
  readonly newLocks: number;
  readonly people: number;
  readonly forMs: number;
  /** The gateway dies now and then. */
  readonly dies: boolean;
}

/** What was done, so that a round that did nothing is seen. */
export type Tally = Map<string, number>;

interface CodeOnce {
  readonly lock: number;
  readonly code: string;
  entryId: number | undefined;
  admitted: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves, when all is quiet again, with a sentence for each thing that is not as it must be. */
export async function accessRound(options: AccessTrialOptions): Promise<{ readonly faults: readonly string[]; readonly tally: Tally }> {
  const { site, random, locks: count, newLocks, forMs } = options;
  const ledger = createAccessLedger();
  const tally: Tally = new Map();
  const locks = Array.from({ length: count }, (_, index) => index + 1);
  const codes: CodeOnce[] = [];
  /** Granted and ended while the lock was away. */
  const neverThere: { readonly lock: number; readonly number: string }[] = [];
  /** What a lock says is not what it does, or was so a moment ago. */
  const lies = new Map<number, number>();
  const turns = new Map<number, Promise<unknown>>();
  let serial = 0;
  let over = false;
  let isUp = true;

  const did = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const newNumber = (): string => String(7_000_000 + ++serial);
  const pickLock = (): number => random.pick(locks);
  const some = (): number[] => locks.filter(() => random.chance(0.5));
  const isNew = (lock: number): boolean => lock <= newLocks;
  const liesOf = (lock: number): number => lies.get(lock) ?? 0;

  /** What is done at the door of one lock is done one after the other. */
  function atDoor<T>(lock: number, action: () => Promise<T> | T): Promise<T> {
    const turn = (turns.get(lock) ?? Promise.resolve()).then(action);
    turns.set(
      lock,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /** undefined: nobody answered, and whether it was done is unknown. */
  async function ask(method: string, path: string, request: RequestOptions = {}): Promise<Answer | undefined> {
    try {
      return await site.api(method, path, request);
    } catch (error) {
      if (!['TypeError', 'SyntaxError'].includes((error as Error).name)) throw error;
      return undefined;
    }
  }
  /** Until somebody answers it. */
  async function insist(method: string, path: string, good: readonly (number | string)[], request: RequestOptions = {}): Promise<Answer> {
    for (;;) {
      const answer = isUp ? await ask(method, path, request) : undefined;
      if (answer !== undefined && (good.includes(answer.status) || good.includes(answer.body.code))) return answer;
      if (answer?.body.code === 'storage-unavailable' || (answer !== undefined && answer.status < 500))
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await pause(20);
    }
  }
  const entriesOf = async (lock: number): Promise<readonly Item[] | undefined> =>
    (await ask('GET', `${access}/locks/${site.lockId(lock)}/entries`, { query: { pageSize: 1_000 } }))?.body.list;
  const holds = (lock: number, number: string): boolean => site.lock(lock).memory.cards.some(({ cardNumber }) => cardNumber === number);

  /** Somebody with a phone takes it off, when the gateway is sure that it is there. */
  function takeOff(lock: number, number: string): Promise<void> {
    return atDoor(lock, async () => {
      if (!holds(lock, number)) return;
      const entry = (await entriesOf(lock))?.find((one) => one['number'] === number);
      if (entry?.['status'] !== 'on-lock' || !holds(lock, number) || liesOf(lock) % 2 === 1) return;
      site.lock(lock).forget({ kind: 'card', number });
      ledger.takenOff(lock, number);
      did('taken off at the lock');
    });
  }
  async function lookForMissing(lock: number): Promise<void> {
    for (const entry of (await entriesOf(lock)) ?? []) if (entry['status'] === 'missing') ledger.seen(lock, String(entry['number']));
  }

  async function live(externalId: string): Promise<void> {
    const own = [newNumber(), newNumber()];
    let has: readonly string[] = [];
    let grants: readonly (readonly number[])[] = [];
    let endDate = 0;
    let suspended = false;
    let before = new Set<string>();
    let ids: readonly { readonly grantId: number; readonly lockIds: readonly number[] }[] = [];

    const reach = (): readonly [number, string][] =>
      locks
        .filter((lock) => grants.some((grant) => grant.includes(lock)))
        .flatMap((lock) => has.map((number) => [lock, number] as [number, string]));
    function noted(): void {
      const now = suspended ? [] : reach();
      const keys = new Set(now.map(([lock, number]) => `${lock} ${number}`));
      for (const key of before) if (!keys.has(key)) ledger.unwanted(Number(key.split(' ')[0]), key.split(' ')[1] ?? '');
      for (const [lock, number] of now) ledger.wanted(lock, number, endDate);
      before = keys;
    }
    async function say(): Promise<Answer> {
      const body = {
        name: externalId,
        credentials: has.map((cardNumber) => ({ kind: 'card', cardNumber })),
        grants: grants.map((grant) => ({ lockIds: grant.map((lock) => site.lockId(lock)), endDate })),
      };
      for (const [lock, number] of reach()) ledger.asked(lock, number);
      const answer = await insist('PUT', `${access}/people/external/${externalId}`, [200, 201], { body });
      ids = answer.body['grants'] as typeof ids;
      noted();
      return answer;
    }

    const { body } = await say();
    while (!over) {
      const what = random.below(10);
      if (what < 4) {
        has = own.filter(() => random.chance(0.8));
        grants = [some(), ...(random.chance(0.3) ? [some()] : [])].filter((grant) => grant.length > 0);
        if (grants.length === 2 && String(grants[0]) === String(grants[1])) grants = grants.slice(1);
        if (random.chance(0.3)) endDate = random.pick(ends);
        await say();
        did('person changed');
      } else if (what < 5 && ids.length > 0) {
        const { grantId, lockIds } = random.pick(ids);
        await insist('DELETE', `${access}/grants/${grantId}`, [200, 404]);
        grants = grants.filter((grant) => String(grant.map((lock) => site.lockId(lock))) !== String(lockIds));
        ids = ids.filter((one) => one.grantId !== grantId);
        noted();
        did('grant ended');
      } else if (what < 7) {
        suspended = !suspended;
        await insist('PUT', `${access}/people/${body['personId']}`, [200], { body: { suspended } });
        noted();
        did(suspended ? 'suspended' : 'unsuspended');
      } else if (what < 9) await takeOff(pickLock(), random.pick(own));
      else await lookForMissing(pickLock());
      await pause(random.below(random.chance(0.3) ? 900 : 60));
    }
    // Some are on their locks at the end.
    if (suspended) {
      suspended = false;
      await insist('PUT', `${access}/people/${body['personId']}`, [200], { body: { suspended } });
      noted();
    }
  }

  async function addAtOnce(lock: number, number: string, endDate: number): Promise<number | undefined> {
    const [query, lied] = [
      { lockId: site.lockId(lock), cardNumber: number, method: 'regular', startDate: 0, endDate, addType: 2 },
      liesOf(lock),
    ];
    const answer = isUp ? await ask('POST', `${cards}/add`, { query }) : undefined;
    did(`card added: ${answer?.body.code ?? answer?.status ?? 'no answer'}`);
    if (answer?.status === 200) ledger.wanted(lock, number, endDate);
    // Without an answer it is taken off again, but where it may have been there before.
    const isUnanswered = answer === undefined || answer.body.code === 'lock-timeout';
    if (isUnanswered || lied !== liesOf(lock) || lied % 2 === 1) ledger.open(lock, number);
    return answer?.status === 200 ? answer.body.keyboardPwdId : undefined;
  }
  async function addQueued(lock: number, number: string, endDate: number): Promise<number | undefined> {
    const query = { lockId: site.lockId(lock), cardNumber: number, method: 'regular', startDate: 0, endDate, addType: 2, queue: 1 };
    const answer = await insist('POST', `${cards}/add`, [200, 'card-exists'], { query });
    ledger.wanted(lock, number, endDate);
    did('card added: queued');
    return answer.body.keyboardPwdId ?? (await entriesOf(lock))?.find((one) => one['number'] === number)?.['entryId'];
  }
  async function removed(lock: number, number: string, cardId: number): Promise<void> {
    const [query, lied] = [{ lockId: site.lockId(lock), cardId, deleteType: 2 }, liesOf(lock)];
    if (random.chance(0.5)) {
      await insist('DELETE', `${cards}/delete`, [200, 404], { query: { ...query, queue: 1 } });
      ledger.unwanted(lock, number);
      did('card deleted: queued');
      return;
    }
    const answer = isUp ? await ask('DELETE', `${cards}/delete`, { query }) : undefined;
    did(`card deleted: ${answer?.body.code ?? answer?.status ?? 'no answer'}`);
    if (answer?.status === 200 || answer?.status === 404) ledger.unwanted(lock, number);
    else if (answer?.body.code !== 'lock-offline' && answer?.body.code !== 'lock-busy') ledger.open(lock, number);
    if (lied !== liesOf(lock) || lied % 2 === 1) ledger.open(lock, number);
  }

  /** With the endpoints of the specification, a lock at a time. */
  async function direct(): Promise<void> {
    const mine: { readonly lock: number; readonly number: string; readonly cardId: number }[] = [];
    while (!over) {
      const one = mine.length > 0 && random.chance(0.6) ? random.pick(mine) : undefined;
      if (one === undefined) {
        const [lock, number] = [pickLock(), newNumber()];
        ledger.asked(lock, number);
        const cardId = await (random.chance(0.5) ? addAtOnce : addQueued)(lock, number, random.pick(ends));
        if (cardId !== undefined) mine.push({ lock, number, cardId });
      } else if (random.chance(0.5)) await takeOff(one.lock, one.number);
      else {
        mine.splice(mine.indexOf(one), 1);
        await removed(one.lock, one.number, one.cardId);
      }
      await pause(random.below(120));
    }
  }

  async function openOnce(): Promise<void> {
    while (!over) {
      if (codes.length === 0 || random.chance(0.3)) {
        const one: CodeOnce = {
          lock: 1 + random.below(newLocks),
          code: `${1 + (serial++ % 9)}${40_817 + 7 * serial}`,
          entryId: undefined,
          admitted: 0,
        };
        codes.push(one);
        ledger.asked(one.lock, passcodeKey(one.code));
        const queue = random.below(2);
        const query = { lockId: site.lockId(one.lock), addType: 2, keyboardPwdType: 1, keyboardPwd: one.code, queue };
        const answer = isUp ? await ask('POST', '/api/v1/passcode/add', { query }) : undefined;
        if (answer?.status === 200) one.entryId = answer.body.keyboardPwdId;
        did(`code added: ${answer?.body.code ?? answer?.status ?? 'no answer'}`);
      } else await enter(random.pick(codes.slice(-4)));
      await pause(random.below(200));
    }
  }
  async function enter(one: CodeOnce): Promise<void> {
    if (!(await site.lock(one.lock).enterPasscode(one.code)).done) return;
    one.admitted += 1;
    did('code admitted');
  }

  /** A card that is granted and ended while the lock is away, and never was there. */
  async function grantWhileAway(lock: number): Promise<void> {
    const handle = site.lock(lock);
    handle.cutNetwork();
    const lockId = site.lockId(lock);
    await until(
      async () =>
        (await ask('GET', '/api/v1/gateway/locks', { query: { pageSize: 1_000 } }))?.body.list?.some(
          (one) => one.lockId === lockId && !one.online,
        ) === true,
      'it is away',
    );
    const [number, externalId] = [newNumber(), `away-${serial}`];
    ledger.asked(lock, number);
    const body = { name: externalId, credentials: [{ kind: 'card', cardNumber: number }], grants: [{ lockIds: [lockId] }] };
    await insist('PUT', `${access}/people/external/${externalId}`, [200, 201], { body });
    await pause(random.below(100));
    await insist('PUT', `${access}/people/external/${externalId}`, [200], { body: { ...body, grants: [] } });
    neverThere.push({ lock, number });
    did('granted and ended while away');
  }
  async function mischiefAt(lock: number): Promise<void> {
    const handle = site.lock(lock);
    const what = random.below(20);
    if (what < 8) {
      const kind = random.pick(['lost-reply', 'lost-reply', 'silence', 'disconnect', 'slow', 'refuse'] as const);
      const fault = { kind, ...(kind === 'slow' && { delayMs: 100 }), ...(kind === 'refuse' && { error: 'failed' }) };
      handle.script([fault as Parameters<typeof handle.script>[0][number]]);
      did(kind);
    } else if (what < 13) {
      handle.cutNetwork();
      await pause(random.below(600));
      did('away');
    } else if (what < 14) await grantWhileAway(lock);
    else if (what < 16 && isNew(lock)) {
      lies.set(lock, liesOf(lock) + 1);
      handle.faults.memory.add(random.pick(['forgets', 'keeps', 'wrong-digest']));
      await pause(200 + random.below(600));
      handle.faults.memory.clear();
      lies.set(lock, liesOf(lock) + 1);
      did('lied');
    } else if (what < 17) {
      handle.restoreNetwork();
      ledger.wiped(lock);
      await handle.wipe();
      await handle.whenOnline();
      did('new memory');
    } else if (what < 19) {
      const number = newNumber();
      ledger.learnt(lock, number, 0);
      handle.learn({ kind: 'card', number, startDate: 0, endDate: 0 });
      did('stranger');
    } else {
      const [number] = ledger.strangers(lock).keys();
      if (number === undefined) return;
      handle.forget({ kind: 'card', number });
      ledger.strangers(lock).delete(number);
      did('stranger gone');
    }
    handle.restoreNetwork();
  }
  async function mischief(lock: number): Promise<void> {
    while (!over) {
      await pause(random.below(700));
      await atDoor(lock, () => mischiefAt(lock));
    }
  }
  async function die(): Promise<void> {
    while (!over && options.dies) {
      await pause(500 + random.below(3_000));
      isUp = false;
      await site.kill9();
      await pause(random.below(200));
      await site.start();
      isUp = true;
      did('kill -9');
    }
  }

  async function faultsOfLock(lock: number): Promise<string[]> {
    const all: string[] = [];
    const say = (number: string, text: string): void => void all.push(`lock ${lock}, ${number}: ${text}`);
    const entries = await site.all(`${access}/locks/${site.lockId(lock)}/entries`);
    const { cards: held, passcodes } = site.lock(lock).memory;
    const statusOf = (number: string) => entries.find((one) => one['number'] === number)?.['status'] as string | undefined;
    for (const one of entries) {
      // A used code that the lock does not have any more is called so until the next hello.
      if (one['number'] === null && one['status'] === 'removing') did('code that is off is called removing');
      else if (openStatuses.includes(String(one['status'])))
        say(String(one['number'] ?? one['entryId']), `is ${one['status']} (${one['why'] ?? one['lockError']})`);
    }
    for (const { cardNumber, startDate, endDate } of held) {
      if (ledger.wasAsked(lock, cardNumber)) continue;
      const end = ledger.strangers(lock).get(cardNumber);
      if (end === undefined) say(cardNumber, 'nobody ever wanted it here');
      else if (end !== endDate || startDate !== 0) say(cardNumber, 'a stranger has other dates');
    }
    for (const number of ledger.strangers(lock).keys()) {
      if (!held.some(({ cardNumber }) => cardNumber === number)) say(number, 'a stranger is gone');
      if (statusOf(number) !== 'stranger') say(number, `a stranger is called ${statusOf(number)}`);
    }
    for (const number of ledger.numbers(lock).filter((one) => !one.startsWith('p'))) {
      const [card, status, verdict] = [
        held.find(({ cardNumber }) => cardNumber === number),
        statusOf(number),
        ledger.verdict(lock, number),
      ];
      if (verdict.is === 'there' && (card?.endDate !== verdict.endDate || status !== 'on-lock'))
        say(number, `wanted, and held: ${JSON.stringify(card)}, ${status}`);
      if (verdict.is === 'missing' && (card !== undefined || status !== 'missing'))
        say(number, `taken off at the lock, and held: ${JSON.stringify(card)}, ${status}`);
      if (verdict.is === 'gone' && (card !== undefined || !doneStatuses.includes(status)))
        say(number, `not wanted, and held: ${JSON.stringify(card)}, ${status}`);
      if (verdict.is === 'either' && (card !== undefined) !== ['on-lock', 'stranger'].includes(String(status)))
        say(number, `held: ${JSON.stringify(card)}, and called ${status}`);
    }
    const mine = codes.filter((one) => one.lock === lock);
    for (const { number } of passcodes)
      if (!mine.some(({ code }) => code === number)) say(passcodeKey(number), 'nobody ever wanted this code here');
    for (const { code, entryId, admitted } of mine) {
      const isHeld = passcodes.some(({ number }) => number === code);
      if (isHeld && admitted > 0) say(passcodeKey(code), 'was used, and is there');
      if (admitted > 1) say(passcodeKey(code), `admitted ${admitted} times`);
      const status = entries.find((one) => one['entryId'] === entryId)?.['status'];
      if (entryId !== undefined && isHeld !== (status === 'on-lock')) say(passcodeKey(code), `held: ${isHeld}, and called ${status}`);
    }
    return all;
  }
  function faultsOnWire(): string[] {
    const sent = sentCredentials(site.wire);
    const numberOf = new Map<string, number>(locks.map((lock) => [site.lock(lock).deviceId, lock]));
    const puts = new Map<string, number>();
    const all = sent.flatMap(({ deviceId, op, number }) => {
      const lock = numberOf.get(deviceId) ?? 0;
      if (number.startsWith('p') && op === 'put-credentials') puts.set(number, (puts.get(number) ?? 0) + 1);
      if (ledger.wasStranger(lock, number)) return [`lock ${lock}, ${number}: ${op} of a stranger`];
      if (neverThere.some((one) => one.lock === lock && one.number === number))
        return [`lock ${lock}, ${number}: ${op}, and it was ended while the lock was away`];
      return ledger.wasAsked(lock, number) ? [] : [`lock ${lock}, ${number}: ${op}, and nobody wanted it there`];
    });
    did(`commands: ${sent.length}`);
    return [...all, ...[...puts].filter(([, times]) => times > 1).map(([number, times]) => `${number}: placed ${times} times`)];
  }
  async function whatIsWrong(): Promise<string[]> {
    return (await Promise.all(locks.map(faultsOfLock))).flat();
  }

  /** Those that have not ended yet. */
  const busy = new Set<string>();
  function actor(name: string, act: Promise<void>): Promise<void> {
    busy.add(name);
    return act.finally(() => {
      over = true;
      busy.delete(name);
    });
  }
  const actors = [
    ...Array.from({ length: options.people }, (_, index) => actor(`person ${index}`, live(`P-${random.below(1_000_000)}-${index}`))),
    ...[actor('direct', direct()), actor('direct, too', direct()), actor('codes', openOnce()), actor('kill -9', die())],
    ...locks.map((lock) => actor(`lock ${lock}`, mischief(lock))),
  ];
  await Promise.race([pause(forMs), ...actors]);
  over = true;
  const isOver = until(() => busy.size === 0, 'all rest', 20_000).catch((error) => {
    throw new Error(`${error}: ${[...busy].join(', ')} are busy after ${JSON.stringify([...tally])}`);
  });
  await Promise.race([isOver, Promise.all(actors).then(() => isOver)]);
  await Promise.all(
    locks.map(async (lock) => {
      const handle = site.lock(lock);
      handle.faults.memory.clear();
      // What was ordered and not met yet.
      while (handle.faults.next().kind !== 'none') did('fault not met');
      handle.cutNetwork();
      await site.whenOnline(lock, false);
      handle.restoreNetwork();
      await site.whenOnline(lock);
      await handle.whenEventsAcknowledged();
    }),
  );
  for (const one of codes.slice(-20)) await enter(one);
  await Promise.all(locks.map((lock) => site.lock(lock).whenEventsAcknowledged()));
  await until(async () => (await whatIsWrong()).length === 0, 'all is as it must be', 20_000).catch(() => undefined);
  await pause(300);
  return { faults: [...(await whatIsWrong()), ...faultsOnWire()], tally };
}
