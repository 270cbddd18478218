// People in the house of the access rounds: they get and lose cards and grants, and take cards off locks with their phones.
import { type AccessHouse, access, ends, pause } from './access-house.ts';
import type { Answer } from './site.ts';

/** Somebody with a phone takes the card off the lock, when the gateway is sure that it is there. */
export function takeOff({ site, ledger, did, atDoor, entriesOf, holds, lies }: AccessHouse, lock: number, number: string): Promise<void> {
  return atDoor(lock, async () => {
    if (!holds(lock, number)) return;
    const entry = (await entriesOf(lock))?.find((one) => one['number'] === number);
    if (entry?.['status'] !== 'on-lock' || !holds(lock, number) || lies(lock) % 2 === 1) return;
    site.lock(lock).forget({ kind: 'card', number });
    ledger.takenOff(lock, number);
    did('taken off at the lock', lock, number);
  });
}

/** One person changes until the round is over; resolves when what they want then is known to the gateway. */
export async function livePerson(house: AccessHouse, externalId: string): Promise<void> {
  const { site, random, ledger, trail, did, locks, insist, entriesOf } = house;
  const own = [house.newNumber(), house.newNumber()];
  let has: readonly string[] = [];
  let grants: readonly (readonly number[])[] = [];
  let endDate = 0;
  let suspended = false;
  let before = new Set<string>();
  let ids: readonly { readonly grantId: number; readonly lockIds: readonly number[] }[] = [];

  const some = (): number[] => locks.filter(() => random.chance(0.5));
  const reach = (): readonly [number, string][] =>
    locks
      .filter((lock) => grants.some((grant) => grant.includes(lock)))
      .flatMap((lock) => has.map((number) => [lock, number] as [number, string]));
  function noted(why: string): void {
    const now = suspended ? [] : reach();
    const keys = new Set(now.map(([lock, number]) => `${lock} ${number}`));
    for (const key of before) {
      if (keys.has(key)) continue;
      const [lock = '', number = ''] = key.split(' ');
      ledger.unwanted(Number(lock), number);
      trail.note(`not wanted any more: ${why}`, Number(lock), number);
    }
    for (const [lock, number] of now) {
      ledger.wanted(lock, number, endDate);
      trail.note(`wanted until ${endDate}: ${why}`, lock, number);
    }
    before = keys;
  }
  async function say(): Promise<Answer> {
    const body = {
      name: externalId,
      credentials: has.map((cardNumber) => ({ kind: 'card', cardNumber })),
      grants: grants.map((grant) => ({ lockIds: grant.map((lock) => site.lockId(lock)), endDate })),
    };
    for (const [lock, number] of reach()) {
      ledger.asked(lock, number);
      trail.note('is asked for', lock, number);
    }
    const answer = await insist('PUT', `${access}/people/external/${externalId}`, [200, 201], { body });
    ids = answer.body['grants'] as typeof ids;
    noted('the person is put');
    return answer;
  }
  async function suspend(personId: unknown): Promise<void> {
    suspended = !suspended;
    await insist('PUT', `${access}/people/${personId}`, [200], { body: { suspended } });
    noted(suspended ? 'suspended' : 'unsuspended');
    did(suspended ? 'suspended' : 'unsuspended');
  }
  async function takeOffSomewhere(number: string): Promise<void> {
    const there = locks.filter((lock) => house.holds(lock, number));
    if (there.length > 0) await takeOff(house, random.pick(there), number);
  }
  async function lookForMissing(lock: number): Promise<void> {
    for (const entry of (await entriesOf(lock)) ?? []) if (entry['status'] === 'missing') ledger.seen(lock, String(entry['number']));
  }

  const { body } = await say();
  while (!house.isOver) {
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
      noted('grant ended');
      did('grant ended');
    } else if (what < 7) await suspend(body['personId']);
    else if (what < 9) await takeOffSomewhere(random.pick(own));
    else await lookForMissing(house.pickLock());
    await pause(random.below(random.chance(0.3) ? 900 : 60));
  }
  // Some are on their locks at the end.
  if (suspended) await suspend(body['personId']);
}
