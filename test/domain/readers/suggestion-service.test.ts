import { describe, expect, it } from '@jest/globals';
import { always, type Entry } from '../../../src/domain/credentials/entry.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { GrantedNumber } from '../../../src/domain/people/granted-numbers.ts';
import type { CardWidth, CredentialId, PersonId } from '../../../src/domain/people/person.ts';
import { createSuggestionService } from '../../../src/domain/readers/suggestion-service.ts';
import { sampleEntry, samplePerson } from '../../stores/files/support/samples.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const page = { pageNo: 1, pageSize: 100 };
const manager = { ...callers.manager, accessManager: true };

/** By text: shares nothing with the gateway's arithmetic. */
function reversed(number: string | bigint, width: number): string {
  const digits = BigInt(number)
    .toString(16)
    .padStart(width * 2, '0');
  return String(BigInt(`0x${Buffer.from(digits, 'hex').reverse().toString('hex')}`));
}

const [printed, second] = ['1325672378', '3661413478'];

/** Person 1 has the first card, person 2 the second; both are granted lock 7, and on it as printed. */
async function building(width: CardWidth | null = 4) {
  const domain = await createDomain();
  const { clock, events, locks, entries, people, counters } = domain;
  await domain.accounts.setRights(manager.accountId, { gatewayAdministrator: false, accessManager: true });
  const { personWrites: writes } = domain.peopleServices;
  const granted: GrantedNumber[] = [];
  async function has(personId: number, number: string, placed = number): Promise<Entry> {
    const credentialId = personId as CredentialId;
    const person = samplePerson(personId, { grants: [] });
    const card = { ...person.credentials[0], credentialId, kind: 'card', number, width } as (typeof person.credentials)[number];
    await people.add({ ...person, credentials: [card] });
    granted.push({
      credentialId,
      personId: personId as PersonId,
      name: person.name,
      grantIds: [],
      kind: 'card',
      number,
      width,
      window: always,
    });
    const entry = sampleEntry(200 + personId, lockId, { number: placed, credentialId, direct: null });
    await entries.update(lockId, () => ({ put: [entry] }));
    return entry;
  }
  const ofPerson = (_: LockId, personId: PersonId) => granted.filter((one) => one.personId === personId);
  const suggestions = createSuggestionService({ clock, events, locks, entries, people, writes, counters, granted: { ofPerson } });
  let seq = 0;
  return {
    ...domain,
    suggestions,
    granted,
    has,
    swipe: async (credential: string, event: { success?: boolean; reason?: string } = {}, id: LockId = lockId) => {
      const one = { seq: ++seq, type: 'card-unlock', success: false, reason: 'unknown-card', credential, ...event };
      await domain.reports.events(id, { epoch: 'e', events: [one] });
      await settled();
    },
    list: async () => (await suggestions.list(manager, page)).list,
    orderOf: () => locks.get(lockId)?.readerOrder,
  };
}

describe('a suggestion', () => {
  it('is made of a refused card whose reversed bytes are wanted on this very lock', async () => {
    const { has, swipe, list, clock } = await building();
    await has(1, printed);
    await swipe(reversed(printed, 4));
    const [one] = await list();
    expect(one).toEqual({
      ...{ suggestionId: expect.any(Number), lockId, kind: 'byte-order', cards: 1, swipes: 1, since: clock.now() },
      ...{ readerOrder: 'reverse', directCards: 0 },
    });
  });

  it('counts swipes and cards, and is one for the lock', async () => {
    const { has, swipe, list } = await building();
    await has(1, printed);
    await has(2, second);
    for (const number of [printed, printed, second]) await swipe(reversed(number, 4));
    expect(await list()).toMatchObject([{ cards: 2, swipes: 3 }]);
  });

  it.each([
    ['an attacker’s card that reversed is a card which is nobody’s', reversed('5550009', 4)],
    ['a card that is on the lock itself', printed],
    ['text that is no number', 'abc'],
    ['a number beyond eight bytes', '9'.repeat(40)],
  ])('is not made of %s', async (_what, credential) => {
    const { has, swipe, list } = await building();
    await has(1, printed);
    await swipe(credential);
    expect(await list()).toEqual([]);
  });

  it('is not made of a card that is wanted on another lock alone', async () => {
    const { has, swipe, list } = await building();
    await has(1, printed);
    await swipe(reversed(printed, 4), {}, otherLockId);
    expect(await list()).toEqual([]);
  });

  it('is not made of an entry that nobody wants any more: a grant has ended, or a stranger is on the lock', async () => {
    const { has, swipe, list, granted, entries } = await building();
    const entry = await has(1, printed);
    granted.splice(0);
    await swipe(reversed(printed, 4));
    await entries.update(lockId, () => ({ put: [{ ...entry, credentialId: null, createdBy: '' }] }));
    await swipe(reversed(printed, 4));
    expect(await list()).toEqual([]);
  });

  it('is not made when the number leads to two cards of the lock, because of two widths', async () => {
    const { has, swipe, list } = await building(null);
    const seen = '65536';
    await has(1, reversed(seen, 4));
    await has(2, reversed(seen, 7));
    await swipe(seen);
    expect(await list()).toEqual([]);
  });

  it('is not made of a reversal in another width than that of the card', async () => {
    const { has, swipe, list } = await building(4);
    await has(1, printed);
    await swipe(reversed(printed, 7));
    expect(await list()).toEqual([]);
  });

  it('is not made of a refusal that has another reason', async () => {
    const { has, swipe, list } = await building();
    await has(1, printed);
    await swipe(reversed(printed, 4), { reason: 'not-valid-now' });
    expect(await list()).toEqual([]);
  });

  it('needs two cards once the reader gave a card as it is on the lock, counted from then', async () => {
    const { has, swipe, list } = await building();
    await has(1, printed);
    await has(2, second);
    await swipe(reversed(printed, 4));
    await swipe(second, { success: true });
    expect(await list()).toEqual([]);
    await swipe(reversed(printed, 4));
    expect(await list()).toEqual([]);
    await swipe(reversed(second, 4));
    expect(await list()).toMatchObject([{ cards: 2 }]);
  });

  it('is made of one direct card, also while the reader gives others as they are on the lock: it was given in the wrong byte order', async () => {
    const { has, swipe, list, entries, suggestions, orderOf } = await building();
    await entries.update(lockId, () => ({ put: [sampleEntry(300, lockId, { number: printed })] }));
    await has(2, second);
    await swipe(second, { success: true });
    await swipe(reversed(printed, 4));
    expect(await list()).toHaveLength(1);
    await swipe(printed, { success: true });
    expect(await list()).toEqual([]);
    await swipe(reversed(printed, 4));
    await swipe(second, { success: true });
    const found = await list();
    expect(found).toMatchObject([{ cards: 1, directCards: 1, readerOrder: null }]);
    await suggestions.accept(manager, found[0]?.suggestionId ?? 0);
    expect([entries.inMemory(lockId)?.byNumber('card', reversed(printed, 4))?.direct, orderOf()]).toEqual([always, undefined]);
  });

  it('has an id that no other had, whatever the clock does, and none while no id can be drawn', async () => {
    const { has, swipe, list, clock, suggestions, storage, entries } = await building();
    const entry = await has(1, printed);
    storage.fails = (write) => write === 'counters.suggestionId';
    await swipe(reversed(printed, 4));
    expect(await list()).toEqual([]);
    storage.fails = () => false;
    await swipe(reversed(printed, 4));
    const [first] = await list();
    await suggestions.accept(manager, first?.suggestionId ?? 0);
    clock.setNow(clock.now() - 86_400_000);
    await entries.update(lockId, () => ({ put: [{ ...entry, number: reversed(printed, 4) }] }));
    await swipe(printed);
    const [second] = await list();
    expect(second?.suggestionId).toBeGreaterThan(first?.suggestionId ?? 0);
  });

  it('is told at once, and again with another card, not with each swipe', async () => {
    const { has, swipe, events } = await building();
    const made: number[] = [];
    events.subscribe('suggestion-made', ({ cards }) => void made.push(cards));
    await has(1, printed);
    await has(2, second);
    for (const number of [printed, printed, second, second]) await swipe(reversed(number, 4));
    expect(made).toEqual([1, 2]);
  });

  it('costs a lock that floods the gateway no more than a few looks', async () => {
    const { has, swipe, list, entries } = await building();
    await has(1, printed);
    let looks = 0;
    const { inMemory } = entries;
    entries.inMemory = (id) => {
      looks += 1;
      return inMemory(id);
    };
    for (let n = 0; n < 300; n++) await swipe(String(7_000_000 + n));
    // Names of holders are looked up, too, once for each event; and the whole domain has a service of its own.
    expect(looks).toBeLessThanOrEqual(300 + 2 * 21);
    expect(await list()).toEqual([]);
  });
});

describe('an accepted suggestion', () => {
  it('turns the reader, says that other numbers are wanted, and is over', async () => {
    const { has, swipe, list, suggestions, events, orderOf } = await building();
    const wanted: unknown[] = [];
    events.subscribe('wanted-changed', ({ lockIds }) => void wanted.push(...lockIds));
    await has(1, printed);
    await swipe(reversed(printed, 4));
    const [one] = await list();
    expect(await suggestions.accept(manager, one?.suggestionId ?? 0)).toEqual({ lockId });
    expect([orderOf(), wanted, await list()]).toEqual(['reverse', [lockId], []]);
    expect(await codeOf(() => suggestions.accept(manager, one?.suggestionId ?? 0))).toBe('not-found');
  });

  it('turns a reader back that gives cards as printed after all', async () => {
    const { has, swipe, list, suggestions, orderOf, locks } = await building();
    await locks.update(lockId, (lock) => ({ ...lock, readerOrder: 'reverse' }));
    await has(1, printed, reversed(printed, 4));
    await swipe(printed);
    expect(await list()).toMatchObject([{ readerOrder: 'regular' }]);
    await suggestions.accept(manager, (await list())[0]?.suggestionId ?? 0);
    expect(orderOf()).toBe('regular');
  });

  it('is none when turning the reader would not lead to the number that was read', async () => {
    const { has, swipe, list, locks } = await building();
    await locks.update(lockId, (lock) => ({ ...lock, readerOrder: 'reverse' }));
    await has(1, printed);
    await swipe(reversed(printed, 4));
    expect(await list()).toEqual([]);
  });

  it('learns of how many bytes the card is, when its number alone does not say it', async () => {
    const { has, swipe, list, suggestions, people } = await building(null);
    await has(1, '170');
    await swipe(reversed('170', 7));
    await suggestions.accept(manager, (await list())[0]?.suggestionId ?? 0);
    expect(people.get(1 as PersonId)?.credentials[0]?.width).toBe(7);
  });

  it('gives no card another number at a reader of which the caller is no manager', async () => {
    const { has, swipe, list, suggestions, people, orderOf } = await building(null);
    await has(1, '170');
    const [grant] = samplePerson(1).grants;
    await people.update(1 as PersonId, (one) => ({
      ...one,
      grants: [{ ...(grant as (typeof one.grants)[number]), lockIds: [otherLockId] }],
    }));
    await swipe(reversed('170', 7));
    expect(await codeOf(async () => suggestions.accept(manager, (await list())[0]?.suggestionId ?? 0))).toBe('forbidden');
    expect([people.get(1 as PersonId)?.credentials[0]?.width, orderOf()]).toEqual([null, undefined]);
  });

  it('puts a direct card on the lock under the number that the reader sees, and takes the old one off, in one write', async () => {
    const { swipe, list, suggestions, entries, storage, orderOf } = await building();
    const direct = sampleEntry(300, lockId, { number: printed });
    await entries.update(lockId, () => ({ put: [direct] }));
    await swipe(reversed(printed, 4));
    expect(await list()).toMatchObject([{ cards: 1, directCards: 1, readerOrder: null }]);
    storage.writes.length = 0;
    await suggestions.accept(manager, (await list())[0]?.suggestionId ?? 0);
    expect(storage.writes.filter((write) => write === 'entries.update')).toHaveLength(1);
    const now = entries.inMemory(lockId);
    expect(now?.byNumber('card', printed)).toEqual({ ...direct, direct: null });
    const moved = now?.byNumber('card', reversed(printed, 4));
    expect(moved).toMatchObject({ direct: always, held: null, name: direct.name, managed: true });
    expect([moved?.entryId === direct.entryId, orderOf()]).toEqual([false, undefined]);
  });

  it('leaves a direct card missing that somebody took off the lock', async () => {
    const { swipe, list, suggestions, entries } = await building();
    const missing = sampleEntry(300, lockId, { number: printed, held: null, missing: true, missingSince: 5 });
    await entries.update(lockId, () => ({ put: [missing] }));
    await swipe(reversed(printed, 4));
    await suggestions.accept(manager, (await list())[0]?.suggestionId ?? 0);
    expect(entries.inMemory(lockId)?.byNumber('card', reversed(printed, 4))).toMatchObject({ missing: true, missingSince: 5 });
  });

  it('is for access managers who are manager on the lock', async () => {
    const { has, swipe, list, suggestions, orderOf } = await building();
    await has(1, printed);
    await swipe(reversed(printed, 4));
    const id = (await list())[0]?.suggestionId ?? 0;
    const operator = { ...callers.operator, accessManager: true };
    expect((await suggestions.list(operator, page)).list).toEqual([]);
    for (const caller of [callers.manager, operator]) expect(await codeOf(() => suggestions.accept(caller, id))).toBe('forbidden');
    expect(orderOf()).toBeUndefined();
  });
});
