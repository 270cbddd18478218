import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { callers, codeOf, createDomain, lockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, type Replier, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { admin } = callers;
const always = { startDate: 0, endDate: 0 };
const known = ['11', '22', '33'];

/** Lock 7 with three cards on both sides and one that the gateway does not know. */
async function setUp() {
  const cards = known.map((cardNumber, n) => someCard({ cardId: (100 + n) as CardId, cardNumber: `00${cardNumber}` }));
  const domain = await createDomain({ cards });
  const memory = createCardMemory(...[...known, '44'].map((cardNumber) => ({ cardNumber, ...always })));
  domain.link.reply(lockId, memory.replier);
  const listed = () => domain.cards.now(lockId).cards.map(({ cardNumber }) => Number(cardNumber));
  const clear = () => domain.registrationService.remove(admin, lockId, { gone: stays() });
  return { ...domain, memory, listed, clear };
}

/** As `replier` until the n-th card is to be removed; what is done then is said by `at`. */
function untilCard(n: number, replier: Replier, at: Replier): Replier {
  let removals = 0;
  return (command) => {
    if (command.op === 'remove-card') removals += 1;
    return removals >= n ? at(command) : replier(command);
  };
}

describe('removing a lock with its cards cleared (HTTP API 8.1)', () => {
  it('leaves none on it, not those either that the gateway does not know', async () => {
    const { memory, clear, locks } = await setUp();
    expect(await clear()).toMatchObject({ cardsOnLock: 0, removed: { lockId, name: 'door 7' } });
    expect(memory.cards()).toEqual([]);
    expect(locks.get(lockId)).toBeUndefined();
  });

  it('is lock-offline when it is away, and nothing is removed', async () => {
    const { memory, clear, link, locks, storage, listed } = await setUp();
    link.lose(lockId);
    expect(await codeOf(clear)).toBe('lock-offline');
    expect(memory.cards()).toHaveLength(4);
    expect(listed()).toEqual([11, 22, 33]);
    expect(locks.get(lockId)).toBeDefined();
    expect(storage.writes).toEqual([]);
  });

  it('that goes away in the middle forgets what was removed and nothing else, and stays registered', async () => {
    const { memory, clear, link, locks, cards, listed } = await setUp();
    const before = link.session(lockId);
    link.reply(
      lockId,
      untilCard(3, memory.replier, () => {
        queueMicrotask(() => link.lose(lockId));
        return undefined;
      }),
    );
    await expect(clear()).rejects.toMatchObject({ code: 'lock-timeout', message: expect.stringContaining('2 of 4 cards were taken off') });
    expect(before).toBeDefined();
    expect(listed()).toEqual([33]);
    expect(locks.get(lockId)).toBeDefined();
    // Whether the third is gone only the lock knows: it is asked when it is back.
    expect(cards.now(lockId).open).toEqual([{ kind: 'delete', cardId: 102 }]);
    link.connect(lockId, memory.replier);
    await settled();
  });

  it('that refuses one keeps that one and those after it, on both sides', async () => {
    const { memory, clear, link, locks, cards, listed } = await setUp();
    link.reply(
      lockId,
      untilCard(2, memory.replier, () => refusal('busy')),
    );
    await expect(clear()).rejects.toMatchObject({ code: 'lock-refused', lockError: 'busy', message: expect.stringMatching(/^1 of 4 /) });
    expect(listed()).toEqual([22, 33]);
    expect(memory.cards().map(({ cardNumber }) => cardNumber)).toEqual(['22', '33', '44']);
    expect(cards.now(lockId).open).toEqual([]);
    expect(locks.get(lockId)).toBeDefined();
  });

  it('cut off by a crash is reconciled with the lock: a card that it no longer holds is no card any more', async () => {
    const { memory, clear, link, cards, reconciler, listed, storage } = await setUp();
    link.reply(
      lockId,
      untilCard(3, memory.replier, () => undefined),
    );
    void clear().catch(() => undefined);
    await settled();
    // As the next process finds it: two cards gone, an open outcome of each of the three.
    expect(memory.cards()).toHaveLength(2);
    expect(cards.now(lockId).open).toHaveLength(3);
    expect(listed()).toEqual([11, 22, 33]);
    storage.fails = () => true;
    link.lose(lockId);
    await settled();
    storage.fails = () => false;
    link.connect(lockId, memory.replier);
    await reconciler.reconcile(lockId);
    expect(listed()).toEqual([33]);
    expect(cards.now(lockId).open).toEqual([]);
  });
});
