import { describe, expect, it } from '@jest/globals';
import type { Entry, Held, ValidWindow } from '../../../src/domain/credentials/entry.ts';
import { deriveCardEvents, listedCard, listedCards } from '../../../src/domain/credentials/listed-card.ts';
import { createEventBus } from '../../../src/domain/event-bus.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { sampleEntry } from '../../stores/files/support/samples.ts';
import { lockId } from '../../support/domain.ts';

const now = 10_000;
const early: ValidWindow = { startDate: 1, endDate: 2_000_000, hours: '', once: false };
const late: ValidWindow = { startDate: 5, endDate: 3_000_000, hours: '', once: false };
const over: ValidWindow = { startDate: 1, endDate: now - 1, hours: '', once: false };
const sure = (window: ValidWindow | null): Held => ({ window, sure: true, since: 1, basis: 'reply', basisDate: 1 });
const open = (window: ValidWindow | null, before?: ValidWindow | null): Held => ({
  ...sure(window),
  sure: false,
  ...(before !== undefined && { before }),
});
const entry = (changes: Partial<Entry>): Entry => sampleEntry(1, 7, { direct: early, held: sure(early), ...changes });
const stranger = { direct: null, name: '', createdBy: '' };
const granted = { direct: null, credentialId: 12 };

describe('a card is listed', () => {
  it.each<[string, Partial<Entry>, ValidWindow | undefined]>([
    ['with the dates on the lock', {}, early],
    ['with the dates on the lock, when others are wanted', { direct: late }, early],
    ['with the dates before, while new ones have no answer', { held: open(late, early) }, early],
    ['with the dates that were wanted, when nothing is known of before', { held: open(late) }, early],
    ['while its removal has no answer', { held: open(null, early) }, early],
    ['while it is missing', { held: null, missing: true }, early],
    ['when it has ended and is off the lock', { direct: over, held: null }, over],
    ['when it has ended and is surely off the lock', { direct: over, held: sure(null) }, over],
    ['when a phone is said to have put it there', { managed: false, held: { ...sure(early), basis: 'phone' } }, early],
    ['when a grant has put it there', { ...granted }, early],
    ['when a grant may have put it there', { ...granted, held: open(late, null) }, late],
    ['until it is removed, when nobody wants it any more', { direct: null }, early],
    ['until its last removal has an answer', { direct: null, held: open(null, early) }, early],
  ])('%s', (_what, changes, window) => {
    const { startDate, endDate } = window ?? early;
    expect(listedCard(entry(changes), now)).toEqual({
      ...{ cardId: 1, lockId: 7, cardNumber: '001', name: 'Card 1', createdAt: entry({}).createdAt, createdBy: 'admin' },
      ...{ startDate, endDate },
    });
  });

  it.each<[string, Partial<Entry>]>([
    ['it waits for its lock', { held: null }],
    ['a grant waits for the lock', { ...granted, held: null }],
    ['it is surely gone, and not wanted', { direct: null, held: sure(null) }],
    ['its add has no answer, and it was not there before', { direct: null, held: open(early, null) }],
    ['its add has no answer, and nobody knows whether it was there', { direct: null, held: open(early) }],
    ['its add had no answer, and the lock has it', { direct: null, unanswered: true }],
    ['its add had no answer, and it is being removed', { direct: null, unanswered: true, held: open(null, early) }],
    ['it is on the lock for nobody', { ...stranger }],
    ['its add over a stranger has no answer', { ...stranger, held: open(late, early) }],
    ['it is a passcode', { kind: 'passcode' }],
  ])('not while %s', (_what, changes) => {
    expect(listedCard(entry(changes), now)).toBeUndefined();
    expect(listedCards([entry(changes)], now)).toEqual([]);
  });

  it('by the date alone, when what waits for its lock ends meanwhile', () => {
    const all = [entry({ held: null })];
    expect(listedCards(all, now)).toEqual([]);
    expect(listedCards(all, early.endDate + 1)).toEqual([expect.objectContaining({ cardId: 1 })]);
  });
});

describe('events of cards', () => {
  function heard() {
    const events = createEventBus((_name, error) => {
      throw error;
    });
    const cards: unknown[] = [];
    deriveCardEvents({ clock: { now: () => now }, events, emit: events.emit });
    events.subscribe('card-changed', ({ change, card }) => void cards.push([change, card.startDate]));
    const changed = (before: Partial<Entry> | undefined, after: Partial<Entry> | undefined) =>
      events.emit('entry-changed', { lockId: lockId as LockId, before: before && entry(before), after: after && entry(after) });
    return { cards, changed };
  }

  it('tell what is listed, and nothing of steps without an answer', () => {
    const { cards, changed } = heard();
    const begun = { direct: null, held: open(early, null) };
    changed(undefined, begun);
    expect(cards).toEqual([]);
    changed(begun, {});
    changed({}, { held: open(late, early) });
    changed({ held: open(late, early) }, { direct: late, held: sure(late) });
    changed({ direct: late, held: sure(late) }, { direct: late, held: { ...sure(late), basisDate: 9 } });
    changed({ direct: late, held: sure(late) }, undefined);
    changed(begun, undefined);
    expect(cards).toEqual([
      ['added', 1],
      ['changed', 5],
      ['removed', 5],
    ]);
  });
});
