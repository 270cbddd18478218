// A lock of today's firmware: one memory for cards and passcodes, over commands and at the door (Protocol 4.1, 4.4, 5.1, 5.3).
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LockProfileInput } from '../../device-sim/lock-profile.ts';
import { type LockOnTheBench, putLockOnTheBench, travelMs } from './support/lock-on-the-bench.ts';

const features = ['credentials', 'hours', 'once'];
const card = { kind: 'card', number: '998877', startDate: 0, endDate: 0 } as const;
const code = { kind: 'passcode', number: '0042', startDate: 0, endDate: 0 } as const;
const emptyDigest = 'e3b0c44298fc1c14';

let bench: LockOnTheBench;

async function put(profile: LockProfileInput = {}): Promise<LockOnTheBench> {
  bench = await putLockOnTheBench({ features, clock: 'set', ...profile });
  bench.connect();
  return bench;
}

async function types(number: string): Promise<string> {
  const shown = bench.lock.enterPasscode(number);
  // Writing to its memory takes a moment of real time.
  for (let wait = 0; wait < 20; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    bench.time.advance(travelMs);
  }
  const { done, reason } = await shown;
  return done ? 'open' : (reason ?? '');
}

afterEach(() => bench.remove());

describe('the hello of a lock of today', () => {
  it('says what it can do, how much it holds, and the digest of that, beside its cards', async () => {
    await put({ cards: [{ cardNumber: '998877', startDate: 0, endDate: 0 }], passcodes: ['1234'] });
    expect(bench.connect()).toMatchObject({
      features,
      limits: { cards: 200, passcodes: 150, passcodeDigits: [4, 9], hours: 8, holidays: 64 },
      cards: { count: 1 },
      credentials: { count: 2 },
    });
  });

  it('is that of the first version when it has no features', async () => {
    await put({ features: [] });
    expect(Object.keys(bench.connect())).not.toEqual(expect.arrayContaining(['features']));
    for (const op of ['put-credentials', 'set-calendar'])
      expect(await bench.ask(op, { items: [card] })).toMatchObject({ ok: false, error: 'not-supported' });
  });
});

describe('put, remove and list', () => {
  it('tell in each reply how many there are and their digest, as the next hello does', async () => {
    await put();
    const one = await bench.ask('put-credentials', { items: [card, { ...code, hours: '12345:480-1080', once: true }] });
    expect(one).toMatchObject({ ok: true, result: { count: 2, digest: expect.stringMatching(/^[0-9a-f]{16}$/) } });
    expect(bench.connect().credentials).toEqual(one.result);
    const listed = await bench.ask('list-credentials', { offset: 1, limit: 100 });
    expect(listed.result).toEqual({ ...(one.result as object), credentials: [{ ...code, hours: '12345:480-1080', once: true }], total: 2 });
    const gone = await bench.ask('remove-credentials', { items: [card, code, { kind: 'card', number: '1' }] });
    expect(gone.result).toEqual({ count: 0, digest: emptyDigest });
  });

  it('store what fits, and name the rest', async () => {
    await put({ cardCapacity: 1, passcodeCapacity: 1, hoursCapacity: 1, features: ['credentials', 'hours'] });
    const { result } = await bench.ask('put-credentials', {
      items: [
        { ...card, number: '1' },
        { ...card, number: '2' },
        { ...code, number: '123' },
        { ...code, once: true },
        { ...code, hours: '1:0-60;2:0-60' },
        { ...card, number: '1', endDate: 5 },
        { ...card, number: '1', startDate: 6, endDate: 5 },
        code,
      ],
    });
    expect(result).toMatchObject({
      count: 2,
      failed: [
        { index: 1, error: 'no-space' },
        { index: 2, error: 'failed' },
        { index: 3, error: 'not-supported' },
        { index: 4, error: 'not-supported' },
        { index: 6, error: 'failed' },
      ],
    });
    expect(bench.memory.contents.cards).toEqual([{ cardNumber: '1', startDate: 0, endDate: 5 }]);
  });

  it('take nothing with dates or hours while the clock is not set (Protocol 5.3 rule 4)', async () => {
    await put({ clock: 'unset' });
    const { result } = await bench.ask('put-credentials', { items: [{ ...code, hours: '1:0-60' }, { ...card, startDate: 5 }, code] });
    expect(result).toMatchObject({
      count: 1,
      failed: [
        { index: 0, error: 'clock-not-set' },
        { index: 1, error: 'clock-not-set' },
      ],
    });
  });

  it('and the ops of the first version work on the same cards', async () => {
    await put();
    await bench.ask('add-card', { cardNumber: '998877', startDate: 0, endDate: 0 });
    expect((await bench.ask('list-credentials', { offset: 0, limit: 10 })).result).toMatchObject({ credentials: [card] });
    await bench.ask('put-credentials', { items: [{ ...card, hours: '1:0-60' }] });
    expect((await bench.ask('list-cards', { offset: 0, limit: 10 })).result).toEqual({
      cards: [{ cardNumber: '998877', startDate: 0, endDate: 0 }],
      total: 1,
    });
  });

  it('show no digits of a passcode where the lock does not', async () => {
    await put({ showsPasscodes: false });
    await bench.ask('put-credentials', { items: [card, code] });
    const { result } = await bench.ask('list-credentials', { offset: 0, limit: 10 });
    expect(result).toMatchObject({ credentials: [card, { kind: 'passcode', number: null, id: expect.any(String) }] });
    expect(JSON.stringify(result)).not.toContain('0042');
  });

  it('survive a power cut', async () => {
    await put();
    const { result } = await bench.ask('put-credentials', { items: [card, code] });
    bench = await bench.reboot();
    expect(bench.connect().credentials).toEqual(result);
  });
});

describe('at the door', () => {
  it('a code opens, and a slip of the finger is not told (Protocol 4.4)', async () => {
    await put();
    await bench.ask('put-credentials', { items: [code] });
    expect([await types('0043'), await types('0042')]).toEqual(['wrong-passcode', 'open']);
    expect(bench.memory.contents.events).toMatchObject([
      { type: 'passcode-unlock', success: false, reason: 'wrong-passcode' },
      { type: 'passcode-unlock', credential: '0042' },
    ]);
    expect(bench.memory.contents.events[0]).not.toHaveProperty('credential');
  });

  it('a one-time code is off the memory and the disk before the bolt moves, and is named afterwards', async () => {
    await put({ autoLockSeconds: 1 });
    await bench.ask('put-credentials', { items: [{ ...code, once: true }] });
    expect(await types('0042')).toBe('open');
    expect(bench.connect().credentials).toEqual({ count: 0, digest: emptyDigest });
    bench = await bench.reboot();
    bench.connect();
    expect(await types('0042')).toBe('used');
  });

  it('a one-time code typed twice at the same time opens once', async () => {
    await put();
    await bench.ask('put-credentials', { items: [{ ...code, once: true }] });
    const both = await Promise.all([types('0042'), types('0042')]);
    expect(both.sort()).toEqual(['open', 'used']);
  });

  it('hours are judged by its own clock and calendar', async () => {
    await put();
    await bench.ask('put-credentials', { items: [{ ...code, hours: '12345:420-1140' }] });
    await bench.ask('set-calendar', { offset: 3_600_000, transitions: [], holidays: ['2026-01-02'] });
    // The bench begins on 2026-01-01, a Thursday, at 00:00 UTC: one in the morning there.
    expect(await types('0042')).toBe('schedule');
    bench.time.advance(6 * 3_600_000);
    expect(await types('0042')).toBe('open');
    bench.time.advance(24 * 3_600_000);
    expect(await types('0042')).toBe('schedule');
  });
});

describe('what can be wrong', () => {
  it.each([
    ['forgets', 'put-credentials', 0],
    ['keeps', 'remove-credentials', 1],
  ] as const)('a lock that %s says ok to %s, and its digest shows it', async (fault, op, count) => {
    await put();
    if (fault === 'keeps') await bench.ask('put-credentials', { items: [card] });
    bench.faults.add(fault);
    expect(await bench.ask(op, { items: [card] })).toMatchObject({ ok: true, result: { count } });
    expect(bench.connect().credentials?.count).toBe(count);
    expect(
      await bench.ask(fault === 'keeps' ? 'remove-card' : 'add-card', { cardNumber: '998877', startDate: 0, endDate: 0 }),
    ).toMatchObject({
      ok: true,
    });
    expect(bench.memory.contents.cards).toHaveLength(count);
  });

  it('a digest is wrong in hello and reply, until it is not', async () => {
    await put();
    bench.faults.add('wrong-digest');
    expect(bench.connect().credentials).not.toEqual({ count: 0, digest: emptyDigest });
    expect((await bench.ask('remove-credentials', { items: [card] })).result).not.toEqual({ count: 0, digest: emptyDigest });
    bench.faults.clear();
    expect(bench.connect().credentials).toEqual({ count: 0, digest: emptyDigest });
  });
});
