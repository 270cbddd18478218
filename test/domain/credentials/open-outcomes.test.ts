// Random changes of cards whose replies, or which themselves, get lost, beside people who change cards at the lock: in the end lock and list
// are what a few lines of brute force say. Nothing of the gateway's rules is used for that.
import { expect, test } from '@jest/globals';
import type { CardId, Validity } from '../../../src/domain/credentials/card.ts';
import { callers, codeOf, createDomain, lockId, stays } from '../../support/domain.ts';
import { createCardMemory, refusal } from '../../support/fake-link.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { settled } from '../../support/settable-clock.ts';

const { manager } = callers;
const numbers = ['11', '22', '33', '44', '55', '66'];
const fates = ['ok', 'ok', 'refused', 'lost', 'reply lost'] as const;
type Fate = (typeof fates)[number];

/** What must be so: the memory of the lock, and of the gateway's list the cards with their dates. */
interface Truth {
  readonly lock: Map<string, Validity>;
  readonly list: Map<string, Validity>;
  /** The lock has shown in this session what it holds. */
  isKnown: boolean;
  /** But for these, of which a phone has said something since. */
  readonly doubted: Set<string>;
}

async function setUp(seed: number) {
  const random = createRandom(seed);
  const domain = await createDomain();
  const strangers = numbers.slice(0, 2).map((cardNumber, n) => ({ cardNumber, startDate: 3, endDate: 4 + n }));
  const memory = createCardMemory(...strangers);
  let fate: Fate | undefined;
  domain.link.reply(lockId, (command) => {
    const isStep = 'cardNumber' in command && fate !== undefined;
    const mine = isStep ? fate : 'ok';
    if (isStep) fate = undefined;
    if (mine === 'refused') return refusal('busy');
    const outcome = mine === 'lost' ? undefined : memory.replier(command);
    return mine === 'reply lost' ? undefined : outcome;
  });
  const truth: Truth = {
    lock: new Map(strangers.map(({ cardNumber, startDate, endDate }) => [cardNumber, { startDate, endDate }])),
    list: new Map(),
    isKnown: false,
    doubted: new Set(),
  };
  const ids = new Map<string, CardId>();

  function hasShown(): void {
    truth.isKnown = true;
    truth.doubted.clear();
  }
  const isKnown = (number: string) => truth.isKnown && !truth.doubted.has(number);

  async function step(work: () => Promise<unknown>, next: Fate): Promise<string> {
    fate = next;
    const code = codeOf(async () => void (await work()));
    for (let n = 0; n < 14; n++) await domain.clock.advance(1_000);
    await settled();
    fate = undefined;
    return code;
  }
  const expected = { ok: 'done', refused: 'lock-refused', lost: 'lock-timeout', 'reply lost': 'lock-timeout' } as const;

  async function add(number: string, dates: Validity, how: Fate): Promise<void> {
    const card = { cardNumber: number, byteOrder: 'regular', name: number, ...dates } as const;
    const code = await step(async () => ids.set(number, await domain.cardService.add(manager, lockId, card, 'gateway', stays())), how);
    if (truth.list.has(number)) {
      expect(code).toBe('card-exists');
      return;
    }
    expect(code).toBe(expected[how]);
    if (how === 'ok') truth.list.set(number, dates);
    if (how === 'ok' || (how === 'reply lost' && !isKnown(number))) truth.lock.set(number, dates);
    if (code === 'lock-timeout') hasShown();
    if (how === 'ok') truth.doubted.delete(number);
  }
  async function change(number: string, dates: Validity, how: Fate): Promise<void> {
    const cardId = ids.get(number) as CardId;
    expect(await step(() => domain.cardService.changeValidity(manager, lockId, cardId, dates, 'gateway', stays()), how)).toBe(
      expected[how],
    );
    const isTaken = how === 'ok' || (how === 'reply lost' && truth.lock.has(number));
    if (isTaken) {
      truth.lock.set(number, dates);
      truth.list.set(number, dates);
    }
    if (how.endsWith('lost')) hasShown();
    if (how === 'ok') truth.doubted.delete(number);
  }
  async function remove(number: string, how: Fate): Promise<void> {
    const cardId = ids.get(number) as CardId;
    const code = await step(() => domain.cardService.remove(manager, lockId, cardId, 'gateway', stays()), how);
    expect(code).toBe(expected[how]);
    const isOff = how === 'ok' || how === 'reply lost' || (how === 'lost' && !truth.lock.has(number));
    if (isOff) {
      truth.lock.delete(number);
      truth.list.delete(number);
    }
    if (how.endsWith('lost')) hasShown();
    if (how === 'ok') truth.doubted.delete(number);
  }
  /** A phone changes the card at the lock, and says so. */
  async function byPhone(number: string, dates: Validity): Promise<void> {
    truth.doubted.add(number);
    const card = { cardNumber: number, byteOrder: 'regular', name: number, ...dates } as const;
    if (!truth.list.has(number)) {
      ids.set(number, await domain.cardService.add(manager, lockId, card, 'phone', stays()));
    } else if (random.chance(0.5)) {
      await domain.cardService.remove(manager, lockId, ids.get(number) as CardId, 'phone', stays());
      takeOff(number);
      truth.list.delete(number);
      return;
    } else await domain.cardService.changeValidity(manager, lockId, ids.get(number) as CardId, dates, 'phone', stays());
    memory.replier({ op: 'add-card', cardNumber: number, ...dates });
    truth.lock.set(number, dates);
    truth.list.set(number, dates);
  }
  /** Somebody takes it off at the lock: the gateway never gives it back by itself. */
  function takeOff(number: string): void {
    memory.replier({ op: 'remove-card', cardNumber: number });
    truth.lock.delete(number);
  }
  async function reconnect(): Promise<void> {
    domain.link.connect(lockId);
    truth.isKnown = random.chance(0.5);
    if (!truth.isKnown) return;
    expect(await domain.reconciler.list(lockId)).toBe(true);
    hasShown();
  }

  async function anything(): Promise<void> {
    const number = random.pick(numbers);
    const dates = { startDate: 1 + random.below(5), endDate: 4_000_000_000_000 + random.below(5) };
    const how = random.pick(fates);
    const isListed = truth.list.has(number);
    const what = random.below(10);
    if (what === 0) return reconnect();
    if (what === 1 && isListed) return takeOff(number);
    if (what === 3) return byPhone(number, dates);
    if (!isListed || what === 2) return add(number, dates, how);
    return what < 6 ? change(number, dates, how) : remove(number, how);
  }
  function check(): void {
    const onLock = memory.cards().map(({ cardNumber, ...dates }) => [cardNumber, dates] as const);
    expect(new Map(onLock)).toEqual(truth.lock);
    const { cards, open } = domain.cards.now(lockId);
    expect(new Map(cards.map(({ cardNumber, startDate, endDate }) => [cardNumber, { startDate, endDate }]))).toEqual(truth.list);
    expect(open).toEqual([]);
  }
  /** Nothing is remembered of a number that nobody wants and the lock does not have. */
  async function checkLast(): Promise<void> {
    await domain.reconciler.list(lockId);
    check();
    const left = domain.entries.inMemory(lockId)?.entries.filter(({ number }) => !truth.lock.has(number) && !truth.list.has(number));
    expect(left).toEqual([]);
  }
  return { random, add, remove, anything, check, checkLast };
}

test.each(Array.from({ length: 100 }, (_, n) => n + 1))(
  'lock and list are as the lock and its people had it, with seed %d',
  async (seed) => {
    const { anything, check, checkLast } = await setUp(seed);
    for (let n = 0; n < 40; n++) {
      await anything();
      check();
    }
    await checkLast();
  },
);

test('a thousand removals that nobody hears of end as the lock has them, beside cards of others', async () => {
  const { random, add, remove, check, checkLast } = await setUp(1_001);
  const own = numbers.slice(2);
  for (const number of own) await add(number, { startDate: 1, endDate: 4_000_000_000_000 }, 'ok');
  for (let run = 0; run < 1_000; run++) {
    const [number, how] = [random.pick(own), random.pick(['lost', 'reply lost'] as const)];
    await remove(number, how);
    check();
    if (how === 'reply lost') await add(number, { startDate: 1, endDate: 4_000_000_000_000 + random.below(5) }, 'ok');
  }
  await checkLast();
});
