// What goes wrong in the house of the access rounds: locks that are away, silent, forgetful or new, strangers at the doors, and the death of the
// gateway.
import { type AccessHouse, access, pause } from './access-house.ts';
import { until } from './site.ts';

const faults = ['lost-reply', 'lost-reply', 'silence', 'disconnect', 'slow', 'refuse'] as const;

/** At one lock, until the round is over. */
export async function mischiefAtLock(house: AccessHouse, lock: number): Promise<void> {
  while (!house.isOver) {
    await pause(house.random.below(700));
    await house.atDoor(lock, () => mischief(house, lock));
  }
}

async function mischief(house: AccessHouse, lock: number): Promise<void> {
  const { site, random, ledger, did, newNumber } = house;
  const handle = site.lock(lock);
  const what = random.below(20);
  if (what < 8) {
    const kind = random.pick(faults);
    if (kind === 'slow') handle.script([{ kind, delayMs: 100 }]);
    else if (kind === 'refuse') handle.script([{ kind, error: 'failed' }]);
    else handle.script([{ kind }]);
    did(kind, lock);
  } else if (what < 13) {
    did('away', lock);
    handle.cutNetwork();
    await pause(random.below(600));
  } else if (what < 14) await grantWhileAway(house, lock);
  else if (what < 16 && house.hasFeatures(lock)) await lieForAWhile(house, lock);
  else if (what < 17) await newMemory(house, lock);
  else if (what < 19) {
    const number = newNumber();
    ledger.learnt(lock, number, 0);
    handle.learn({ kind: 'card', number, startDate: 0, endDate: 0 });
    did('stranger', lock, number);
  } else {
    const [number] = ledger.strangers(lock).keys();
    if (number === undefined) return;
    handle.forget({ kind: 'card', number });
    ledger.strangers(lock).delete(number);
    did('stranger gone', lock, number);
  }
  handle.restoreNetwork();
}

/** A card that is granted and ended while the lock is away, and never was there. */
async function grantWhileAway({ site, random, ledger, neverThere, did, insist, ask, newNumber }: AccessHouse, lock: number): Promise<void> {
  site.lock(lock).cutNetwork();
  const lockId = site.lockId(lock);
  const isAway = async (): Promise<boolean> => {
    const answer = await ask('GET', '/api/v1/gateway/locks', { query: { pageSize: 1_000 } });
    return answer?.body.list?.some((one) => one.lockId === lockId && !one.online) === true;
  };
  await until(isAway, 'it is away');
  const number = newNumber();
  const externalId = `away-${number}`;
  ledger.asked(lock, number);
  const body = { name: externalId, credentials: [{ kind: 'card', cardNumber: number }], grants: [{ lockIds: [lockId] }] };
  await insist('PUT', `${access}/people/external/${externalId}`, [200, 201], { body });
  await pause(random.below(100));
  await insist('PUT', `${access}/people/external/${externalId}`, [200], { body: { ...body, grants: [] } });
  neverThere.push({ lock, number });
  did('granted and ended while away', lock, number);
}

async function lieForAWhile({ site, random, did, turnLies }: AccessHouse, lock: number): Promise<void> {
  const { faults: of } = site.lock(lock);
  const lie = random.pick(['forgets', 'keeps', 'wrong-digest'] as const);
  turnLies(lock);
  did(`lies: ${lie}`, lock);
  of.memory.add(lie);
  await pause(200 + random.below(600));
  of.memory.clear();
  turnLies(lock);
  did('lied', lock);
}

async function newMemory({ site, ledger, did }: AccessHouse, lock: number): Promise<void> {
  const handle = site.lock(lock);
  handle.restoreNetwork();
  ledger.wiped(lock);
  did('new memory', lock);
  await handle.wipe();
  await handle.whenOnline();
}

/** Until the round is over. */
export async function killGateway(house: AccessHouse): Promise<void> {
  const { site, random, trail, did } = house;
  while (!house.isOver) {
    // However slow the machine is, something is done between two deaths.
    const before = house.things();
    const next = 10 + random.below(60);
    await until(() => house.isOver || house.things() >= before + next, 'something is done');
    house.isUp = false;
    did('kill -9');
    trail.note('kill -9');
    await site.kill9();
    await pause(random.below(200));
    await site.start();
    house.isUp = true;
    trail.note('up again');
  }
}
