// Every change of a card: its open outcome, what the lock says to it, and what is left of it when something fails on the way.
import { describe, expect, it } from '@jest/globals';
import type { CardId, Via } from '../../../src/domain/credentials/card.ts';
import type { NewCard } from '../../../src/domain/credentials/card-service.ts';
import { callers, codeOf, createDomain, lockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, ok, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { manager } = callers;
const card = someCard();
const { cardId } = card;
const period = { startDate: 1_000, endDate: 2_000 };
const nothingOpen: unknown[] = [];

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
    step: { kind: 'add' },
  },
  {
    change: 'changeValidity',
    begin: ({ cardService }: Domain, via: Via, gone = stays()) => cardService.changeValidity(manager, lockId, cardId, period, via, gone),
    command: { op: 'update-card', cardNumber: '1325672378', ...period },
    after: [{ ...card, ...period }],
    step: { kind: 'change-validity', cardId, ...period },
  },
  {
    change: 'remove',
    begin: ({ cardService }: Domain, via: Via, gone = stays()) => cardService.remove(manager, lockId, cardId, via, gone),
    command: { op: 'remove-card', cardNumber: '1325672378' },
    after: [],
    step: { kind: 'delete', cardId },
  },
] as const;

describe.each(changes)('$change through the gateway', ({ begin, command, after, step }) => {
  it('makes it durable that the outcome is open before the command; ok stores wanted and held in one write (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { cards, link, storage } = domain;
    const release = storage.hold();
    const done = begin(domain, 'gateway');
    await settled();
    expect(link.sent).toEqual([]);
    release();
    await settled();
    expect(cards.now(lockId)).toMatchObject({ cards: [card], open: [step] });
    expect(link.sent).toMatchObject([{ command }]);
    link.sent[0]?.answer(ok);
    await done;
    expect(cards.now(lockId)).toEqual({ cards: after, open: [] });
    expect(storage.writes.filter((write) => write === 'entries.update')).toHaveLength(2);
  });

  it('is undone without a trace when the lock refuses, with the code of the lock (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.link.reply(lockId, () => refusal('no-space', 'memory full'));
    await expect(begin(domain, 'gateway')).rejects.toMatchObject({ code: 'lock-refused', lockError: 'no-space' });
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it('leaves its outcome open when no reply comes: the outcome is unknown (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await domain.clock.advance(10_000);
    expect(await code).toBe('lock-timeout');
    expect(domain.cards.now(lockId)).toMatchObject({ cards: [card], open: [step] });
  });

  it('leaves its outcome open when the connection is lost after the command (Protocol 5.4 rules 4 and 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    domain.link.lose(lockId);
    expect(await code).toBe('lock-timeout');
    expect(domain.cards.now(lockId).open).toHaveLength(1);
  });

  it('is refused for a lock that is offline, and nothing at all is stored (HTTP API 4 lock-offline)', async () => {
    const domain = await createDomain({ cards: [card], online: false });
    expect(await codeOf(() => begin(domain, 'gateway'))).toBe('lock-offline');
    expect(domain.storage.writes).toEqual([]);
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
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
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
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
    await settled();
    // What the first one left open is asked of the lock where it is now.
    expect(link.ops()).toEqual(['remove-card', 'list-cards']);
    expect(cards.now(lockId).open).toEqual([{ kind: 'delete', cardId: 101 }]);
  });

  it('is undone when it is dropped unsent because the caller has gone (Protocol 5.4 rules 1 and 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { lockService, cards, link, clock } = domain;
    void lockService.setBolt(callers.operator, lockId, 'locked', stays());
    const leaving = new AbortController();
    const code = codeOf(() => begin(domain, 'gateway', leaving.signal));
    await settled();
    expect(cards.now(lockId).open).toHaveLength(1);
    leaving.abort();
    expect(await code).toBe('lock-busy');
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
    link.sent[0]?.answer({ kind: 'ok', state: 'locked' });
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
    expect(cards.now(lockId).open).toHaveLength(1);
    link.sent[1]?.answer(ok);
    await settled();
    expect(link.ops().slice(1)).toEqual(['get-status', 'list-cards']);
    link.sent[2]?.answer({ kind: 'ok', listing: { cards: [card], total: 1 } });
    await settled();
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
    expect(clock.timers()).toBe(0);
  });

  it('is not sent when the role was taken away while it waited (HTTP API 3)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { lockService, locks, cards, link } = domain;
    void lockService.setBolt(callers.operator, lockId, 'locked', stays());
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    await locks.update(lockId, (lock) => ({ ...lock, roles: [] }));
    link.sent[0]?.answer(ok);
    expect(await code).toBe('forbidden');
    expect(link.ops()).toEqual(['lock']);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it('is not sent when the account was removed while it waited (HTTP API 8.4)', async () => {
    const domain = await createDomain({ cards: [card] });
    const { lockService, accountService, cards, link } = domain;
    void lockService.setBolt(callers.operator, lockId, 'locked', stays());
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    await accountService.removeAccount(callers.admin, manager.username);
    link.sent[0]?.answer(ok);
    expect(await code).toBe('forbidden');
    expect(link.ops()).toEqual(['lock']);
    expect(cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it('is storage-unavailable, with nothing sent, when the open outcome cannot be kept (HTTP API 4)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.storage.fails = (write) => write === 'entries.update';
    expect(await codeOf(() => begin(domain, 'gateway'))).toBe('storage-unavailable');
    expect(domain.link.sent).toEqual([]);
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
    domain.storage.fails = () => false;
    domain.link.reply(lockId, () => ok);
    await begin(domain, 'gateway');
    expect(domain.cards.now(lockId)).toEqual({ cards: after, open: [] });
  });

  it('is storage-unavailable, its outcome still open, when it cannot be completed (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    domain.storage.fails = () => true;
    domain.link.sent[0]?.answer(ok);
    expect(await code).toBe('storage-unavailable');
    expect(domain.cards.now(lockId)).toMatchObject({ cards: [card], open: [step] });
  });

  it('still tells why the lock refused when that cannot be stored; settlement does that later (Protocol 5.4 rule 6)', async () => {
    const domain = await createDomain({ cards: [card] });
    const code = codeOf(() => begin(domain, 'gateway'));
    await settled();
    domain.storage.fails = () => true;
    domain.link.sent[0]?.answer(refusal('busy'));
    expect(await code).toBe('lock-refused');
    expect(domain.cards.now(lockId)).toMatchObject({ cards: [card], open: [step] });
    domain.storage.fails = () => false;
    domain.link.reply(lockId, createCardMemory({ cardNumber: '1325672378', startDate: 0, endDate: 0 }).replier);
    await domain.reconciler.reconcile(lockId);
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it('settles what was left open first, before its own command (Protocol 5.4 rule 6)', async () => {
    const left = someCard({ cardId: 99 as CardId, cardNumber: '777' });
    const domain = await createDomain({ cards: [card], open: [{ kind: 'add', card: left, before: null }] });
    const memory = createCardMemory(
      { cardNumber: '777', startDate: 0, endDate: 0 },
      { cardNumber: '1325672378', startDate: 0, endDate: 0 },
    );
    domain.link.reply(lockId, memory.replier);
    await begin(domain, 'gateway');
    expect(domain.link.ops()).toEqual(['list-cards', 'remove-card', command.op]);
    expect(domain.cards.now(lockId)).toEqual({ cards: after, open: [] });
    expect(memory.cards().map(({ cardNumber }) => cardNumber)).not.toContain('777');
  });

  it('is not begun when what was left open cannot be settled (Protocol 5.4 rule 6)', async () => {
    const left = someCard({ cardId: 99 as CardId, cardNumber: '777' });
    const domain = await createDomain({ cards: [card], open: [{ kind: 'add', card: left, before: null }] });
    domain.link.reply(lockId, () => refusal('busy'));
    expect(await codeOf(() => begin(domain, 'gateway'))).toBe('lock-refused');
    expect(domain.link.ops()).toEqual(['list-cards']);
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [{ kind: 'add', card: left, before: null }] });
  });
});

describe.each(changes)('$change that a phone has done', ({ begin, after }) => {
  it('is only recorded, on a lock that is offline as well (HTTP API 6)', async () => {
    const domain = await createDomain({ cards: [card], online: false });
    await begin(domain, 'phone');
    expect(domain.cards.now(lockId)).toEqual({ cards: after, open: [] });
    expect(domain.link.sent).toEqual([]);
  });

  it('is storage-unavailable, and nothing is changed, when it cannot be kept (HTTP API 4)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.storage.fails = (write) => write === 'entries.update';
    expect(await codeOf(() => begin(domain, 'phone'))).toBe('storage-unavailable');
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });
});

describe('a card that the lock does not have', () => {
  it('is removed all the same: that is what was asked for (Protocol 5.2 not-found)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.link.reply(lockId, () => refusal('not-found'));
    await domain.cardService.remove(manager, lockId, cardId, 'gateway', stays());
    expect(domain.link.ops()).toEqual(['remove-card']);
    expect(domain.cards.now(lockId)).toEqual({ cards: [], open: [] });
  });

  it('is put there with its new dates when they are changed (Protocol 5.2 not-found)', async () => {
    const domain = await createDomain({ cards: [card] });
    const memory = createCardMemory();
    domain.link.reply(lockId, memory.replier);
    await domain.cardService.changeValidity(manager, lockId, cardId, period, 'gateway', stays());
    expect(domain.link.ops()).toEqual(['update-card', 'add-card']);
    expect(memory.cards()).toEqual([{ cardNumber: card.cardNumber, ...period }]);
    expect(domain.cards.now(lockId)).toEqual({ cards: [{ ...card, ...period }], open: [] });
  });

  it('keeps its dates when it cannot be put there (HTTP API 4 lock-refused)', async () => {
    const domain = await createDomain({ cards: [card] });
    domain.link.reply(lockId, ({ op }) => refusal(op === 'add-card' ? 'no-space' : 'not-found'));
    const change = domain.cardService.changeValidity(manager, lockId, cardId, period, 'gateway', stays());
    await expect(change).rejects.toMatchObject({ code: 'lock-refused', lockError: 'no-space' });
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
  });

  it('is not put there by an add to which the lock says not-found (HTTP API 4 lock-refused)', async () => {
    const domain = await createDomain();
    domain.link.reply(lockId, () => refusal('not-found'));
    expect(await codeOf(() => domain.cardService.add(manager, lockId, newCard(), 'gateway', stays()))).toBe('lock-refused');
  });
});

describe('a phone change', () => {
  it.each([
    ['add', 'the add of the same number', { kind: 'add', card: someCard({ cardId: 99 as CardId, cardNumber: '0042' }) }],
    ['changeValidity', 'a deletion', { kind: 'delete', cardId }],
    ['changeValidity', 'another validity', { kind: 'change-validity', cardId, startDate: 5, endDate: 6 }],
    ['remove', 'a new validity', { kind: 'change-validity', cardId, startDate: 5, endDate: 6 }],
  ] as const)('%s ends an open step of the same card (%s): it is newer (Protocol 5.4 rule 6)', async (name, _what, step) => {
    const other = { kind: 'add', card: someCard({ cardId: 98 as CardId, cardNumber: '5' }), before: null } as const;
    const domain = await createDomain({ cards: [card], open: [step, other] });
    await changes.find(({ change }) => change === name)?.begin(domain, 'phone');
    expect(domain.cards.now(lockId).open).toEqual([other]);
  });

  it('that adds a card while the gateway begins to add the same one wins: nothing is sent, nothing stays open (HTTP API 4 card-exists)', async () => {
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
    expect(cards.now(lockId)).toMatchObject({ cards: [{ cardNumber: '0042' }], open: nothingOpen });
    expect(link.sent).toEqual([]);
  });

  it('that removes a card while the gateway begins to change it wins: nothing is sent, nothing stays open (HTTP API 4 card-not-found)', async () => {
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
    expect(cards.now(lockId)).toEqual({ cards: [], open: [] });
    expect(link.sent).toEqual([]);
  });

  it('that adds the card while the add of the gateway is under way leaves one card (HTTP API 4 card-exists)', async () => {
    const { cardService, cards, link } = await createDomain();
    const gateway = codeOf(() => cardService.add(manager, lockId, newCard(), 'gateway', stays()));
    await settled();
    const phoneId = await cardService.add(manager, lockId, newCard({ name: 'by phone' }), 'phone', stays());
    link.sent[0]?.answer(ok);
    expect(await gateway).toBe('card-exists');
    expect(cards.now(lockId)).toMatchObject({ cards: [{ cardId: phoneId, name: 'by phone' }], open: nothingOpen });
  });
});
