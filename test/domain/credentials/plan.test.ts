import { describe, expect, it } from '@jest/globals';
import { always, type Entry } from '../../../src/domain/credentials/entry.ts';
import { entryState, type StatusSurroundings } from '../../../src/domain/credentials/entry-status.ts';
import type { MemoryLimits } from '../../../src/domain/credentials/lock-memory.ts';
import { nextStep, type PlanInput, type Step } from '../../../src/domain/credentials/plan.ts';
import { endedStaysMs } from '../../../src/domain/credentials/wanted.ts';
import { anyNow, someEntry, someStranger, someWindow, surely } from '../../support/entries.ts';
import { inOneGo } from '../../support/in-one-go.ts';

const limits: MemoryLimits = { batch: 20, cards: true, passcodes: true, hours: true, once: true, passcodeDigits: [4, 9] };

function plan(entries: readonly Entry[], some: Partial<PlanInput> = {}): Step | undefined {
  return inOneGo(
    nextStep({
      ...{ entries, now: anyNow, clockIsSuspect: false, limits, isPaused: false, strangers: 'keep', needsRoom: false },
      wanted: ({ direct, used }) => (used ? null : direct),
      urgency: () => undefined,
      isDeferred: () => false,
      isAlone: () => false,
      ...some,
    }),
  );
}

/** What a step does, in short: `put 2 3`, `remove 1`. */
function inShort(step: Step | undefined): string {
  return step === undefined ? '' : `${step.kind} ${step.items.map(({ entry }) => entry.entryId).join(' ')}`;
}

const pending = (entryId: number, some: Partial<Entry> = {}) => someEntry(entryId, { held: null, ...some });
const unwanted = (entryId: number, some: Partial<Entry> = {}) => someEntry(entryId, { direct: null, ...some });
const year = someWindow({ startDate: 1_000, endDate: anyNow + 1_000 });
const day = someWindow({ startDate: 1_000, endDate: anyNow + 500 });

describe('the next step', () => {
  it('is nothing where all is as it is wanted', () => {
    expect(plan([someEntry(1), someStranger(2), someEntry(3, { managed: false, held: null })])).toBeUndefined();
  });

  it('takes off before it puts: lost ones, others and narrower ones, ended ones, then by first day', () => {
    const ended = someWindow({ endDate: anyNow - endedStaysMs - 1 });
    const all = [
      pending(1, { direct: { ...year, startDate: 7_000 } }),
      pending(2, { direct: year }),
      unwanted(3, { held: surely(ended) }),
      someEntry(4, { direct: day, held: surely(year) }),
      unwanted(5),
      unwanted(6),
    ];
    const steps: string[] = [];
    let left: readonly Entry[] = all;
    for (let step = plan(left, { urgency }); step !== undefined; step = plan(left, { urgency })) {
      steps.push(inShort(step));
      const done = new Set(step.items.map(({ entry }) => entry.entryId));
      left = left.filter(({ entryId }) => !done.has(entryId));
    }
    expect(steps).toEqual(['remove 6', 'put 4', 'remove 5', 'remove 3', 'put 2 1']);
    function urgency({ entryId }: Entry) {
      return entryId === 6 ? ('lost' as const) : undefined;
    }
  });

  it('is as many as one command takes', () => {
    const many = Array.from({ length: 45 }, (_, at) => pending(at + 1));
    expect(plan(many)?.items).toHaveLength(20);
    expect(plan(many, { limits: { ...limits, batch: 1 } })?.items).toHaveLength(1);
    expect(inShort(plan(many, { isAlone: ({ entryId }) => entryId <= 2 }))).toBe('put 1');
  });

  it('is a put and never a removal for other dates', () => {
    expect(inShort(plan([someEntry(1, { direct: year, held: surely(day) })]))).toBe('put 1');
    expect(inShort(plan([someEntry(1, { direct: day, held: surely(year) })]))).toBe('put 1');
  });

  it('never puts back what somebody took away at the lock, and goes on taking away', () => {
    expect(plan([pending(1, { missing: true })])).toBeUndefined();
    expect(plan([someEntry(1, { missing: true, direct: year, held: surely(day) })])).toBeUndefined();
    const shifted = someWindow({ startDate: 500, endDate: anyNow + 200 });
    const step = plan([someEntry(1, { missing: true, direct: year, held: surely(shifted) })]);
    expect(step).toMatchObject({ kind: 'put', items: [{ window: { startDate: 1_000, endDate: anyNow + 200 } }] });
  });

  it('never sends a one-time code again, not to give it other dates either', () => {
    const once = someWindow({ once: true });
    const code = { kind: 'passcode', number: '4711' } as const;
    expect(plan([pending(1, { ...code, direct: once, used: true })])).toBeUndefined();
    expect(plan([someEntry(1, { ...code, direct: once, held: surely({ ...day, once: true }) })])).toBeUndefined();
    expect(inShort(plan([someEntry(1, { ...code, direct: { ...day, once: true }, held: surely(once) })]))).toBe('remove 1');
  });

  it('sends nothing but what was lost while the gateway is paused', () => {
    const all = [unwanted(1), pending(2), unwanted(3)];
    expect(inShort(plan(all, { isPaused: true, urgency: ({ entryId }) => (entryId === 3 ? 'lost' : undefined) }))).toBe('remove 3');
    expect(plan(all, { isPaused: true, urgency: () => 'suspended' })).toBeUndefined();
  });

  it('takes off what was lost, wherever it comes from', () => {
    const lost = { urgency: () => 'lost' as const };
    for (const entry of [someEntry(1), someStranger(1), someEntry(1, { managed: false }), someEntry(1, { missing: true })]) {
      expect(inShort(plan([entry], lost))).toBe('remove 1');
    }
    expect(plan([pending(1)], lost)).toBeUndefined();
  });

  it('leaves strangers to a person, and a whole memory of them even where they go', () => {
    const strangers = Array.from({ length: 11 }, (_, at) => someStranger(at + 1));
    expect(plan(strangers)).toBeUndefined();
    expect(plan(strangers, { strangers: 'remove' })).toBeUndefined();
    expect(plan(strangers.slice(0, 10), { strangers: 'remove' })?.items).toHaveLength(10);
    expect(plan([someStranger(1, { accepted: { as: 'stranger', window: always } })], { strangers: 'remove' })).toBeUndefined();
  });

  it('gives a stranger back the dates that it had before an add without an answer', () => {
    const step = plan([someStranger(1, { held: { ...surely(year), before: day } })]);
    expect(step).toMatchObject({ kind: 'put', items: [{ window: day }] });
  });

  it('takes off what the lock cannot hold as narrowly as it is wanted', () => {
    const office = someWindow({ hours: '12345:480-1080' });
    const plain = { limits: { ...limits, hours: false } };
    expect(inShort(plan([someEntry(1, { direct: office })], plain))).toBe('remove 1');
    expect(plan([pending(1, { direct: office })], plain)).toBeUndefined();
    expect(plan([pending(1, { kind: 'passcode', number: '123' })])).toBeUndefined();
  });

  it('leaves what has ended there for a day, because clocks differ, but for want of room', () => {
    const ended = unwanted(1, { held: surely(someWindow({ endDate: anyNow - 1 })) });
    expect(plan([ended])).toBeUndefined();
    expect(inShort(plan([ended], { needsRoom: true }))).toBe('remove 1');
    expect(inShort(plan([ended], { now: anyNow + endedStaysMs }))).toBe('remove 1');
  });

  it('puts a card under its other number only when the first one is off', () => {
    const old = unwanted(1, { credentialId: 3 });
    const other = pending(2, { credentialId: 3 });
    expect(inShort(plan([old, other]))).toBe('remove 1');
    expect(plan([old, other], { isDeferred: ({ entryId }) => entryId === 1 })).toBeUndefined();
    expect(inShort(plan([other]))).toBe('put 2');
  });

  it('concludes nothing from a date that may be wrong', () => {
    const suspect = { clockIsSuspect: true };
    expect(plan([unwanted(1, { held: surely(someWindow({ endDate: 1 })) })], suspect)).toBeUndefined();
    expect(plan([someEntry(1, { credentialId: 3, direct: year, held: surely(day) })], suspect)).toBeUndefined();
    expect(inShort(plan([someEntry(1, { credentialId: 3, direct: day, held: surely(year) })], suspect))).toBe('put 1');
  });
});

describe('the status of an entry', () => {
  const around: StatusSurroundings = {
    now: anyNow,
    isOnline: true,
    isPaused: false,
    limits,
    setback: () => undefined,
    isLost: () => false,
  };
  const statusOf = (entry: Entry, some: Partial<StatusSurroundings> = {}) => {
    const { status, why } = entryState(entry, entry.used ? null : entry.direct, { ...around, ...some });
    return why === null ? status : `${status} ${why}`;
  };
  const failed = { hasFailed: true, lockError: 'failed', nextDate: 5 };

  it.each<[string, Entry, Partial<StatusSurroundings>]>([
    ['on-lock', someEntry(1), {}],
    ['pending turn', pending(1), {}],
    ['pending offline', pending(1), { isOnline: false }],
    ['pending paused', pending(1), { isPaused: true }],
    ['pending no-space', pending(1), { setback: () => ({ ...failed, lockError: 'no-space' }) }],
    ['pending not-supported', pending(1, { direct: someWindow({ hours: '1:0-60' }) }), { limits: { ...limits, hours: false } }],
    ['updating turn', someEntry(1, { direct: day }), {}],
    ['removing offline', unwanted(1), { isOnline: false }],
    ['unsure', someEntry(1, { held: { ...surely(), sure: false } }), {}],
    ['failed', pending(1), { setback: () => failed }],
    ['pending turn', pending(1), { setback: () => ({ ...failed, hasFailed: false }) }],
    ['missing', pending(1, { missing: true }), {}],
    ['stranger', someStranger(1), {}],
    ['noted', someEntry(1, { managed: false, held: null }), {}],
    ['ended', pending(1, { used: true }), {}],
    ['ended lost', pending(1, { used: true }), { isLost: () => true }],
    ['removing turn', unwanted(1), { isLost: () => true }],
    ['ended', unwanted(1, { held: surely(someWindow({ endDate: anyNow - 1 })) }), {}],
  ])('is %s', (expected, entry, some) => {
    expect(statusOf(entry, some)).toBe(expected);
  });
});
