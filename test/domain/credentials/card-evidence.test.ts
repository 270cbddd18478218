// No card that the gateway did not put on a lock is taken off it by itself, and none that it did put there unconfirmed stays silently.
import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../src/domain/credentials/card-rules.ts';
import { callers, codeOf, createDomain, lockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, type Replier, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { manager } = callers;
const card = someCard();
const always = { startDate: 0, endDate: 0 };
const known = { cardNumber: card.cardNumber, ...always };
const added = { cardNumber: '42', ...always };
const newCard = { ...added, byteOrder: 'regular', name: 'red' } as const;

type Domain = Awaited<ReturnType<typeof createDomain>>;

/** The gateway knows `card`; the lock holds these, and swallows its replies to `add-card`. */
async function setUp(...onLock: (typeof known)[]) {
  const domain = await createDomain({ cards: [card] });
  const memory = createCardMemory(...onLock);
  const replier: Replier = (command) => {
    const outcome = memory.replier(command);
    return command.op === 'add-card' ? undefined : outcome;
  };
  domain.link.reply(lockId, replier);
  return { ...domain, memory, replier };
}

function hello({ reports, secrets }: Domain, count: number, held: readonly (typeof known)[]): void {
  const digest = digestOf(
    held.map((one) => ({ ...card, ...one })),
    secrets.hash,
  );
  reports.hello(lockId, { cards: { count, digest } });
}

/** Adds `added`, whose reply is lost, and waits until that is settled. */
async function addInVain(domain: Domain): Promise<void> {
  const code = codeOf(() => domain.cardService.add(manager, lockId, newCard, 'gateway', stays()));
  await domain.clock.advance(10_000);
  expect(await code).toBe('lock-timeout');
  await settled();
  expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
}

describe('an add whose outcome stayed open', () => {
  it('is taken off when the lock said in its hello that it holds what the gateway has (Protocol 4.1 cards)', async () => {
    const domain = await setUp(known);
    hello(domain, 1, [known]);
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([known]);
  });

  it('is taken off when the lock said in its hello that it holds nothing (Protocol 4.1 cards)', async () => {
    const domain = await setUp();
    hello(domain, 0, []);
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([]);
  });

  it('is taken off when it was not among the cards that the lock listed in this session (Protocol 5.1 list-cards)', async () => {
    const domain = await setUp(known, { ...added, cardNumber: '5' });
    await domain.cardService.onLock(manager, lockId, { pageNo: 1, pageSize: 10 }, stays());
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([known, { ...added, cardNumber: '5' }]);
  });

  it('stays, with the dates that it had, when it was among them (Protocol 5.1 list-cards)', async () => {
    const domain = await setUp(known, { ...added, startDate: 3, endDate: 4 });
    await domain.cardService.onLock(manager, lockId, { pageNo: 1, pageSize: 10 }, stays());
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([known, { ...added, startDate: 3, endDate: 4 }]);
  });

  it('stays, with the dates that it had, when the lock had shown it before and says now that nothing has changed (Protocol 4.1)', async () => {
    const stranger = { ...added, startDate: 3, endDate: 4 };
    const domain = await setUp(known, stranger);
    expect(await domain.reconciler.list(lockId)).toBe(true);
    domain.link.connect(lockId, domain.replier);
    hello(domain, 2, [known, stranger]);
    await settled();
    expect(domain.entries.inMemory(lockId)?.byNumber('card', '42')).toMatchObject({ createdBy: '' });
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([known, stranger]);
  });

  it.each([
    ['in this session', () => {}],
    [
      'but in an earlier session',
      (domain: Domain) => {
        hello(domain, 1, [known]);
        domain.link.connect(lockId);
      },
    ],
    ['that other cards are on it, too', (domain: Domain) => hello(domain, 2, [known, added])],
  ])('stays, and is told, when the lock has said nothing %s', async (_what, say) => {
    const domain = await setUp(known, added);
    say(domain);
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([known, added]);
    expect(domain.notices).toContainEqual({ kind: 'card-left-on-lock', lockId });
  });

  it('stays, and is reported, when a phone has changed that number since (Specification 4.2 rule 1)', async () => {
    const domain = await setUp(known, added);
    hello(domain, 1, [known]);
    const cardId = await domain.cardService.add(manager, lockId, newCard, 'phone', stays());
    await domain.cardService.remove(manager, lockId, cardId, 'phone', stays());
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([known, added]);
  });

  it('is taken off again when the gateway itself has added and removed that card before (Protocol 5.4 rule 6)', async () => {
    const domain = await setUp(known, added);
    await domain.cardService.onLock(manager, lockId, { pageNo: 1, pageSize: 10 }, stays());
    const cardId = await domain.cardService.add(manager, lockId, newCard, 'phone', stays());
    await domain.cardService.remove(manager, lockId, cardId, 'gateway', stays());
    await addInVain(domain);
    expect(domain.memory.cards()).toEqual([known]);
  });
});

describe('an add that the lock refused, which could not be stored', () => {
  it('takes no card off when a phone has put one of that number there since (Protocol 5.4 rule 6)', async () => {
    const domain = await setUp(known);
    hello(domain, 1, [known]);
    domain.link.reply(lockId, (command) => {
      domain.storage.fails = (write) => command.op === 'add-card' && write === 'entries.update';
      return command.op === 'add-card' ? refusal('busy') : domain.memory.replier(command);
    });
    expect(await codeOf(() => domain.cardService.add(manager, lockId, newCard, 'gateway', stays()))).toBe('lock-refused');
    expect(domain.cards.now(lockId).open).toHaveLength(1);
    domain.storage.fails = () => false;
    domain.memory.replier({ op: 'add-card', ...added });
    await domain.reconciler.reconcile(lockId);
    expect(domain.cards.now(lockId)).toEqual({ cards: [card], open: [] });
    expect(domain.memory.cards()).toEqual([known, added]);
  });
});
