import { describe, expect, it } from '@jest/globals';
import type { PersonId } from '../../../src/domain/people/person.ts';
import { callers, codeOf, createDomain, lockId, someCard, stays } from '../../support/domain.ts';
import { someEntry } from '../../support/entries.ts';
import { createCardMemory } from '../../support/fake-link.ts';

const { manager } = callers;
const always = { startDate: 0, endDate: 0 };
const newCard = { cardNumber: '42', byteOrder: 'regular', name: 'red', ...always } as const;

async function setUp() {
  const domain = await createDomain({ cards: [someCard()], online: false });
  await domain.reconciler.start();
  const memory = createCardMemory({ cardNumber: someCard().cardNumber, ...always });
  /** The lock comes online and all is done. */
  const comes = async () => {
    domain.link.connect(lockId, memory.replier);
    void domain.reconciler.reconcile(lockId);
    for (let round = 0; round < 30; round++) await domain.clock.advance(10);
  };
  const onLock = () => memory.cards().map(({ cardNumber }) => cardNumber);
  return { ...domain, memory, comes, onLock };
}

describe('a card that waits for its lock', () => {
  it('is in no list until the lock has it, and is there when the lock comes', async () => {
    const { cardService, cards, comes, onLock } = await setUp();
    const cardId = await cardService.add(manager, lockId, newCard, 'queue', stays());
    expect(cards.now(lockId).cards).toEqual([someCard()]);
    await comes();
    expect(onLock()).toEqual([someCard().cardNumber, '42']);
    expect(cards.now(lockId).cards.map((card) => card.cardId)).toContain(cardId);
  });

  it('that is taken back before is never sent', async () => {
    const { cardService, comes, link } = await setUp();
    const cardId = await cardService.add(manager, lockId, newCard, 'queue', stays());
    await cardService.remove(manager, lockId, cardId, 'queue', stays());
    await comes();
    expect(link.ops().filter((op) => op.endsWith('-card'))).toEqual([]);
  });

  it('is given up without the lock, by whoever deletes it', async () => {
    for (const via of ['gateway', 'phone'] as const) {
      const { cardService, comes, link } = await setUp();
      const cardId = await cardService.add(manager, lockId, newCard, 'queue', stays());
      await cardService.remove(manager, lockId, cardId, via, stays());
      await comes();
      expect(link.ops().filter((op) => op.endsWith('-card'))).toEqual([]);
    }
  });

  it('is given up, or gets other dates, while nobody knows whether the lock has it', async () => {
    const later = { startDate: 0, endDate: 9e12 };
    for (const what of ['remove', 'change'] as const) {
      const { cardService, clock, link, memory, reconciler } = await setUp();
      const cardId = await cardService.add(manager, lockId, newCard, 'queue', stays());
      // The lock does not get the first command with the card.
      let isDeaf = true;
      link.connect(lockId, (command) => {
        if (!isDeaf || command.op !== 'add-card') return memory.replier(command);
        isDeaf = false;
        return undefined;
      });
      void reconciler.reconcile(lockId);
      for (let round = 0; round < 10; round++) await clock.advance(10);
      expect(isDeaf).toBe(false);
      const asked = codeOf(async () =>
        what === 'remove'
          ? cardService.remove(manager, lockId, cardId, 'gateway', stays())
          : cardService.changeValidity(manager, lockId, cardId, later, 'gateway', stays()),
      );
      for (let round = 0; round < 20; round++) await clock.advance(1_000);
      expect(await asked).toBe('done');
      const there = memory.cards().filter(({ cardNumber }) => cardNumber === '42');
      expect(there).toEqual(what === 'remove' ? [] : [{ cardNumber: '42', ...later }]);
    }
  });

  it('is stored as an entry and nothing else, so that it can be read again', async () => {
    const { cardService, entries } = await setUp();
    const cardId = await cardService.add(manager, lockId, newCard, 'queue', stays());
    const stored = (await entries.of(lockId)).byId(cardId);
    expect(Object.keys(stored ?? {}).sort()).toEqual(Object.keys(someEntry(41)).sort());
  });

  it('is changed and removed as soon as the lock can', async () => {
    const { cardService, comes, memory, onLock } = await setUp();
    const { cardId } = someCard();
    await cardService.changeValidity(manager, lockId, cardId, { startDate: 0, endDate: 9e12 }, 'queue', stays());
    await comes();
    expect(memory.cards()).toMatchObject([{ endDate: 9e12 }]);
    await cardService.remove(manager, lockId, cardId, 'queue', stays());
    await comes();
    expect(onLock()).toEqual([]);
  });

  it('of a number that somebody wants there already is card-exists', async () => {
    const { cardService } = await setUp();
    await cardService.add(manager, lockId, newCard, 'queue', stays());
    expect(await codeOf(() => cardService.add(manager, lockId, newCard, 'queue', stays()))).toBe('card-exists');
  });
});

describe('a card that a grant wants', () => {
  it('is neither changed nor removed, by whatever way', async () => {
    const { cardService, entries, people } = await setUp();
    const credential = { credentialId: 12, kind: 'card', number: '777', width: null, name: '', ...always, lost: null, once: false };
    const grant = { grantId: 3, lockIds: [lockId], groupIds: [], ...always, scheduleId: null, excluded: [] };
    const made = { createdAt: 1, createdBy: 'ada' };
    await people.add({
      ...{ personId: 5 as PersonId, externalId: null, name: 'Erika', note: '', suspended: false, removed: false, ...made },
      credentials: [{ ...credential, ...made }],
      grants: [{ ...grant, ...made }],
    } as unknown as Parameters<typeof people.add>[0]);
    const entry = someEntry(41, { number: '777', credentialId: 12, direct: null });
    await entries.update(lockId, () => ({ put: [entry] }));
    for (const via of ['phone', 'gateway', 'queue'] as const) {
      await expect(cardService.remove(manager, lockId, entry.entryId, via, stays())).rejects.toMatchObject({
        code: 'granted',
        grantIds: [3],
      });
      await expect(cardService.changeValidity(manager, lockId, entry.entryId, always, via, stays())).rejects.toMatchObject({
        code: 'granted',
      });
    }
  });
});
