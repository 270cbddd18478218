// The memory for cards, as every lock has it (Protocol 5.1, 4.1). The runner takes off again what is put on.
import type { Check } from '../check.ts';
import { type Card, cardDigest, cardList, emptyDigest } from '../lock-messages.ts';
import type { LockSession } from '../session.ts';
import { broken, expectThat, held, heldUnless, notTried, type Verdict } from '../verdict.ts';
import { inPages, placesFor, resultOf } from './listing.ts';

const year = 31_536_000_000;

/** Beyond what a double holds, and as long as a number may be. */
const longNumber = '18446744073709551615';

const always = { startDate: 0, endDate: 0 };

/** One page of list-cards. @throws Broken when the result is none */
async function page(session: LockSession, offset: number, limit: number) {
  const { cards, total } = await resultOf(session, 'list-cards', { offset, limit }, cardList, 'result.cards and result.total');
  return { list: cards, total };
}

/** @throws Broken when the lock refuses */
async function add(session: LockSession, ...cards: readonly Card[]): Promise<void> {
  for (const card of cards) await session.askOk('add-card', { args: card });
}

function textOf(cards: readonly Card[]): string {
  const lines = cards.map(({ cardNumber, startDate, endDate }) => `${cardNumber} from ${startDate} to ${endDate}`);
  return lines.length === 0 ? 'no cards' : lines.sort().join(', ');
}

/** Whether the lock lists exactly these. */
export async function listsCards(session: LockSession, ...cards: readonly Card[]): Promise<Verdict> {
  const listed = await page(session, 0, 100);
  const isSame = textOf(listed.list) === textOf(cards) && listed.total === cards.length;
  return heldUnless(isSame ? undefined : `${textOf(listed.list)} (total ${listed.total})`, textOf(cards));
}

export const cardChecks: readonly Check[] = [
  {
    name: 'add-card',
    rule: 'Protocol 5.1',
    title: 'add-card stores a card, and list-cards shows it',
    async run(session) {
      const cards = [
        { cardNumber: '1325672378', ...always },
        { cardNumber: '998877', startDate: 0, endDate: Date.now() + year },
      ];
      await add(session, ...cards);
      return listsCards(session, ...cards);
    },
  },
  {
    name: 'card-as-text',
    rule: 'Protocol 5.1',
    title: 'a card number has up to 20 digits and stays as it is',
    async run(session) {
      const cards = [longNumber, '9007199254740993'].map((cardNumber) => ({ cardNumber, ...always }));
      await add(session, ...cards);
      return listsCards(session, ...cards);
    },
  },
  {
    name: 'card-again',
    rule: 'Protocol 5.1',
    title: 'add-card of a card that is there gives it the new dates',
    async run(session) {
      const dated = { cardNumber: '998877', startDate: Date.now(), endDate: Date.now() + year };
      await add(session, { cardNumber: '998877', ...always }, dated);
      return listsCards(session, dated);
    },
  },
  {
    name: 'update-card',
    rule: 'Protocol 5.1',
    title: 'update-card stores the new dates, an open end as well',
    async run(session) {
      const open = { cardNumber: '998877', startDate: Date.now() + year, endDate: 0 };
      await add(session, { cardNumber: '998877', ...always });
      await session.askOk('update-card', { args: open });
      return listsCards(session, open);
    },
  },
  {
    name: 'card-not-there',
    rule: 'Protocol 5.2',
    title: 'update-card of a card that is not there is not-found, and stores nothing',
    async run(session) {
      const { ok, error } = await session.ask('update-card', { args: { cardNumber: '4444', ...always } });
      expectThat(!ok && error === 'not-found', `ok ${ok}, error ${error}`, 'error not-found');
      return listsCards(session);
    },
  },
  {
    name: 'remove-card',
    rule: 'Protocol 5.1',
    title: 'remove-card takes a card away, and no other, and is ok when it was not there',
    async run(session) {
      const [gone, stays] = ['998877', '99887'].map((cardNumber) => ({ cardNumber, ...always })) as [Card, Card];
      await add(session, gone, stays);
      for (const cardNumber of [gone.cardNumber, '4444']) await session.askOk('remove-card', { args: { cardNumber } });
      return listsCards(session, stays);
    },
  },
  {
    name: 'card-pages',
    rule: 'Protocol 5.1',
    title: 'the pages of list-cards fit together',
    async run(session) {
      const cards = ['55', '9', '1000', '77777', '31'].map((cardNumber) => ({ cardNumber, ...always }));
      await add(session, ...cards);
      const seen = await inPages(cards.length, (offset, limit) => page(session, offset, limit));
      return heldUnless(textOf(seen) === textOf(cards) ? undefined : textOf(seen), textOf(cards));
    },
  },
  {
    name: 'card-digest',
    rule: 'Protocol 4.1',
    title: 'the hello has the count and the digest of the cards',
    async run(session) {
      // As text 1325672378 comes before 998877.
      const cards = [
        { cardNumber: '998877', ...always },
        { cardNumber: '1325672378', ...always },
        { cardNumber: '3123119183', startDate: 1_767_225_600_000, endDate: 1_798_761_599_000 },
      ];
      await add(session, ...cards);
      await session.reconnect();
      const { cards: said } = session.hello;
      if (said === undefined) return notTried('the hello has no cards');
      const due = `count 3, digest ${cardDigest(cards)}`;
      const came = `count ${said.count}, digest ${said.digest}`;
      return heldUnless(came === due ? undefined : came, due);
    },
  },
  {
    name: 'empty-digest',
    rule: 'Protocol 4.1',
    title: 'a lock without cards has the digest of nothing',
    async run(session) {
      await session.reconnect();
      const { cards, credentials } = session.hello;
      const came = [cards, credentials].find((one) => one !== undefined && (one.count !== 0 || one.digest !== emptyDigest));
      if (cards === undefined && credentials === undefined) return notTried('the hello has neither cards nor credentials');
      return heldUnless(came && `count ${came.count}, digest ${came.digest}`, `count 0, digest ${emptyDigest}`);
    },
  },
  {
    name: 'card-no-space',
    rule: 'Protocol 5.2',
    title: 'a card beyond what fits is refused with no-space, and those there stay',
    run: fillCards,
  },
];

/** Filling one by one takes as long as there are places. */
const mostToFill = 400;

async function fillCards(session: LockSession): Promise<Verdict> {
  const places = placesFor(session, 'cards', mostToFill);
  for (let count = 0; count < places; count++) await add(session, { cardNumber: String(7_000_001 + count), ...always });
  const { ok, error } = await session.ask('add-card', { args: { cardNumber: '8000001', ...always } });
  if (ok || error !== 'no-space') return broken(`card ${places + 1} of ${places}: ok ${ok}, error ${error}`, 'error no-space');
  const { total } = await page(session, 0, 1);
  expectThat(total === places, `${total} cards after that`, `${places} cards`);
  const again = await session.ask('add-card', { args: { cardNumber: '7000001', startDate: 0, endDate: Date.now() + year } });
  return again.ok ? held : broken(`new dates for a card that is there: ${again.error}`, 'ok: it takes no further place');
}
