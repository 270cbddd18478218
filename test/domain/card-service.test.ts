import { describe, expect, it } from '@jest/globals';
import type { CardId, Via } from '../../src/domain/card.ts';
import type { NewCard } from '../../src/domain/card-service.ts';
import { callers, codeOf, createDomain, lockId, noLockId, otherLockId, someCard, stays } from '../support/domain.ts';
import { createCardMemory, ok, refusal } from '../support/fake-link.ts';
import { settled } from '../support/settable-clock.ts';

const { manager, operator } = callers;
const card = someCard();
const { cardId } = card;
const period = { startDate: 1_000, endDate: 2_000 };
const noIntents: unknown[] = [];

function newCard(changes: Partial<NewCard> = {}): NewCard {
  return { cardNumber: '42', byteOrder: 'regular', name: 'red', startDate: 0, endDate: 0, ...changes };
}

type Domain = Awaited<ReturnType<typeof createDomain>>;

/** The three changes, each to be done on a domain that has `card`. */
const changes = [
  {
    change: 'add',
    begin: ({ cardService }: Domain, via: Via, gone = stays()) => cardService.add(manager, lockId, newCard(), via, gone),
    command: { op: 'add-card', cardNumber: '42', startDate: 0, endDate: 0 },
    after: [card, expect.objectContaining({ cardNumber: '42', name: 'red', createdBy: 'max' })],
    intent: { kind: 'add' },
  },
  {
    change: 'changeValidity',
    begin: ({ cardService }: Domain, via: Via, gone = stays()) => cardService.changeValidity(manager, lockId, cardId, period, via, gone),
    command: { op: 'update-card', cardNumber: '1325672378', ...period },
    after: [{ ...card, ...period }],
    intent: { kind: 'change-validity', cardId, ...period },
  },
  {
    change: 'remove',
    begin: ({ cardService }: Domain, via: Via, gone = stays()) => cardService.remove(manager, lockId, cardId, via, gone),
    command: { op: 'remove-card', cardNumber: '1325672378' },
    after: [],
    intent: { kind: 'delete', cardId },
  },
] as const;

describe.each(changes)('$change through the gateway', ({ begin, command, after, intent }) => {
  it('makes its intent durable before the command; ok completes it and closes the intent in one write (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { cards, link, storage } = domain;
    const release = storage.hold();
    const done = begin(domain, 'gateway');
    await settled();
    expect(link.sent).toEqual([]);
    release();
    await settled();
    expect(cards.of(lockId)).toMatchObject({ cards: [card], intents: [intent] });
    expect(link.sent).toMatchObject([{ command }]);
    link.sent[0]?.answer(ok);
    await done;
    expect(cards.of(lockId)).toEqual({ cards: after, intents: [] });
    expect(storage.writes.filter((write) => write === 'cards.update')).toHaveLength(2);
  });

  it('is undone without a trace when the lock refuses, with the code of the lock (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.link.reply(lockId, () => refusal('no-space', 'memory full'));
    await expect(begin(domain, 'gateway')).rejects.toMatchObject({ code: 'lock-refused', lockError: 'no-space' });
    expect(domain.cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });

  it('leaves the intent open when no reply comes: the outcome is unknown (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await domain.clock.advance(10_000);
    expect(await code).toBe('lock-timeout');
    expect(domain.cards.of(lockId)).toMatchObject({ cards: [card], intents: [intent] });
  });

  it('leaves the intent open when the connection is lost after the command (Protocol 5.4 rules 4 and 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    domain.link.lose(lockId);
    expect(await code).toBe('lock-timeout');
    expect(domain.cards.of(lockId).intents).toHaveLength(1);
  });

  it('is refused for a lock that is offline, and nothing at all is stored (HTTP API 2 lock-offline)', async () => {
    const domain = await createDomain({ cards: [card], online: false });
    expect(await codeOf(() => begin(domain, 'gateway'))).toBe('lock-offline');
    expect(domain.storage.writes).toEqual([]);
    expect(domain.cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });

  it('is never sent in a later session than the one it was asked for in (Protocol 5.3 rule 1)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { cards, link, storage } = domain;
    const release = storage.hold();
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    link.connect(lockId);
    release();
    expect(await code).toBe('lock-offline');
    expect(link.sent).toEqual([]);
    expect(cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });

  it('waits for the change before it, and is lock-offline when the connection is lost meanwhile (Protocol 5.4 rule 4)', async () => {
    const domain = await createDomain({ cards: [card, someCard({ cardId: 101 as CardId, cardNumber: '5' })] });
    const { cardService, cards, link } = domain;
    const first = codeOf(() => cardService.remove(manager, lockId, 101 as CardId, 'gateway', stays()));
    const second = codeOf(() => begin(domain, 'gateway'));
    await settled();
    expect(link.ops()).toEqual(['remove-card']);
    link.connect(lockId);
    expect(await Promise.all([first, second])).toEqual(['lock-timeout', 'lock-offline']);
    expect(link.ops()).toEqual(['remove-card']);
    expect(cards.of(lockId).intents).toEqual([{ kind: 'delete', cardId: 101 }]);
  });

  it('removes its intent when it is dropped unsent because the caller has gone (Protocol 5.4 rules 1 and 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { lockService, cards, link, clock } = domain;
    void lockService.move(callers.operator, lockId, 'locked', stays());
    const leaving = new AbortController();
    const code = codeOf(() => begin(domain, 'gateway', leaving.signal));
    await settled();
    expect(cards.of(lockId).intents).toHaveLength(1);
    leaving.abort();
    expect(await code).toBe('lock-busy');
    expect(cards.of(lockId)).toEqual({ cards: [card], intents: [] });
    link.sent[0]?.answer(ok);
    await settled();
    expect(link.ops()).toEqual(['lock']);
    expect(clock.timers()).toBe(0);
  });

  it('is settled as soon as a lock that did not reply in time answers again, without waiting for its next hello (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { cards, link, clock } = domain;
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    await clock.advance(10_000);
    expect(await code).toBe('lock-timeout');
    expect(cards.of(lockId).intents).toHaveLength(1);
    link.sent[1]?.answer(ok);
    await settled();
    expect(link.ops().slice(1)).toEqual(['get-status', 'list-cards']);
    link.sent[2]?.answer({ kind: 'ok', listing: { cards: [card], total: 1 } });
    await settled();
    expect(cards.of(lockId)).toEqual({ cards: [card], intents: [] });
    expect(clock.timers()).toBe(0);
  });

  it('is not sent when the role was taken away while it waited (HTTP API 5)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { lockService, locks, cards, link } = domain;
    void lockService.move(callers.operator, lockId, 'locked', stays());
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    await locks.update(lockId, (lock) => ({ ...lock, roles: [] }));
    link.sent[0]?.answer(ok);
    expect(await code).toBe('forbidden');
    expect(link.ops()).toEqual(['lock']);
    expect(cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });

  it('is not sent when the account was removed while it waited (HTTP API 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { lockService, accountService, cards, link } = domain;
    void lockService.move(callers.operator, lockId, 'locked', stays());
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    await accountService.removeAccount(callers.admin, manager.username);
    link.sent[0]?.answer(ok);
    expect(await code).toBe('forbidden');
    expect(link.ops()).toEqual(['lock']);
    expect(cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });

  it('is storage-unavailable, with nothing sent, when the intent cannot be kept (HTTP API 2)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.storage.fails = (write) => write === 'cards.update';
    expect(await codeOf(() => begin(domain, 'gateway'))).toBe('storage-unavailable');
    expect(domain.link.sent).toEqual([]);
    expect(domain.cards.of(lockId)).toEqual({ cards: [card], intents: [] });
    domain.storage.fails = () => false;
    domain.link.reply(lockId, () => ok);
    await begin(domain, 'gateway');
    expect(domain.cards.of(lockId)).toEqual({ cards: after, intents: [] });
  });

  it('is storage-unavailable, its intent still open, when it cannot be completed (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    domain.storage.fails = () => true;
    domain.link.sent[0]?.answer(ok);
    expect(await code).toBe('storage-unavailable');
    expect(domain.cards.of(lockId)).toMatchObject({ cards: [card], intents: [intent] });
  });

  it('still tells why the lock refused when its intent cannot be removed; settlement does that later (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    domain.storage.fails = () => true;
    domain.link.sent[0]?.answer(refusal('busy'));
    expect(await code).toBe('lock-refused');
    expect(domain.cards.of(lockId)).toMatchObject({ cards: [card], intents: [intent] });
    domain.storage.fails = () => false;
    domain.link.reply(lockId, createCardMemory({ cardNumber: '1325672378', startDate: 0, endDate: 0 }).replier);
    await domain.cardService.settle(lockId);
    expect(domain.cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });

  it('settles what was left open first, before its own command (Protocol 5.4 rule 6)', async () => {
    const left = someCard({ cardId: 99 as CardId, cardNumber: '777' });
    const domain = await createDomain({ cards: [card], intents: [{ kind: 'add', card: left }] });
    const memory = createCardMemory(
      { cardNumber: '777', startDate: 0, endDate: 0 },
      { cardNumber: '1325672378', startDate: 0, endDate: 0 },
    );
    domain.link.reply(lockId, memory.replier);
    await begin(domain, 'gateway');
    expect(domain.link.ops()).toEqual(['list-cards', 'remove-card', command.op]);
    expect(domain.cards.of(lockId)).toEqual({ cards: after, intents: [] });
    expect(memory.cards().map(({ cardNumber }) => cardNumber)).not.toContain('777');
  });

  it('is not begun when what was left open cannot be settled (Protocol 5.4 rule 6)', async () => {
    const left = someCard({ cardId: 99 as CardId, cardNumber: '777' });
    const domain = await createDomain({ cards: [card], intents: [{ kind: 'add', card: left }] });
    domain.link.reply(lockId, () => refusal('busy'));
    expect(await codeOf(() => begin(domain, 'gateway'))).toBe('lock-refused');
    expect(domain.link.ops()).toEqual(['list-cards']);
    expect(domain.cards.of(lockId)).toEqual({ cards: [card], intents: [{ kind: 'add', card: left }] });
  });
});

describe.each(changes)('$change that a phone has done', ({ begin, after }) => {
  it('is only recorded, on a lock that is offline as well (HTTP API 3)', async () => {
    const domain = await createDomain({ cards: [card], online: false });
    await begin(domain, 'phone');
    expect(domain.cards.of(lockId)).toEqual({ cards: after, intents: [] });
    expect(domain.link.sent).toEqual([]);
  });

  it('is storage-unavailable, and nothing is changed, when it cannot be kept (HTTP API 2)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.storage.fails = (write) => write === 'cards.update';
    expect(await codeOf(() => begin(domain, 'phone'))).toBe('storage-unavailable');
    expect(domain.cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });
});

describe('a phone change', () => {
  it.each([
    ['add', 'the add of the same number', { kind: 'add', card: someCard({ cardId: 99 as CardId, cardNumber: '0042' }) }],
    ['changeValidity', 'a deletion', { kind: 'delete', cardId }],
    ['changeValidity', 'another validity', { kind: 'change-validity', cardId, startDate: 5, endDate: 6 }],
    ['remove', 'a new validity', { kind: 'change-validity', cardId, startDate: 5, endDate: 6 }],
  ] as const)('%s closes an open intent about the same card (%s): it is newer (Protocol 5.4 rule 6)', async (name, _what, intent) => {
    const other = { kind: 'add', card: someCard({ cardId: 98 as CardId, cardNumber: '5' }) } as const;
    const domain = await createDomain({ cards: [card], intents: [intent, other] });
    await changes.find(({ change }) => change === name)?.begin(domain, 'phone');
    expect(domain.cards.of(lockId).intents).toEqual([other]);
  });

  it('that adds a card while the gateway begins to add the same one wins: nothing is sent, no intent remains (HTTP API 3 card-exists)', async () => {
    const { cardService, cards, link, storage } = await createDomain();
    const release = storage.hold();
    const phone = cardService.add(manager, lockId, newCard({ cardNumber: '0042' }), 'phone', stays());
    const gateway = codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()));
    await settled();
    release();
    await phone;
    await settled();
    link.sent[0]?.answer(ok);
    expect(await gateway).toBe('card-exists');
    expect(cards.of(lockId)).toMatchObject({ cards: [{ cardNumber: '0042' }], intents: noIntents });
    expect(link.sent).toEqual([]);
  });

  it('that removes a card while the gateway begins to change it wins: nothing is sent, no intent remains (HTTP API 2 card-not-found)', async () => {
    const { cardService, cards, link, storage } = await createDomain({ cards: [card] });
    const release = storage.hold();
    const phone = cardService.remove(manager, lockId, cardId, 'phone', stays());
    const gateway = codeOf(() => cardService.changeValidity(manager, lockId, cardId, period, 'gateway', stays()));
    await settled();
    release();
    await phone;
    await settled();
    link.sent[0]?.answer(ok);
    expect(await gateway).toBe('card-not-found');
    expect(cards.of(lockId)).toEqual({ cards: [], intents: [] });
    expect(link.sent).toEqual([]);
  });

  it('that adds the card while the add of the gateway is under way leaves one card (HTTP API 3 card-exists)', async () => {
    const { cardService, cards, link } = await createDomain();
    const gateway = codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()));
    await settled();
    const phoneId = await cardService.add(manager, lockId, newCard({ name: 'by phone' }), 'phone', stays());
    link.sent[0]?.answer(ok);
    expect(await gateway).toBe('card-exists');
    expect(cards.of(lockId)).toMatchObject({ cards: [{ cardId: phoneId, name: 'by phone' }], intents: noIntents });
  });
});

describe('adding a card', () => {
  it.each([
    ['the same digits', newCard({ cardNumber: '1325672378' })],
    ['leading zeros', newCard({ cardNumber: '0001325672378' })],
    ['bytes reversed to the same', newCard({ cardNumber: '3123119183', byteOrder: 'reverse' })],
  ])('is card-exists for a number that is on that lock already: %s (HTTP API 3)', async (_what, twin) => {
    const { cardService, link, cards } = await createDomain({ cards: [card] });
    for (const via of ['gateway', 'phone'] as const) {
      expect(await codeOf(() => cardService.add(manager, lockId, twin, via, stays()))).toBe('card-exists');
    }
    expect(link.sent).toEqual([]);
    expect(cards.of(lockId)).toEqual({ cards: [card], intents: [] });
  });

  it('knows the lock only: the same number on another lock is another card (HTTP API 3)', async () => {
    const { cardService, cards } = await createDomain({ cards: [card] });
    await cardService.add(callers.administrator, otherLockId, newCard({ cardNumber: card.cardNumber }), 'phone', stays());
    expect(cards.of(otherLockId).cards).toHaveLength(1);
  });

  it('shows the digits given, leading zeros too, and sends the lock the number without them (HTTP API 3)', async () => {
    const { cardService, cards, link } = await createDomain();
    link.reply(lockId, () => ok);
    await cardService.add(manager, lockId, newCard({ cardNumber: '000042' }), 'gateway', stays());
    expect(cards.of(lockId).cards).toMatchObject([{ cardNumber: '000042' }]);
    expect(link.sent).toMatchObject([{ command: { op: 'add-card', cardNumber: '42' } }]);
  });

  it('sends and keeps the reversed number (Specification 4.2 rule 3)', async () => {
    const { cardService, cards, link } = await createDomain();
    link.reply(lockId, () => ok);
    await cardService.add(manager, lockId, newCard({ cardNumber: '1325672378', byteOrder: 'reverse' }), 'gateway', stays());
    expect(cards.of(lockId).cards).toMatchObject([{ cardNumber: '3123119183' }]);
    expect(link.sent).toMatchObject([{ command: { cardNumber: '3123119183' } }]);
  });

  it('never gives the id of a failed add again (HTTP API 3)', async () => {
    const { cardService, link } = await createDomain();
    link.reply(lockId, () => refusal('no-space'));
    expect(await codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()))).toBe('lock-refused');
    link.reply(lockId, () => ok);
    expect(await cardService.add(manager, lockId, newCard(), 'gateway', stays())).toBe(1_002);
  });

  it('answers with the cardId under which the card is found (HTTP API 3)', async () => {
    const { cardService, clock } = await createDomain();
    const id = await cardService.add(manager, lockId, newCard(), 'phone', stays());
    expect(cardService.detail(manager, lockId, id)).toEqual({
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

  it('refuses a validity that ends before it begins or in the past, and takes one that ends now (HTTP API 3)', async () => {
    const { cardService, clock } = await createDomain();
    const now = clock.now();
    const add = (startDate: number, endDate: number) =>
      codeOf(() => cardService.add(manager, lockId, newCard({ cardNumber: String(endDate), startDate, endDate }), 'phone', stays()));
    expect(await add(now + 2, now + 1)).toBe('invalid-parameter');
    expect(await add(now + 2, 0)).toBe('invalid-parameter');
    expect(await add(0, now - 1)).toBe('invalid-parameter');
    expect(await add(0, now)).toBe('done');
    expect(await add(now + 5, now + 5)).toBe('done');
  });

  it('is storage-unavailable, with nothing sent, when no id can be drawn (HTTP API 2)', async () => {
    const { cardService, storage, link, cards } = await createDomain();
    storage.fails = (write) => write === 'counters.cardId';
    expect(await codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()))).toBe('storage-unavailable');
    expect(link.sent).toEqual([]);
    expect(cards.of(lockId)).toEqual({ cards: [], intents: [] });
  });

  it('adds one of two that are asked for at the same moment (HTTP API 3 card-exists)', async () => {
    const { cardService, cards, link } = await createDomain();
    link.reply(lockId, () => ok);
    const add = () => codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()));
    expect((await Promise.all([add(), add()])).sort()).toEqual(['card-exists', 'done']);
    expect(cards.of(lockId).cards).toHaveLength(1);
  });
});

describe('other things about cards', () => {
  it('an unknown card is card-not-found, also that of another lock (HTTP API 2)', async () => {
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

  it('a card that is removed twice at the same moment is card-not-found for the second (HTTP API 2)', async () => {
    const { cardService, link } = await createDomain({ cards: [card] });
    link.reply(lockId, () => ok);
    const remove = () => codeOf(() => cardService.remove(manager, lockId, cardId, 'gateway', stays()));
    expect(await Promise.all([remove(), remove()])).toEqual(['done', 'card-not-found']);
    expect(link.ops()).toEqual(['remove-card']);
  });

  it('a validity that ends before it begins is refused, and one in the past is not (HTTP API 3)', async () => {
    const { cardService, link } = await createDomain({ cards: [card] });
    const change = (startDate: number, endDate: number) =>
      codeOf(() => cardService.changeValidity(manager, lockId, cardId, { startDate, endDate }, 'phone', stays()));
    expect(await change(2_000, 1_000)).toBe('invalid-parameter');
    expect(await change(1_000, 2_000)).toBe('done');
    expect(link.sent).toEqual([]);
  });

  it('renaming concerns only the gateway (HTTP API 3)', async () => {
    const { cardService, cards, link } = await createDomain({ cards: [card], online: false });
    await cardService.rename(manager, lockId, cardId, 'green');
    expect(cards.of(lockId).cards).toEqual([{ ...card, name: 'green' }]);
    expect(link.sent).toEqual([]);
  });

  it('the list is by cardId ascending, whatever the order of completion (HTTP API 3)', async () => {
    const { cardService } = await createDomain({ cards: [someCard({ cardId: 2_000 as CardId })] });
    await cardService.add(manager, lockId, newCard(), 'phone', stays());
    const { list, total } = cardService.list(manager, lockId, { pageNo: 1, pageSize: 10 });
    expect(list.map((listed) => listed.cardId)).toEqual([1_001, 2_000]);
    expect(total).toBe(2);
  });

  it('the cards on the lock are asked for page by page, each known or not (HTTP API 4)', async () => {
    const { cardService, link } = await createDomain({ cards: [card] });
    const strangers = Array.from({ length: 204 }, (_, n) => ({ cardNumber: String(n + 1), startDate: 0, endDate: 0 }));
    link.reply(lockId, createCardMemory(...strangers, { cardNumber: '1325672378', startDate: 0, endDate: 0 }).replier);
    const held = await cardService.onLock(manager, lockId, stays());
    expect(held).toHaveLength(205);
    expect(held.filter(({ known }) => known)).toEqual([{ cardNumber: '1325672378', startDate: 0, endDate: 0, known: true }]);
    expect(link.sent.map(({ command }) => command)).toEqual([0, 100, 200].map((offset) => ({ op: 'list-cards', offset, limit: 100 })));
  });

  it('the cards on the lock are not shown to somebody who lost the role while it was asked (HTTP API 5)', async () => {
    const { cardService, link, locks } = await createDomain({ cards: [card] });
    const code = codeOf(() => cardService.onLock(manager, lockId, stays()));
    await settled();
    await locks.update(lockId, (lock) => ({ ...lock, roles: [] }));
    link.sent[0]?.answer({ kind: 'ok', listing: { cards: [], total: 0 } });
    expect(await code).toBe('forbidden');
  });

  it('a card that the lock has taken and the gateway cannot keep is taken off the lock at once (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain();
    const memory = createCardMemory();
    domain.link.reply(lockId, (command) => {
      domain.storage.fails = (write) => command.op === 'add-card' && write === 'cards.update';
      return memory.replier(command);
    });
    expect(await codeOf(() => domain.cardService.add(manager, lockId, newCard(), 'gateway', stays()))).toBe('storage-unavailable');
    await settled();
    expect(domain.link.ops()).toEqual(['add-card', 'list-cards', 'remove-card']);
    expect(domain.cards.of(lockId)).toEqual({ cards: [], intents: [] });
  });

  it('a door goes in between the commands of card changes (Protocol 5.4 rule 1)', async () => {
    const { cardService, lockService, link } = await createDomain({ cards: [card] });
    const changing = ['1', '2'].map((cardNumber) => cardService.add(manager, lockId, newCard({ cardNumber }), 'gateway', stays()));
    await settled();
    const opened = lockService.move(operator, lockId, 'unlocked', stays());
    for (let n = 0; n < 3; n++) {
      link.sent[n]?.answer(ok);
      await settled();
    }
    expect(link.ops()).toEqual(['add-card', 'unlock', 'add-card']);
    await Promise.all([...changing, opened]);
  });

  it('a lock that is removed while its card is changed ends it as a time-out (HTTP API 2)', async () => {
    const { cardService, registrationService, link } = await createDomain({ cards: [card] });
    const code = codeOf(() => cardService.remove(manager, lockId, cardId, 'gateway', stays()));
    await settled();
    await registrationService.remove(callers.admin, lockId);
    expect(await code).toBe('lock-timeout');
    expect(link.ops()).toEqual(['remove-card']);
    expect(await codeOf(() => cardService.list(manager, noLockId, { pageNo: 1, pageSize: 10 }))).toBe('lock-not-found');
  });
});
