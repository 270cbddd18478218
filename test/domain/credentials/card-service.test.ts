import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import type { NewCard } from '../../../src/domain/credentials/card-service.ts';
import { callers, codeOf, createDomain, lockId, noLockId, otherLockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, ok, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { manager, operator } = callers;
const card = someCard();
const { cardId } = card;
const period = { startDate: 1_000, endDate: 2_000 };

function newCard(changes: Partial<NewCard> = {}): NewCard {
  return { cardNumber: '42', byteOrder: 'regular', name: 'red', startDate: 0, endDate: 0, ...changes };
}

describe('adding a card', () => {
  it.each([
    ['the same digits', newCard({ cardNumber: '1325672378' })],
    ['leading zeros', newCard({ cardNumber: '0001325672378' })],
    ['bytes reversed to the same', newCard({ cardNumber: '3123119183', byteOrder: 'reverse' })],
  ])('is card-exists for a number that is on that lock already: %s (HTTP API 6.2)', async (_what, twin) => {
    const { cardService, link, cards } = await createDomain({ cards: [card] });
    for (const via of ['gateway', 'phone'] as const) {
      expect(await codeOf(() => cardService.add(manager, lockId, twin, via, stays()))).toBe('card-exists');
    }
    expect(link.sent).toEqual([]);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it.each(['phone', 'gateway'] as const)(
    'says that another card has the number after its bytes are reversed (HTTP API 6.2, %s)',
    async (via) => {
      const { cardService } = await createDomain({ cards: [someCard({ cardNumber: '65536' })] });
      const add = cardService.add(manager, lockId, newCard({ cardNumber: '256', byteOrder: 'reverse' }), via, stays());
      await expect(add).rejects.toMatchObject({ code: 'card-exists', message: expect.stringContaining('after its bytes are reversed') });
    },
  );

  it('knows the lock only: the same number on another lock is another card (HTTP API 4)', async () => {
    const { cardService, cards } = await createDomain({ cards: [card] });
    await cardService.add(callers.administrator, otherLockId, newCard({ cardNumber: card.cardNumber }), 'phone', stays());
    expect(cards.now(otherLockId).cards).toHaveLength(1);
  });

  it('shows the digits given, leading zeros too, and sends the lock the number without them (HTTP API 6.2)', async () => {
    const { cardService, cards, link } = await createDomain();
    link.reply(lockId, () => ok);
    await cardService.add(manager, lockId, newCard({ cardNumber: '000042' }), 'gateway', stays());
    expect(cards.now(lockId).cards).toMatchObject([{ cardNumber: '000042' }]);
    expect(link.sent).toMatchObject([{ command: { op: 'add-card', cardNumber: '42' } }]);
  });

  it('sends and keeps the reversed number (Specification 4.2 rule 3)', async () => {
    const { cardService, cards, link } = await createDomain();
    link.reply(lockId, () => ok);
    await cardService.add(manager, lockId, newCard({ cardNumber: '1325672378', byteOrder: 'reverse' }), 'gateway', stays());
    expect(cards.now(lockId).cards).toMatchObject([{ cardNumber: '3123119183' }]);
    expect(link.sent).toMatchObject([{ command: { cardNumber: '3123119183' } }]);
  });

  it('never gives the id of a failed add again (Decision 7)', async () => {
    const { cardService, link } = await createDomain();
    link.reply(lockId, () => refusal('no-space'));
    expect(await codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()))).toBe('lock-refused');
    link.reply(lockId, () => ok);
    expect(await cardService.add(manager, lockId, newCard(), 'gateway', stays())).toBe(1_002);
  });

  it('answers with the cardId under which the card is found (HTTP API 6.2)', async () => {
    const { cardService, clock } = await createDomain();
    const id = await cardService.add(manager, lockId, newCard(), 'phone', stays());
    expect(cardService.detail(manager, lockId, id)).resolves.toEqual({
      cardId: id,
      lockId,
      cardNumber: '42',
      name: 'red',
      startDate: 0,
      endDate: 0,
      createdAt: clock.now(),
      createdBy: 'max',
    });
  });

  it('refuses a validity that ends before it begins or in the past, and takes one that ends now (HTTP API 6 and 6.2)', async () => {
    const { cardService, clock } = await createDomain();
    const now = clock.now();
    const add = (startDate: number, endDate: number) =>
      codeOf(() => cardService.add(manager, lockId, newCard({ cardNumber: String(endDate), startDate, endDate }), 'phone', stays()));
    expect(await add(now + 2, now + 1)).toBe('invalid-parameter');
    expect(await add(0, now - 1)).toBe('invalid-parameter');
    expect(await add(0, now)).toBe('done');
    expect(await add(now + 5, now + 5)).toBe('done');
    // An open end: from then on for ever.
    expect(await add(now + 2, 0)).toBe('done');
  });

  it('is storage-unavailable, with nothing sent, when no id can be drawn (HTTP API 4)', async () => {
    const { cardService, storage, link, cards } = await createDomain();
    storage.fails = (write) => write === 'counters.cardId';
    expect(await codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()))).toBe('storage-unavailable');
    expect(link.sent).toEqual([]);
    expect(cards.now(lockId)).toEqual({ cards: [], open: [] });
  });

  it('adds one of two that are asked for at the same moment (HTTP API 6.2 card-exists)', async () => {
    const { cardService, cards, link } = await createDomain();
    link.reply(lockId, () => ok);
    const add = () => codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()));
    expect((await Promise.all([add(), add()])).sort()).toEqual(['card-exists', 'done']);
    expect(cards.now(lockId).cards).toHaveLength(1);
  });
});

describe('what a phone is said to have done', () => {
  const entryOf = ({ entries }: Awaited<ReturnType<typeof createDomain>>, number = card.cardNumber) =>
    entries.inMemory(lockId)?.byNumber('card', number);

  it('is noted: the gateway neither sends nor removes such a card by itself (HTTP API 6)', async () => {
    const domain = await createDomain();
    const added = await domain.cardService.add(manager, lockId, newCard(), 'phone', stays());
    expect(entryOf(domain, '42')).toMatchObject({ entryId: added, managed: false, held: { sure: true, basis: 'phone' } });
    await domain.cardService.changeValidity(manager, lockId, added, period, 'phone', stays());
    expect(entryOf(domain, '42')).toMatchObject({ managed: false, direct: period, held: { window: period, basis: 'phone' } });
    await domain.cardService.remove(manager, lockId, added, 'phone', stays());
    expect(entryOf(domain, '42')).toBeUndefined();
    expect(domain.link.sent).toEqual([]);
  });

  it('ends when the lock has taken the card from the gateway itself: that one is seen (HTTP API 6.3)', async () => {
    const domain = await createDomain();
    domain.link.reply(lockId, () => ok);
    const added = await domain.cardService.add(manager, lockId, newCard(), 'phone', stays());
    await domain.cardService.changeValidity(manager, lockId, added, period, 'gateway', stays());
    expect(entryOf(domain, '42')).toMatchObject({
      managed: true,
      direct: period,
      held: { sure: true, basis: 'reply', commandId: expect.any(String) },
    });
  });

  it('takes a card that the lock is known to hold from its list, and leaves it to people what is on the lock (HTTP API 6.5)', async () => {
    const domain = await createDomain({ cards: [card] });
    await domain.cardService.remove(manager, lockId, cardId, 'phone', stays());
    expect(domain.cards.now(lockId)).toEqual({ cards: [], open: [] });
    expect(entryOf(domain)).toMatchObject({
      entryId: cardId,
      direct: null,
      name: '',
      createdBy: '',
      held: { sure: true, window: { startDate: 0 } },
    });
    expect(await codeOf(() => domain.cardService.detail(manager, lockId, cardId))).toBe('card-not-found');
    expect(domain.link.sent).toEqual([]);
  });

  it.each(['phone', 'gateway'] as const)('may be followed by an add of the same number, which then has the new name (%s)', async (via) => {
    const domain = await createDomain({ cards: [card] });
    domain.link.reply(lockId, () => ok);
    await domain.cardService.remove(manager, lockId, cardId, 'phone', stays());
    const again = await domain.cardService.add(manager, lockId, newCard({ cardNumber: card.cardNumber }), via, stays());
    expect(domain.cards.now(lockId).cards).toMatchObject([{ cardId: again, name: 'red', createdBy: 'max' }]);
    expect(entryOf(domain)).toMatchObject({ entryId: again, managed: via === 'gateway' });
  });

  it('leaves a stranger a stranger when the add of its number is refused or has no answer (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    await domain.cardService.remove(manager, lockId, cardId, 'phone', stays());
    const before = entryOf(domain);
    const add = () => codeOf(() => domain.cardService.add(manager, lockId, newCard({ cardNumber: card.cardNumber }), 'gateway', stays()));
    domain.link.reply(lockId, () => refusal('no-space'));
    expect(await add()).toBe('lock-refused');
    expect(entryOf(domain)).toEqual(before);
    domain.link.reply(lockId, () => undefined);
    const code = add();
    await domain.clock.advance(10_000);
    expect(await code).toBe('lock-timeout');
    expect(entryOf(domain)).toMatchObject({ createdBy: '', direct: null, held: { sure: false } });
    expect(domain.cards.now(lockId).cards).toEqual([]);
  });
});

describe('other things about cards', () => {
  it('an unknown card is card-not-found, also that of another lock (HTTP API 4)', async () => {
    const { cardService, link } = await createDomain({ cards: [card] });
    const unknown = 5 as CardId;
    const { administrator } = callers;
    for (const [id, lock] of [
      [unknown, lockId],
      [cardId, otherLockId],
    ] as const) {
      expect(await codeOf(() => cardService.detail(administrator, lock, id))).toBe('card-not-found');
      expect(await codeOf(() => cardService.rename(administrator, lock, id, 'x'))).toBe('card-not-found');
      for (const via of ['phone', 'gateway'] as const) {
        expect(await codeOf(() => cardService.changeValidity(administrator, lock, id, period, via, stays()))).toBe('card-not-found');
        expect(await codeOf(() => cardService.remove(administrator, lock, id, via, stays()))).toBe('card-not-found');
      }
    }
    expect(link.sent).toEqual([]);
  });

  it('a card that is removed twice at the same moment is card-not-found for the second (HTTP API 4)', async () => {
    const { cardService, link } = await createDomain({ cards: [card] });
    link.reply(lockId, () => ok);
    const remove = () => codeOf(() => cardService.remove(manager, lockId, cardId, 'gateway', stays()));
    expect(await Promise.all([remove(), remove()])).toEqual(['done', 'card-not-found']);
    expect(link.ops()).toEqual(['remove-card']);
  });

  it('a validity that ends before it begins is refused, and one in the past is not (HTTP API 6)', async () => {
    const { cardService, link } = await createDomain({ cards: [card] });
    const change = (startDate: number, endDate: number) =>
      codeOf(() => cardService.changeValidity(manager, lockId, cardId, { startDate, endDate }, 'phone', stays()));
    expect(await change(2_000, 1_000)).toBe('invalid-parameter');
    expect(await change(1_000, 2_000)).toBe('done');
    expect(await change(1_000, 0)).toBe('done');
    expect(link.sent).toEqual([]);
  });

  it('renaming concerns only the gateway (HTTP API 6.4)', async () => {
    const { cardService, cards, link } = await createDomain({ cards: [card], online: false });
    await cardService.rename(manager, lockId, cardId, 'green');
    expect(cards.now(lockId).cards).toEqual([{ ...card, name: 'green' }]);
    expect(link.sent).toEqual([]);
  });

  it('the list is by cardId ascending, whatever the order of completion (HTTP API 6.1)', async () => {
    const { cardService } = await createDomain({ cards: [someCard({ cardId: 2_000 as CardId })] });
    await cardService.add(manager, lockId, newCard(), 'phone', stays());
    const { list, total } = await cardService.list(manager, lockId, { pageNo: 1, pageSize: 10 });
    expect(list.map((listed) => listed.cardId)).toEqual([1_001, 2_000]);
    expect(total).toBe(2);
  });

  it('the cards on the lock are asked for page by page, each known or not (HTTP API 6.7)', async () => {
    const { cardService, link } = await createDomain({ cards: [card] });
    const strangers = Array.from({ length: 204 }, (_, n) => ({ cardNumber: String(n + 1), startDate: 0, endDate: 0 }));
    link.reply(lockId, createCardMemory(...strangers, { cardNumber: '1325672378', startDate: 0, endDate: 0 }).replier);
    const { list, total } = await cardService.onLock(manager, lockId, { pageNo: 3, pageSize: 100 }, stays());
    const known = (cardNumber: string, isKnown: boolean) => ({ cardNumber, startDate: 0, endDate: 0, known: isKnown });
    expect([list, total]).toEqual([
      [...['201', '202', '203', '204'].map((number) => known(number, false)), known('1325672378', true)],
      205,
    ]);
    expect(link.sent.map(({ command }) => command)).toEqual([0, 100, 200].map((offset) => ({ op: 'list-cards', offset, limit: 100 })));
  });

  it('the cards on the lock are not shown to somebody who lost the role while it was asked (HTTP API 3)', async () => {
    const { cardService, link, locks } = await createDomain({ cards: [card] });
    const code = codeOf(() => cardService.onLock(manager, lockId, { pageNo: 1, pageSize: 10 }, stays()));
    await settled();
    await locks.update(lockId, (lock) => ({ ...lock, roles: [] }));
    link.sent[0]?.answer({ kind: 'ok', listing: { cards: [], total: 0 } });
    expect(await code).toBe('forbidden');
  });

  it('a card that the lock has taken and the gateway cannot keep is taken off the lock at once (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain();
    domain.evidence.heard(domain.commands.session(lockId), []);
    const memory = createCardMemory();
    domain.link.reply(lockId, (command) => {
      domain.storage.fails = (write) => command.op === 'add-card' && write === 'entries.update';
      return memory.replier(command);
    });
    expect(await codeOf(() => domain.cardService.add(manager, lockId, newCard(), 'gateway', stays()))).toBe('storage-unavailable');
    await settled();
    expect(domain.link.ops()).toEqual(['add-card', 'list-cards', 'remove-card']);
    expect(domain.cards.now(lockId)).toEqual({ cards: [], open: [] });
  });

  it('a door goes in between the commands of card changes (Protocol 5.4 rule 1)', async () => {
    const { cardService, lockService, link } = await createDomain({ cards: [card] });
    const changing = ['1', '2'].map((cardNumber) => cardService.add(manager, lockId, newCard({ cardNumber }), 'gateway', stays()));
    await settled();
    const opened = lockService.setBolt(operator, lockId, 'unlocked', stays());
    for (let n = 0; n < 3; n++) {
      link.sent[n]?.answer(ok);
      await settled();
    }
    expect(link.ops()).toEqual(['add-card', 'unlock', 'add-card']);
    await Promise.all([...changing, opened]);
  });

  it('a lock is removed after the change of its cards that is under way, and before those that wait (HTTP API 8.1)', async () => {
    const { cardService, registrationService, link, reports, clock } = await createDomain({ cards: [card] });
    reports.hello(lockId, { date: clock.now(), cards: { count: 5, digest: '0'.repeat(16) } });
    const add = (cardNumber: string) => codeOf(() => cardService.add(manager, lockId, newCard({ cardNumber }), 'gateway', stays()));
    const [underWay, waiting] = [add('1'), add('2')];
    await settled();
    const removal = registrationService.remove(callers.admin, lockId);
    await settled();
    expect(link.disconnects).toEqual([]);
    link.sent.at(-1)?.answer(ok);
    expect(await underWay).toBe('done');
    expect(await removal).toMatchObject({ cardsOnLock: 6 });
    expect(await waiting).toBe('lock-not-found');
    expect(link.ops().filter((op) => op === 'add-card')).toHaveLength(1);
  });

  it('a change that goes on for too long does not hold up the removal, which counts a card that may be on the lock (HTTP API 8.1)', async () => {
    const { cardService, registrationService, link, reports, clock } = await createDomain();
    reports.hello(lockId, { date: clock.now(), cards: { count: 5, digest: '0'.repeat(16) } });
    const added = codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()));
    await settled();
    const removal = registrationService.remove(callers.admin, lockId);
    await clock.advance(10_000);
    expect(await added).toBe('lock-timeout');
    expect(await removal).toMatchObject({ cardsOnLock: 6 });
    expect(link.disconnects.at(-1)).toMatchObject({ lockId });
    expect(await codeOf(() => cardService.list(manager, noLockId, { pageNo: 1, pageSize: 10 }))).toBe('lock-not-found');
  });
});
