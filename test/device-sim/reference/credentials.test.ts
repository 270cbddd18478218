// The cards and passcodes of the reference lock in C: what it stores, and whom it opens for.
import { describe, expect, test } from '@jest/globals';
import { cardDigest } from '../../../device-sim/card-memory.ts';
import { type Credential, credentialDigest, type Held } from '../../../device-sim/credential-memory.ts';
import { until } from '../../support/site.ts';
import { useReferenceLock } from '../support/reference-bench.ts';

const bench = useReferenceLock();
const { ask, begin, events, heard, online, send, swipe } = bench;

function heldOf(all: readonly Credential[]): Held {
  const of = (wanted: Credential['kind']) => all.filter(({ kind }) => kind === wanted).map(({ kind, ...rest }) => rest);
  return { cards: of('card').map(({ number, ...rest }) => ({ cardNumber: number, ...rest })), passcodes: of('passcode') };
}

describe('holds cards', () => {
  const card = (cardNumber: string, startDate = 0, endDate = 0) => ({ cardNumber, startDate, endDate });

  test('adds, changes, lists and removes them, with the digest of Protocol 4.1, over a power cut', async () => {
    await begin();
    const [now, later] = [1_767_225_600_000, 1_798_761_599_000];
    expect(await ask({ op: 'set-clock', args: { now, timezoneRawOffset: 3_600_000 } })).toMatchObject({ ok: true });
    const cards = [card('998877'), card('3123119183', now, later), card('1325672378'), card('18446744073709551615')];
    for (const args of [card('5'), ...cards]) expect(await ask({ op: 'add-card', args })).toMatchObject({ ok: true });
    expect(await ask({ op: 'update-card', args: card('404') })).toMatchObject({ error: 'not-found' });
    expect(await ask({ op: 'update-card', args: card('998877', 0, later) })).toMatchObject({ ok: true });
    for (const cardNumber of ['5', '404']) expect(await ask({ op: 'remove-card', args: { cardNumber } })).toMatchObject({ ok: true });
    const held = [card('1325672378'), card('18446744073709551615'), card('3123119183', now, later), card('998877', 0, later)];
    expect((await ask({ op: 'list-cards', args: { offset: 0, limit: 100 } })).result).toMatchObject({ cards: held, total: 4 });
    expect((await ask({ op: 'list-cards', args: { offset: 1, limit: 2 } })).result).toMatchObject({ cards: held.slice(1, 3), total: 4 });
    await bench.lock.powerCut();
    bench.lock.start();
    await online();
    expect(bench.hello.cards).toEqual({ count: 4, digest: cardDigest(held) });
    expect(bench.hello.date).toBeUndefined();
  });

  test('refuses wrong ones, and dates while its clock is not set (Protocol 5.3 rule 4)', async () => {
    await begin();
    const wrong = [
      ...[card(''), card('12x'), card('1'.repeat(21)), card('1', -1, 0), card('1', 5, 4), card('1', 1.5, 9), { cardNumber: '1' }],
      { ...card('1'), cardNumber: 1 },
      { ...card('1'), startDate: '0' },
    ];
    for (const args of wrong) expect(await ask({ op: 'add-card', args })).toMatchObject({ ok: false, error: 'failed' });
    for (const args of [card('1', 0, 1), card('1', 1, 0)])
      expect(await ask({ op: 'add-card', args })).toMatchObject({ ok: false, error: 'clock-not-set' });
    expect((await ask({ op: 'list-cards', args: { offset: 0, limit: 1 } })).result).toMatchObject({ cards: [], total: 0 });
    for (const args of [{ offset: 0, limit: 0 }, { offset: 0, limit: 101 }, { offset: -1, limit: 1 }, {}])
      expect(await ask({ op: 'list-cards', args })).toMatchObject({ error: 'failed' });
  });

  test('has no-space when all places are taken, and one again after a removal', async () => {
    await begin();
    const room = bench.hello.limits?.cards as number;
    for (let n = 1; n <= room; n++) send({ id: `add-${n}`, op: 'add-card', args: card(`${2 ** 53 - n}0000`, 0, 0) });
    await until(() => heard('reply').length === room, 'all are in');
    expect(await ask({ op: 'add-card', args: card('7') })).toMatchObject({ ok: false, error: 'no-space' });
    const listed = (await ask({ op: 'list-cards', args: { offset: 0, limit: 100 } })).result as { cards: object[]; total: number };
    expect([listed.cards.length, listed.total]).toEqual([100, room]);
    await ask({ op: 'remove-card', args: { cardNumber: `${2 ** 53 - 1}0000` } });
    expect(await ask({ op: 'add-card', args: card('7') })).toMatchObject({ ok: true });
  });

  test('opens for a card in its time alone, and records every attempt with the reason', async () => {
    await begin();
    const now = 1_767_225_600_000;
    await ask({ op: 'set-auto-lock', args: { seconds: 0 } });
    await ask({ op: 'add-card', args: card('11') });
    await swipe('404');
    await ask({ op: 'set-clock', args: { now, timezoneRawOffset: 0 } });
    await ask({ op: 'add-card', args: card('12', now - 1_000, now + 3_600_000) });
    await ask({ op: 'add-card', args: card('13', now + 3_600_000, 0) });
    await ask({ op: 'add-card', args: card('14', 0, now - 1) });
    for (const number of ['13', '14', '12', '11']) await swipe(number);
    await bench.lock.powerCut();
    bench.lock.start();
    await online();
    await swipe('12');
    await until(() => events().some(({ reason }) => reason === 'clock-not-set'), 'all events');
    const shown = events().map(({ type, reason, credential }) => [type, reason, credential].join(' ').trim());
    expect(shown.slice(0, 5)).toEqual([
      ...['card-unlock unknown-card 404', 'card-unlock not-valid-now 13', 'card-unlock not-valid-now 14'],
      ...['card-unlock  12', 'card-lock  11'],
    ]);
    expect(shown.at(-1)).toBe('card-unlock clock-not-set 12');
    expect(
      events()
        .filter(({ date }) => date === undefined)
        .map(({ credential }) => credential),
    ).toEqual(['404', '12']);
    expect(bench.lock.movements()).toEqual(['unlock card', 'lock card']);
  });
});

describe('holds passcodes in the same memory (feature credentials)', () => {
  const one = (kind: 'card' | 'passcode', number: string, more: object = {}) => ({ kind, number, startDate: 0, endDate: 0, ...more });
  const held = async () => (await ask({ op: 'list-credentials', args: { offset: 0, limit: 100 } })).result as { credentials: Credential[] };

  test('puts, lists and removes them, with the digest of Protocol 4.1, over a power cut', async () => {
    await begin();
    expect(bench.hello).toMatchObject({
      features: ['credentials', 'once'],
      credentials: { count: 0, digest: credentialDigest({ cards: [], passcodes: [] }) },
    });
    await ask({ op: 'set-clock', args: { now: 1_767_225_600_000, timezoneRawOffset: 0 } });
    const once = one('passcode', '0042', { startDate: 1_767_225_600_000, endDate: 1_767_312_000_000, once: true });
    const items = [once, one('card', '998877'), one('passcode', '998877'), one('card', '1325672378', { endDate: 9 })];
    const sorted = [one('card', '1325672378', { endDate: 9 }), one('card', '998877'), once, one('passcode', '998877')] as Credential[];
    const digest = credentialDigest(heldOf(sorted));
    expect((await ask({ op: 'put-credentials', args: { items } })).result).toEqual({ count: 4, digest, failed: [] });
    expect(await held()).toEqual({ count: 4, digest, total: 4, credentials: sorted });
    const page = await ask({ op: 'list-credentials', args: { offset: 1, limit: 2 } });
    expect(page.result).toMatchObject({ total: 4, credentials: sorted.slice(1, 3) });
    expect((await ask({ op: 'list-cards', args: { offset: 0, limit: 9 } })).result).toMatchObject({ total: 2 });
    await bench.lock.powerCut();
    bench.lock.start();
    await online();
    expect(bench.hello).toMatchObject({ cards: { count: 2 }, credentials: { count: 4, digest } });
    const gone = [once, one('card', '4')].map(({ kind, number }) => ({ kind, number }));
    expect((await ask({ op: 'remove-credentials', args: { items: gone } })).result).toMatchObject({ count: 3, failed: [] });
    expect((await held()).credentials).toEqual(sorted.filter(({ number }) => number !== '0042'));
    await ask({ op: 'put-credentials', args: { items: [one('card', '1325672378')] } });
    expect((await held()).credentials[0]).toEqual(one('card', '1325672378'));
  });

  test('names the items that it cannot store, and stores the others', async () => {
    await begin();
    const items = [
      ...[
        one('passcode', '123'),
        one('passcode', '1234567890'),
        one('card', ''),
        one('card', '12x'),
        one('passcode', '12345', { endDate: 9 }),
      ],
      ...[one('card', '1', { hours: '1:0-9' }), one('card', '2', { once: 'yes' }), one('card', '3', { startDate: '0' })],
      ...[{ ...one('card', '5'), kind: 'c' }, { ...one('card', '6'), kind: undefined }, 7, one('passcode', '1234')],
    ];
    const { result } = await ask({ op: 'put-credentials', args: { items } });
    const others: Readonly<Record<number, string>> = { 4: 'clock-not-set', 5: 'not-supported' };
    const due = Array.from({ length: 11 }, (_, index) => ({ index, error: others[index] ?? 'failed' }));
    expect(result).toMatchObject({ count: 1, failed: due });
    for (const wrong of [undefined, {}, [], Array(21).fill(one('card', '9'))])
      expect(await ask({ op: 'put-credentials', args: { items: wrong } })).toMatchObject({ ok: false, error: 'failed' });
    const batch = (first: number) => Array.from({ length: 20 }, (_, n) => one('passcode', `${first + n}`));
    for (const first of [2_000, 2_020]) await ask({ op: 'put-credentials', args: { items: batch(first) } });
    const full = (await ask({ op: 'put-credentials', args: { items: batch(2_040) } })).result;
    expect(full).toMatchObject({ count: 50, failed: Array.from({ length: 11 }, (_, n) => ({ index: 9 + n, error: 'no-space' })) });
  });

  test('opens for a code in its time, for one that opens once only once, and names no wrong one', async () => {
    await begin();
    await ask({ op: 'put-credentials', args: { items: [one('passcode', '0042'), one('passcode', '7777', { once: true })] } });
    for (const code of ['0042', '42', '7777', '7777']) {
      const before = bench.lock.lines.length;
      bench.lock.type(`code ${code}`);
      await until(() => bench.lock.lines.slice(before).some((line) => line.startsWith('event')), `the code ${code} is in the memory`);
      await ask({ op: 'lock' });
    }
    await until(() => events().filter(({ type }) => type.startsWith('passcode')).length === 4, 'all events');
    const codes = events().filter(({ type }) => type.startsWith('passcode'));
    expect(codes.map(({ type, reason, credential }) => [type, reason, credential])).toEqual([
      ['passcode-unlock', undefined, '0042'],
      ['passcode-unlock', 'wrong-passcode', undefined],
      ['passcode-unlock', undefined, '7777'],
      ['passcode-unlock', 'wrong-passcode', undefined],
    ]);
    expect((await held()).credentials).toEqual([one('passcode', '0042')]);
  });

  test('a code that opens once is gone when the power goes as the bolt begins to move', async () => {
    await begin();
    await ask({ op: 'put-credentials', args: { items: [one('passcode', '7777', { once: true })] } });
    bench.lock.type('code 7777');
    await bench.lock.says(/^bolt unlock passcode/);
    await bench.lock.powerCut();
    bench.lock.start();
    await online();
    expect(bench.hello).toMatchObject({ credentials: { count: 0 } });
  });

  test('one that is busy or without power costs nobody a code', async () => {
    await begin();
    await ask({ op: 'put-credentials', args: { items: [one('passcode', '7777', { once: true })] } });
    bench.lock.type('battery 3');
    bench.lock.type('code 7777');
    await bench.lock.says(/passcode-unlock low-battery 7777/);
    expect((await held()).credentials.length).toBe(1);
  });
});
