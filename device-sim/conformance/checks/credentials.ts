// One memory for cards and passcodes: the features credentials, hours and once (Protocol 5.1, 4.1).
import type { Check, Need } from '../check.ts';
import { type Credential, cardDigest, credentialDigest } from '../lock-messages.ts';
import type { LockSession } from '../session.ts';
import { broken, expectThat, heldUnless, notTried, type Verdict } from '../verdict.ts';
import { batch, card, codeFor, holds, page, passcode, put, textOf } from './credential-memory.ts';
import { inPages, placesFor } from './listing.ts';

const year = 31_536_000_000;
const needs: readonly Need[] = ['credentials'];
const withCodes: readonly Need[] = ['credentials', 'passcodes'];

export const credentialChecks: readonly Check[] = [
  {
    name: 'put-credentials',
    rule: 'Protocol 5.1',
    title: 'put-credentials stores cards, and the reply has count and digest as they are then',
    needs,
    async run(session) {
      const items = [card('1325672378'), card('998877', { startDate: Date.now(), endDate: Date.now() + year })];
      const { count, digest } = await put(session, ...items);
      const due = `count 2, digest ${credentialDigest(items)}`;
      expectThat(`count ${count}, digest ${digest}` === due, `count ${count}, digest ${digest}`, due);
      return holds(session, ...items);
    },
  },
  {
    name: 'two-kinds',
    rule: 'Protocol 5.1',
    title: 'a card and a passcode with the same digits are two things',
    needs: withCodes,
    async run(session) {
      const number = `9${codeFor(session, '4321').slice(1)}`;
      await put(session, card(number), passcode(number));
      const both = await holds(session, card(number), passcode(number));
      if (both.verdict !== 'held') return both;
      await batch(session, 'remove-credentials', [{ kind: 'card', number }]);
      return holds(session, passcode(number));
    },
  },
  {
    name: 'leading-zeros',
    rule: 'Protocol 5.1',
    title: 'a passcode has its leading zeros',
    needs: withCodes,
    async run(session) {
      const code = passcode(codeFor(session, '42'));
      await put(session, code);
      return holds(session, code);
    },
  },
  {
    name: 'whole-values',
    rule: 'Protocol 5.1',
    title: 'a number that is there gets the new values, whole',
    needs,
    async run(session) {
      await put(session, card('998877', { startDate: Date.now(), endDate: Date.now() + year }));
      await put(session, card('998877'));
      return holds(session, card('998877'));
    },
  },
  {
    name: 'failed-items',
    rule: 'Protocol 5.1',
    title: 'an item that cannot be stored is named in result.failed, and the others are stored',
    needs: withCodes,
    async run(session) {
      const [, most] = session.hello.limits?.passcodeDigits ?? [4, 9];
      if (most >= 20) return notTried('the lock takes passcodes of 20 digits, so none is too long');
      const items = [card('31'), passcode('1'.repeat(most + 1)), card('32')];
      const { failed = [] } = await batch(session, 'put-credentials', items);
      const came = failed.map(({ index }) => index).join(', ');
      expectThat(
        came === '1',
        came === '' ? 'no failed item' : `the failed items ${came}`,
        `item 1 failed: the lock takes at most ${most} digits`,
      );
      return holds(session, card('31'), card('32'));
    },
  },
  {
    name: 'batch-of-20',
    rule: 'Protocol 5.1',
    title: 'a batch has up to 20 items',
    needs,
    async run(session) {
      const items = Array.from({ length: 20 }, (_, index) =>
        card(`1844674407370955${1000 + index}`, { startDate: Date.now(), endDate: Date.now() + year }),
      );
      await put(session, ...items);
      return holds(session, ...items);
    },
  },
  {
    name: 'credential-pages',
    rule: 'Protocol 5.1',
    title: 'the pages of list-credentials fit together',
    needs,
    async run(session) {
      const items = ['55', '9', '1000', '77777', '31'].map((number) => card(number));
      await put(session, ...items);
      const seen = await inPages(items.length, (offset, limit) => page(session, offset, limit));
      return heldUnless(textOf(seen) === textOf(items) ? undefined : textOf(seen), textOf(items));
    },
  },
  {
    name: 'remove-credentials',
    rule: 'Protocol 5.1',
    title: 'remove-credentials takes away what it names, and is ok when one was not there',
    needs,
    async run(session) {
      const codes = session.hello.limits?.passcodes === 0 ? [] : [passcode(codeFor(session, '42'))];
      await put(session, card('31'), card('3'), ...codes);
      const { count } = await batch(session, 'remove-credentials', [
        { kind: 'card', number: '3' },
        { kind: 'card', number: '4444' },
        ...codes.map(({ kind, number }) => ({ kind, number })),
      ]);
      expectThat(count === 1, `count ${count}`, 'count 1');
      return holds(session, card('31'));
    },
  },
  {
    name: 'credential-digest',
    rule: 'Protocol 4.1',
    title: 'the hello has the count and the digest of cards and passcodes',
    needs,
    async run(session) {
      const codes = session.hello.limits?.passcodes === 0 ? [] : [passcode(codeFor(session, '42'), { endDate: Date.now() + year })];
      const items = [card('998877'), ...codes, card('1325672378')];
      await put(session, ...items);
      await session.reconnect();
      const { credentials } = session.hello;
      if (credentials === undefined) return broken('a hello without credentials', 'credentials in each hello of a lock with this feature');
      const due = `count ${items.length}, digest ${credentialDigest(items)}`;
      const came = `count ${credentials.count}, digest ${credentials.digest}`;
      expectThat(came === due, came, due);
      const alone = items.filter(({ kind }) => kind === 'card').map(({ number, ...dates }) => ({ cardNumber: number, ...dates }));
      const { digest } = session.hello.cards ?? {};
      return heldUnless(
        digest === cardDigest(alone) ? undefined : `cards with the digest ${digest}`,
        `cards with the digest ${cardDigest(alone)}`,
      );
    },
  },
  {
    name: 'one-memory',
    rule: 'Protocol 4.1',
    title: 'list-cards shows the cards of the one memory, and add-card adds to it',
    needs,
    async run(session) {
      await put(session, card('998877'));
      await session.askOk('add-card', { args: { cardNumber: '31', startDate: 0, endDate: 0 } });
      return holds(session, card('998877'), card('31'));
    },
  },
  {
    name: 'hours-text',
    rule: 'Protocol 5.1',
    title: 'hours are stored as the text that came, and put without them takes them off',
    needs: ['credentials', 'hours'],
    async run(session) {
      const timed = card('998877', { hours: (session.hello.limits?.hours ?? 2) < 2 ? '12345:480-1080' : '12345:480-1080;67:540-720' });
      await put(session, timed);
      const stored = await holds(session, timed);
      if (stored.verdict !== 'held') return stored;
      await put(session, card('998877'));
      return holds(session, card('998877'));
    },
  },
  {
    name: 'once-listed',
    rule: 'Protocol 5.1',
    title: 'a code that opens once is listed as that',
    needs: ['credentials', 'once', 'passcodes'],
    async run(session) {
      const code = passcode(codeFor(session, '4711'), { once: true });
      await put(session, code, card('31'));
      return holds(session, code, card('31'));
    },
  },
  {
    name: 'set-calendar',
    rule: 'Protocol 5.1',
    title: 'set-calendar stores an offset, four transitions and holidays',
    needs: ['credentials', 'hours'],
    async run(session) {
      const { timezoneRawOffset: offset } = session;
      const gateways = session.trace.entries.findLast(
        (entry) => entry.kind === 'commanded' && !entry.isOurs && entry.op === 'set-calendar',
      );
      const transitions = [1, 2, 3, 4].map((half) => ({ at: Date.now() + (half * year) / 2, offset: offset + (half % 2) * 3_600_000 }));
      const most = session.hello.limits?.holidays ?? 1;
      const holidays = ['2030-12-25', '2030-12-26'].slice(0, most);
      const { ok, error } = await session.ask('set-calendar', { args: { offset, transitions, holidays } });
      if (gateways?.kind === 'commanded') await session.ask('set-calendar', { args: gateways.args });
      return heldUnless(ok ? undefined : `it was refused: ${error}`, 'ok');
    },
  },
  {
    name: 'credentials-no-space',
    rule: 'Protocol 5.2',
    title: 'a card that does not fit is no-space, item by item',
    needs,
    run: (session) => fill(session, 'card', (index) => String(7_000_001 + index)),
  },
  {
    name: 'passcodes-no-space',
    rule: 'Protocol 5.2',
    title: 'as many passcodes fit as the hello says, and one more is no-space',
    needs: withCodes,
    run: (session) => fill(session, 'passcode', (index) => String(Number(codeFor(session, '1').replaceAll('0', '1')) + index)),
  },
];

const mostToFill = 2_000;

/** Takes all places for this kind, with these numbers, and one beyond. */
async function fill(session: LockSession, kind: Credential['kind'], numberAt: (index: number) => string): Promise<Verdict> {
  const places = placesFor(session, `${kind}s`, mostToFill);
  const item = (index: number): Credential => ({ kind, number: numberAt(index), startDate: 0, endDate: 0 });
  for (let start = 0; start < places; start += 20) {
    const size = Math.min(20, places - start);
    await put(session, ...Array.from({ length: size }, (_, index) => item(start + index)));
  }
  const { failed = [], count } = await batch(session, 'put-credentials', [{ ...item(0), endDate: Date.now() + year }, item(places)]);
  const came = failed.map(({ index, error }) => `item ${index} ${error}`).join(', ');
  expectThat(
    came === 'item 1 no-space',
    came === '' ? 'all stored' : came,
    'item 0 stored, as it takes no further place, and item 1 no-space',
  );
  return heldUnless(count === places ? undefined : `count ${count}`, `count ${places}`);
}
