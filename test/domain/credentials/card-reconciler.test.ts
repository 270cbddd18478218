import { describe, expect, it } from '@jest/globals';
import type { CardId, CardOnLock } from '../../../src/domain/credentials/card.ts';
import { callers, createDomain, lockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, ok, refusal } from '../../support/fake-link.ts';
import type { OpenChange } from '../../support/open-changes.ts';
import { settled } from '../../support/settable-clock.ts';

const card = someCard({ cardNumber: '0042' });
const { cardId } = card;
const fresh = someCard({ cardId: 101 as CardId, cardNumber: '0777' });
const add: OpenChange = { kind: 'add', card: fresh, before: null };
/** Of an older gateway, or of a session in which the lock had not said what it holds. */
const addUnsure: OpenChange = { kind: 'add', card: fresh };
const addAgain: OpenChange = { kind: 'add', card: fresh, before: { startDate: 3, endDate: 4 } };
const validity: OpenChange = { kind: 'change-validity', cardId, startDate: 5, endDate: 6 };
const removal: OpenChange = { kind: 'delete', cardId };

const held = (cardNumber: string, startDate = 0, endDate = 0): CardOnLock => ({ cardNumber, startDate, endDate });

async function setUp(open: readonly OpenChange[], ...onLock: CardOnLock[]) {
  const domain = await createDomain({ cards: [card], open });
  const memory = createCardMemory(...onLock);
  domain.link.reply(lockId, memory.replier);
  return { ...domain, memory };
}

describe('settlement after a hello', () => {
  it.each([
    ['an add that is on the lock: it is taken off again', add, [held('42'), held('777')], [card], ['42'], 'taken off'],
    ['an add that is not on the lock: it is no card', add, [held('42')], [card], ['42'], 'not on the lock'],
    [
      'a validity that the lock has taken over',
      validity,
      [held('42', 5, 6)],
      [{ ...card, startDate: 5, endDate: 6 }],
      ['42'],
      'on the lock',
    ],
    ['a validity that the lock has not taken over', validity, [held('42')], [card], ['42'], 'on the lock'],
    ['a validity of a card that the lock does not have: it stays wanted', validity, [], [card], [], 'not on the lock'],
    ['a deletion that was done', removal, [], [], [], 'not on the lock'],
    [
      'a deletion that was not done, with the dates of the lock',
      removal,
      [held('42', 7, 8)],
      [{ ...card, startDate: 7, endDate: 8 }],
      ['42'],
      'on the lock',
    ],
  ])('follows the lock for %s (Protocol 5.4 rule 6)', async (_what, change, onLock, known, left, result) => {
    const { cardService, cards, memory, notices } = await setUp([change], ...onLock);
    await cardService.reconcile(lockId);
    expect(cards.now(lockId)).toEqual({ cards: known, open: [] });
    expect(memory.cards().map(({ cardNumber }) => cardNumber)).toEqual(left);
    expect(notices.filter(({ kind }) => !kind.endsWith('command-ended'))).toEqual([
      { kind: 'card-settled', lockId, intent: change.kind, result },
    ]);
  });

  it.each([
    ['with the dates that it had', [held('777', 3, 4)], ['list-cards']],
    ['with those of the add: it gets its own again', [held('777')], ['list-cards', 'update-card']],
  ])('leaves a card that was there before the add, %s (Protocol 5.4 rule 6)', async (_what, onLock, ops) => {
    const { cardService, cards, link, memory, notices } = await setUp([addAgain], held('42'), ...onLock);
    await cardService.reconcile(lockId);
    expect(link.ops()).toEqual(ops);
    expect(memory.cards()).toEqual([held('42'), held('777', 3, 4)]);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
    expect(notices).toContainEqual({ kind: 'card-settled', lockId, intent: 'add', result: 'on the lock before' });
    expect(notices).toContainEqual({ kind: 'cards-unknown', lockId, count: 1 });
  });

  it('leaves a card if nobody knows whether the lock held it before, and reports it (Protocol 5.4 rule 6)', async () => {
    const { cardService, cards, link, memory, notices } = await setUp([addUnsure], held('42'), held('777'));
    await cardService.reconcile(lockId);
    expect(link.ops()).toEqual(['list-cards']);
    expect(memory.cards()).toEqual([held('42'), held('777')]);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
    expect(notices).toContainEqual({ kind: 'card-left-on-lock', lockId });
  });

  it('takes it that a card is gone when the lock says not-found to its removal (Protocol 5.2)', async () => {
    const { cardService, cards, link, memory } = await setUp([add], held('42'), held('777'));
    link.reply(lockId, (command) => (command.op === 'remove-card' ? refusal('not-found') : memory.replier(command)));
    await cardService.reconcile(lockId);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it('asks nothing when nothing is open (Protocol 5.4 rule 6)', async () => {
    const { cardService, link, notices } = await setUp([]);
    await cardService.reconcile(lockId);
    expect(link.sent).toEqual([]);
    expect(notices).toEqual([]);
  });

  it('finds the card however many pages come before it (Protocol 5.1 list-cards)', async () => {
    const many = Array.from({ length: 250 }, (_, n) => held(String(10_000 + n)));
    const { cardService, cards, link } = await setUp([add], ...many, held('777'), held('42'));
    await cardService.reconcile(lockId);
    expect(link.ops()).toEqual(['list-cards', 'list-cards', 'list-cards', 'remove-card']);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it('ends several open changes, one after the other (Protocol 5.4 rule 6)', async () => {
    const { cardService, cards, memory } = await setUp([add, validity], held('777'), held('42', 5, 6));
    await cardService.reconcile(lockId);
    expect(cards.now(lockId)).toEqual({ cards: [{ ...card, startDate: 5, endDate: 6 }], open: [] });
    expect(memory.cards()).toEqual([held('42', 5, 6)]);
  });

  it('leaves alone, and notices, cards that the gateway does not know (Protocol 5.4 rule 6)', async () => {
    const { cardService, memory, notices } = await setUp([add], held('42'), held('777'), held('5'), held('6'));
    await cardService.reconcile(lockId);
    expect(memory.cards().map(({ cardNumber }) => cardNumber)).toEqual(['42', '5', '6']);
    expect(notices).toContainEqual({ kind: 'cards-unknown', lockId, count: 2 });
  });

  it.each([
    ['does not list its cards', () => refusal('not-supported')],
    ['says ok without a list', () => ok],
    ['lists fewer cards than it says it has', () => ({ kind: 'ok', listing: { cards: [], total: 3 } }) as const],
  ])('leaves everything open, and never rejects, when the lock %s (Protocol 5.4 rule 6)', async (_what, replier) => {
    const { cardService, cards, link, notices } = await setUp([removal]);
    link.reply(lockId, replier);
    await cardService.reconcile(lockId);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [removal] });
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'follow-up-failed', step: 'settle-cards' }));
  });

  it('leaves an add open when the lock does not take it off, and tries again after the next hello (Protocol 5.4 rule 6)', async () => {
    const { cardService, cards, link, memory } = await setUp([add], held('777'));
    link.reply(lockId, (command) => (command.op === 'remove-card' ? refusal('busy') : memory.replier(command)));
    await cardService.reconcile(lockId);
    expect(cards.now(lockId).open).toEqual([add]);
    link.connect(lockId, memory.replier);
    await cardService.reconcile(lockId);
    expect(cards.now(lockId).open).toEqual([]);
    expect(memory.cards()).toEqual([]);
  });

  it('goes on after the next hello when the lock was lost in the middle; its own later session gets nothing of it (Protocol 5.3 rule 1)', async () => {
    const { cardService, cards, link, memory } = await setUp([add], held('777'));
    link.reply(lockId, (command) => (command.op === 'list-cards' ? memory.replier(command) : undefined));
    const first = cardService.reconcile(lockId);
    await settled();
    link.connect(lockId, memory.replier);
    await first;
    expect(link.ops()).toEqual(['list-cards', 'remove-card']);
    expect(cards.now(lockId).open).toEqual([add]);
    await cardService.reconcile(lockId);
    expect(cards.now(lockId).open).toEqual([]);
  });

  it('lets a door through soon when the lock ignores what it is asked (Protocol 5.4 rule 6)', async () => {
    const { cardService, lockService, clock, link } = await setUp([add], held('777'));
    link.reply(lockId, ({ op }) => (op === 'list-cards' ? undefined : ok));
    const settling = cardService.reconcile(lockId);
    await settled();
    const door = lockService.setBolt(callers.operator, lockId, 'unlocked', stays());
    await clock.advance(3_000);
    expect(await door).toEqual({ success: true });
    await settling;
  });

  it('never rejects when the disk is full; what was settled on the lock is settled again later (Protocol 5.4 rule 6)', async () => {
    const { cardService, cards, storage, memory } = await setUp([add], held('777'));
    storage.fails = () => true;
    await cardService.reconcile(lockId);
    expect(cards.now(lockId).open).toEqual([add]);
    storage.fails = () => false;
    await cardService.reconcile(lockId);
    expect(cards.now(lockId).open).toEqual([]);
    expect(memory.cards()).toEqual([]);
  });

  it('keeps a card that a phone has added meanwhile on the lock (Protocol 5.4 rule 6)', async () => {
    const { cardService, lockService, cards, link, memory } = await setUp([add], held('777'));
    link.reply(lockId, () => undefined);
    const settling = cardService.reconcile(lockId);
    await settled();
    // A door waits, and goes before the remove-card that follows the listing.
    void lockService.setBolt(callers.operator, lockId, 'locked', stays());
    link.sent[0]?.answer({ kind: 'ok', listing: { cards: [held('777')], total: 1 } });
    await settled();
    expect(link.ops()).toEqual(['list-cards', 'lock']);
    const byPhone = { cardNumber: '777', byteOrder: 'regular', name: 'by phone', startDate: 0, endDate: 0 } as const;
    await cardService.add(callers.manager, lockId, byPhone, 'phone', stays());
    link.reply(lockId, memory.replier);
    link.sent[1]?.answer(ok);
    await settling;
    expect(link.ops()).toEqual(['list-cards', 'lock']);
    expect(cards.now(lockId)).toMatchObject({ cards: [{ cardNumber: '0042' }, { name: 'by phone' }], open: [] });
    expect(memory.cards()).toEqual([held('777')]);
  });

  it('does not overwrite the dates that a phone has recorded meanwhile (Protocol 5.4 rule 6)', async () => {
    const { cardService, cards, link, storage } = await setUp([validity], held('42', 5, 6));
    link.reply(lockId, () => undefined);
    const settling = cardService.reconcile(lockId);
    await settled();
    const release = storage.hold();
    const phone = cardService.changeValidity(callers.manager, lockId, cardId, { startDate: 8, endDate: 9 }, 'phone', stays());
    link.sent[0]?.answer({ kind: 'ok', listing: { cards: [held('42', 5, 6)], total: 1 } });
    await settled();
    release();
    await Promise.all([settling, phone]);
    expect(cards.now(lockId)).toEqual({ cards: [{ ...card, startDate: 8, endDate: 9 }], open: [] });
  });

  it('waits for the card change under way, and goes before those that wait (Protocol 5.4 rule 6)', async () => {
    const { cardService, link } = await setUp([]);
    link.reply(lockId, () => undefined);
    const { manager } = callers;
    const change = (startDate: number) =>
      cardService.changeValidity(manager, lockId, cardId, { startDate, endDate: 9 }, 'gateway', stays());
    const first = change(1);
    await settled();
    const second = change(2);
    const settling = cardService.reconcile(lockId);
    link.sent[0]?.answer(ok);
    await Promise.all([first, settling]);
    await settled();
    link.sent[1]?.answer(ok);
    await second;
    expect(link.ops()).toEqual(['update-card', 'update-card']);
  });
});
