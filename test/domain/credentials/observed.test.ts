import { describe, expect, it } from '@jest/globals';
import { always, type Entry, entryKey, type ValidWindow } from '../../../src/domain/credentials/entry.ts';
import type { Shown } from '../../../src/domain/credentials/lock-memory.ts';
import { type Around, afterDigest, afterListing, afterReset, seen } from '../../../src/domain/credentials/observed.ts';
import { anyNow, someEntry, someStranger, someWindow, surely, unsurely } from '../../support/entries.ts';

/** Of a lock on which everything is wanted that was put there directly. */
function around(some: Partial<Around> = {}): Around {
  return { now: anyNow, basis: 'list', wanted: ({ direct }) => direct, isGranted: () => false, ...some };
}

function shown({ kind, number }: Entry, window: ValidWindow = always): Shown {
  return { kind, number, window };
}

const short = someWindow({ startDate: 1_000, endDate: anyNow + 5e8 });
const shorter = someWindow({ startDate: 1_000, endDate: anyNow + 4e8 });
const longer = someWindow({ startDate: 1_000, endDate: anyNow + 9e8 });

describe('what was changed at the lock', () => {
  it('what is gone without the gateway is missing', () => {
    expect(seen(someEntry(1), null, around())).toMatchObject({ missing: true, missingSince: anyNow, held: null });
  });

  it.each([
    ['narrower dates', shorter, true],
    ['other hours', { ...short, hours: '1:0-60' }, true],
    ['wider dates', longer, false],
    ['the same dates', short, false],
  ])('with %s it is missing or not', (_what, now, missing) => {
    const entry = someEntry(1, { direct: short, held: surely(short) });
    expect(seen(entry, now, around())).toMatchObject({ missing, held: { window: now, sure: true } });
  });

  it('what the lock forgot because its time was over is not missing', () => {
    const ended = someWindow({ endDate: anyNow - 1 });
    const entry = someEntry(1, { direct: longer, held: surely(ended) });
    expect(seen(entry, null, around())).toMatchObject({ missing: false, held: null });
  });

  it('a one-time code that is gone was used', () => {
    const once = someWindow({ once: true });
    const entry = someEntry(1, { kind: 'passcode', direct: once, held: surely(once) });
    expect(seen(entry, null, around())).toMatchObject({ used: true, missing: false, held: null });
  });

  it('what somebody put back is no longer missing, and what stays gone stays missing', () => {
    const missing = someEntry(1, { missing: true, held: null });
    expect(seen(missing, always, around())).toMatchObject({ missing: false, held: { window: always } });
    expect(seen(missing, null, around())).toBe(missing);
  });

  it('what a phone has put is missing as soon as the lock does not show it, and held when it does', () => {
    const noted = someEntry(1, { managed: false, held: null });
    expect(seen(noted, null, around())).toMatchObject({ missing: true });
    expect(seen(noted, short, around())).toMatchObject({ missing: false, held: { window: short } });
  });

  it('what nobody wants any more is just gone', () => {
    expect(seen(someEntry(1, { direct: null }), null, around())).toMatchObject({ missing: false, held: null });
  });

  it('an accepted stranger is looked at again when it changes', () => {
    const accepted = someStranger(1, { held: surely(short), accepted: { as: 'stranger', window: short } });
    expect(seen(accepted, short, around())).toBe(accepted);
    expect(seen(accepted, longer, around())).toMatchObject({ accepted: null });
  });

  it('nothing is written of what is as it was', () => {
    const entries = [someEntry(1), someEntry(2, { held: null }), someStranger(3)];
    const [held, , stranger] = entries as [Entry, Entry, Entry];
    expect(afterListing(entries, [shown(held), shown(stranger)], around())).toEqual({ put: [], strangers: [] });
  });

  it('what the gateway does not know is a stranger, leading zeros apart', () => {
    const known = someEntry(1, { number: '0042' });
    const unknown: Shown = { kind: 'passcode', number: '0042', window: always };
    const { put, strangers } = afterListing([known], [{ kind: 'card', number: '42', window: always }, unknown], around());
    expect(put).toEqual([]);
    expect(strangers).toEqual([unknown]);
  });
});

describe('a step without an answer', () => {
  it.each<[string, Partial<Entry>, ValidWindow | null, object]>([
    ['an add that was taken is wanted by nobody', { direct: null, held: unsurely(always, null) }, always, { held: { sure: true } }],
    ['an add that was not taken left nothing', { direct: null, held: unsurely(always, null) }, null, { held: null, missing: false }],
    ['an add to what may have been there is a stranger', { direct: null, held: unsurely(always) }, always, { createdBy: '' }],
    ['a removal that was done: it is put there by nobody', { held: unsurely(null, always) }, null, { direct: null, held: null }],
    ['a removal that was not done', { held: unsurely(null, always) }, always, { direct: always, held: { window: always, sure: true } }],
    ['a change that was taken is what was put there', { direct: short, held: unsurely(longer, short) }, longer, { direct: longer }],
    ['a change that was not taken', { direct: short, held: unsurely(longer, short) }, short, { direct: short, missing: false }],
    ['a change of what is gone', { direct: short, held: unsurely(longer, short) }, null, { direct: short, missing: true, held: null }],
    ['a put that was not taken is put again', { held: unsurely(always, null) }, null, { missing: false, used: false, held: null }],
  ])('%s', (_what, some, onLock, expected) => {
    expect(seen(someEntry(1, some), onLock, around())).toMatchObject(expected);
  });

  it('an add over a stranger is undone to what the stranger had', () => {
    const stranger = someStranger(1, { held: unsurely(longer, short) });
    expect(seen(stranger, longer, around())).toMatchObject({ createdBy: '', held: { window: longer, sure: true, before: short } });
    expect(seen(stranger, short, around()).held).not.toHaveProperty('before');
  });

  it('a one-time code that the lock does not have counts as used: it is never sent twice', () => {
    const once = someWindow({ once: true });
    const entry = someEntry(1, { kind: 'passcode', direct: once, held: unsurely(once, null) });
    expect(seen(entry, null, around())).toMatchObject({ used: true, held: null });
  });

  it('of passcodes that the lock does not show, the step is taken again', () => {
    const hidden: Shown = { kind: 'passcode', number: null };
    const sure = someEntry(1, { kind: 'passcode', number: '4711' });
    const unsure = someEntry(2, { kind: 'passcode', number: '4712', held: unsurely(always, null) });
    expect(afterListing([sure, unsure], [hidden], around())).toEqual({ put: [{ ...unsure, held: null }], strangers: [] });
  });
});

describe('a digest', () => {
  const textOf = (held: readonly { readonly entry: Entry; readonly window: ValidWindow }[]) =>
    held.map(({ entry, window }) => `${entryKey(entry)} ${JSON.stringify(window)}`).join();
  const says = (onLock: readonly (readonly [Entry, ValidWindow])[]) => {
    const digest = textOf(onLock.map(([entry, window]) => ({ entry, window })));
    return (held: Parameters<typeof textOf>[0]) => textOf(held) === digest;
  };
  const first = someEntry(1);
  const sent = someEntry(2, { held: unsurely(always, null) });
  const off = someEntry(3, { direct: null, held: unsurely(null, always) });

  it.each([
    [
      'all was taken',
      says([
        [first, always],
        [sent, always],
      ]),
      { sent: always, off: null },
    ],
    [
      'nothing was taken',
      says([
        [first, always],
        [off, always],
      ]),
      { sent: null, off: always },
    ],
  ] as const)('decides that %s', (_what, isDigest, expected) => {
    const after = afterDigest([first, sent, off], isDigest, around({ basis: 'digest' }));
    expect(after?.map(({ entryId, held }) => [entryId, held?.window ?? null, held?.sure ?? true])).toEqual([
      [2, expected.sent, true],
      [3, expected.off, true],
    ]);
  });

  it('that fits nothing decides nothing, and one that fits what is held changes nothing', () => {
    expect(afterDigest([first, sent, off], () => false, around())).toBeUndefined();
    expect(afterDigest([first], says([[first, always]]), around())).toEqual([]);
  });

  it('that fits is the first proof of what only a phone had said', () => {
    const said = someEntry(1, { held: { ...surely(), basis: 'phone' } });
    const after = afterDigest([said], says([[said, always]]), around({ basis: 'digest' }));
    expect(after).toMatchObject([{ held: { basis: 'digest', basisDate: anyNow } }]);
  });

  it('of what is wanted says that all is there', () => {
    const missing = someEntry(4, { missing: true, held: null });
    const after = afterDigest(
      [first, missing],
      says([
        [first, always],
        [missing, always],
      ]),
      around({ basis: 'digest' }),
    );
    expect(after).toMatchObject([{ entryId: 4, missing: false, held: { basis: 'digest' } }]);
  });
});

describe('a memory that was emptied', () => {
  it('makes nothing missing but what a phone had put there, and no code opens twice', () => {
    const once = someWindow({ once: true });
    const entries = [
      someEntry(1),
      someEntry(2, { missing: true, held: null }),
      someEntry(3, { kind: 'passcode', direct: once, held: surely(once) }),
      someEntry(4, { managed: false, held: null }),
      someStranger(5),
      someEntry(6, { held: unsurely(null, always) }),
      someEntry(7, { held: { ...surely(), basis: 'phone' } }),
    ];
    expect(
      afterReset(entries, around()).map(({ entryId, held, missing, used, direct }) => ({ entryId, held, missing, used, direct })),
    ).toEqual([
      { entryId: 1, held: null, missing: false, used: false, direct: always },
      { entryId: 3, held: null, missing: false, used: true, direct: once },
      { entryId: 4, held: null, missing: true, used: false, direct: always },
      { entryId: 5, held: null, missing: false, used: false, direct: null },
      { entryId: 6, held: null, missing: false, used: false, direct: null },
      { entryId: 7, held: null, missing: true, used: false, direct: always },
    ]);
  });
});
