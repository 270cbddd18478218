import { describe, expect, it } from '@jest/globals';
import { endlessLease } from '../../../src/domain/lease.ts';
import { createCommandService } from '../../../src/domain/locks/command-service.ts';
import { createStallDetector } from '../../../src/domain/locks/stall-detector.ts';
import type { EpochProgress } from '../../../src/domain/records/record-ports.ts';
import { createEventGaps } from '../../../src/drivers/native/event-gaps.ts';
import { codeOf, createFakeCommandIds, lockId } from '../../support/domain.ts';
import { createFakeLink, ok, refusal } from '../../support/fake-link.ts';
import { createMemoryRecords } from '../../support/memory-stores.ts';
import { createNotedEvents } from '../../support/noted-events.ts';
import { createSettableClock, settled } from '../../support/settable-clock.ts';

/** What is stored of an epoch of a lock that has told events before. */
type Stored = Omit<EpochProgress, 'isBeginning'> & Partial<Pick<EpochProgress, 'isBeginning'>>;

function setUp(progress: Record<string, Stored>) {
  const clock = createSettableClock();
  const link = createFakeLink({ clock });
  const { emit, notices } = createNotedEvents();
  const stallDetector = createStallDetector({ clock, emit, commandTimeoutMs: 10_000 });
  const commands = createCommandService({
    lease: endlessLease,
    clock,
    link,
    commandIds: createFakeCommandIds(),
    emit,
    stallDetector,
    commandTimeoutMs: 10_000,
  });
  const stored = new Map(Object.entries(progress));
  const none: Stored = { highest: 0, gaps: [] };
  const progressOf = (_lock: unknown, epoch: string) => ({ isBeginning: false, ...(stored.get(epoch) ?? none) });
  const gaps = createEventGaps({ clock, records: { ...createMemoryRecords(), progress: progressOf }, link, commands, emit });
  function hello() {
    link.connect(lockId);
    gaps.newSession(lockId);
  }
  const asked = () =>
    link.sent.flatMap(({ command }) => (command.op === 'resend-events' ? [`${command.epoch} ${command.from}-${command.to}`] : []));
  const lost = () =>
    notices.flatMap((notice) => (notice.kind === 'events-lost' ? [`${notice['epoch']} ${notice['from']}-${notice['to']}`] : []));
  const refused = () => notices.filter(({ kind }) => kind === 'resend-refused').length;
  /** As after a hello or events: resolves when the lock, which sends no backlog, has answered for every gap. */
  async function ask(epoch: string, lastSeq: number): Promise<void> {
    const asking = lastSeq === 0 ? gaps.heard(lockId, epoch, gaps.come(lockId)) : gaps.hello(lockId, epoch, lastSeq);
    // A handler at once: it may reject while the time passes.
    const outcome = Promise.resolve(asking).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (lastSeq > 0) await clock.advance(3_000);
    const failed = await outcome;
    if (failed !== undefined) throw failed.error;
  }
  hello();
  return { clock, link, gaps, stored, hello, ask, asked, lost, refused };
}

describe('missing events', () => {
  it('are asked for at most 100 at a time, gap after gap, then up to the last seq of the hello (Protocol 4.4)', async () => {
    const { ask, link, asked } = setUp({
      e: {
        highest: 500,
        gaps: [
          [3, 3],
          [100, 349],
        ],
      },
    });
    link.reply(lockId, () => ok);
    await ask('e', 510);
    expect(asked()).toEqual(['e 3-102', 'e 103-202', 'e 203-302', 'e 303-349', 'e 501-510']);
  });

  it('are not asked for when nothing is missing, or the hello is behind what is stored (Protocol 4.1)', async () => {
    const { ask, link } = setUp({ e: { highest: 500, gaps: [] } });
    await ask('e', 500);
    await ask('e', 3);
    await ask('e', 0);
    expect(link.sent).toEqual([]);
  });

  it('are asked for at the newest end only when very many are missing (Protocol 4.4)', async () => {
    const { ask, link, asked } = setUp({ e: { highest: 10, gaps: [] } });
    link.reply(lockId, () => ok);
    await ask('e', Number.MAX_SAFE_INTEGER);
    expect(asked()).toHaveLength(100);
    expect(asked().at(-1)).toBe(`e ${Number.MAX_SAFE_INTEGER - 99}-${Number.MAX_SAFE_INTEGER}`);
  });

  it('are asked for once a session, and noted as lost after an ok (Protocol 4.4)', async () => {
    const { ask, link, asked, lost } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.reply(lockId, () => ok);
    await ask('e', 0);
    await ask('e', 20);
    expect(asked()).toEqual(['e 3-5']);
    expect(lost()).toEqual(['e 3-5']);
  });

  it('that came are not noted as lost (Protocol 4.4)', async () => {
    const { ask, link, stored, lost } = setUp({ e: { highest: 20, gaps: [[3, 9]] } });
    link.reply(lockId, () => {
      stored.set('e', {
        highest: 20,
        gaps: [
          [3, 4],
          [8, 9],
        ],
      });
      return ok;
    });
    await ask('e', 0);
    expect(lost()).toEqual(['e 3-4', 'e 8-9']);
  });

  it('are asked for again in the next session when the lock did not say ok, but not when it did (Protocol 4.4)', async () => {
    const { ask, link, hello, asked, lost } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.reply(lockId, () => refusal('busy'));
    await ask('e', 0);
    await ask('e', 0);
    expect(asked()).toEqual(['e 3-5']);
    expect(lost()).toEqual([]);
    hello();
    link.reply(lockId, () => ok);
    await ask('e', 0);
    hello();
    await ask('e', 0);
    expect(asked()).toEqual(['e 3-5', 'e 3-5']);
    expect(lost()).toEqual(['e 3-5']);
  });

  it('are asked for one after the other, and a door in between (Protocol 5.4 rule 1)', async () => {
    const { ask, link, asked } = setUp({ e: { highest: 500, gaps: [[1, 150]] } });
    const asking = ask('e', 0);
    await settled();
    expect(asked()).toEqual(['e 1-100']);
    link.sent[0]?.answer(ok);
    await settled();
    link.sent[1]?.answer(ok);
    await asking;
    expect(asked()).toEqual(['e 1-100', 'e 101-150']);
  });

  it('of the hello are not forgotten when a gap in the events is just being asked for (Protocol 4.1)', async () => {
    const { gaps, link, ask, asked } = setUp({ e: { highest: 200, gaps: [[3, 5]] } });
    const first = ask('e', 0);
    await settled();
    await gaps.hello(lockId, 'e', 230);
    link.reply(lockId, () => ok);
    link.sent[0]?.answer(ok);
    await first;
    expect(asked()).toEqual(['e 3-5', 'e 201-230']);
  });

  it('of another epoch are not forgotten while one is asked for (Protocol 4.4)', async () => {
    const { ask, link, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] }, f: { highest: 9, gaps: [[2, 2]] } });
    const first = ask('e', 0);
    await settled();
    await ask('f', 0);
    link.reply(lockId, () => ok);
    link.sent[0]?.answer(ok);
    await first;
    expect(asked()).toEqual(['e 3-5', 'f 2-2']);
  });

  it('are asked for by the new session when the earlier one ends in the middle (Protocol 4.4)', async () => {
    const { ask, hello, link, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    const first = codeOf(() => ask('e', 30));
    await settled();
    hello();
    link.reply(lockId, () => ok);
    const second = ask('e', 40);
    expect(await first).toBe('lock-timeout');
    await second;
    expect(asked()).toEqual(['e 3-30', 'e 3-40']);
  });

  it('are asked for by the new session alone, once, also when the earlier one was just answered (Protocol 4.4)', async () => {
    const { ask, hello, link, asked } = setUp({ e: { highest: 500, gaps: [[1, 150]] } });
    const first = ask('e', 0);
    await settled();
    link.sent[0]?.answer(ok);
    hello();
    link.reply(lockId, () => refusal('busy'));
    await Promise.all([first, ask('e', 0)]);
    await ask('e', 0);
    const own = link.sent.filter(({ session }) => session === link.session(lockId)).map(({ command }) => command);
    expect(own).toEqual([...new Map(own.map((command) => [JSON.stringify(command), command])).values()]);
    expect(asked().length).toBeGreaterThan(1);
  });

  it('end after a bounded number of commands, however many gaps there are (Protocol 4.4)', async () => {
    const many = Array.from({ length: 2_100 }, (_, n): [number, number] => [2 * n + 1, 2 * n + 1]);
    const { ask, link, asked, lost } = setUp({ e: { highest: 4_201, gaps: many } });
    let commands = 0;
    link.reply(lockId, () => (++commands > 100 ? refusal('busy') : ok));
    await ask('e', 0);
    expect(asked()).toHaveLength(42);
    expect(lost()).toHaveLength(2_100);
    await ask('e', 0);
    expect(asked()).toHaveLength(42);
  });

  it('that appear later in the session are asked for as well (Protocol 4.4)', async () => {
    const { ask, link, stored, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.reply(lockId, () => ok);
    await ask('e', 25);
    stored.set('e', {
      highest: 40,
      gaps: [
        [3, 5],
        [21, 24],
        [30, 39],
      ],
    });
    await ask('e', 0);
    expect(asked()).toEqual(['e 3-25', 'e 30-39']);
  });

  it('are lock-offline, and asked for after the next hello, when the lock has gone (Protocol 5.4 rule 2)', async () => {
    const { ask, link, hello, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.lose(lockId);
    expect(await codeOf(() => ask('e', 0))).toBe('lock-offline');
    hello();
    link.reply(lockId, () => ok);
    await ask('e', 0);
    expect(asked()).toEqual(['e 3-5']);
  });

  it('that the lock refuses to send again are no alarm while what it sent waits to be stored (Protocol 4.4)', async () => {
    const { ask, gaps, link, hello, refused } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.reply(lockId, () => refusal('failed'));
    gaps.come(lockId);
    await ask('e', 0);
    expect(refused()).toBe(0);
    hello();
    await ask('e', 0);
    expect(refused()).toBe(1);
  });

  it('that lie close together are asked for as one, and what comes beside them is no loss (Protocol 4.4)', async () => {
    const every = Array.from({ length: 999 }, (_, n): [number, number] => [2 * n + 2, 2 * n + 2]);
    const { link, ask, stored, asked, lost, hello } = setUp({ e: { highest: 2_000, gaps: every } });
    link.reply(lockId, () => ok);
    await ask('e', 0);
    expect(asked()).toHaveLength(20);
    for (const window of asked()) {
      const [from, to] = (window.split(' ')[1] ?? '').split('-').map(Number);
      expect(Number(to) - Number(from)).toBeLessThan(100);
    }
    expect(lost()).toEqual(every.map(([seq]) => `e ${seq}-${seq}`));
    // The next session has one gap that is new; the others are known to be lost.
    hello();
    stored.set('e', { highest: 2_010, gaps: [...every, [2_003, 2_004]] });
    await ask('e', 0);
    expect(asked().slice(20)).toEqual(['e 2003-2004']);
    expect(lost().slice(999)).toEqual(['e 2003-2004']);
  });

  it('from before the registration of the lock are asked for, and no loss when it has them no more (Protocol 4.4)', async () => {
    const { link, ask, asked, lost } = setUp({ e: { highest: 8, gaps: [], isBeginning: true } });
    link.reply(lockId, () => ok);
    await ask('e', 120);
    expect(asked()).toEqual(['e 9-108', 'e 109-120']);
    expect(lost()).toEqual([]);
  });
});

describe('a backlog', () => {
  it('is not asked for while the lock is sending it, but when it has been quiet (Protocol 4.4)', async () => {
    const { gaps, link, clock, stored, asked } = setUp({ e: { highest: 10, gaps: [] } });
    link.reply(lockId, () => ok);
    const asking = gaps.hello(lockId, 'e', 500);
    for (let highest = 110; highest <= 410; highest += 100) {
      await clock.advance(2_900);
      stored.set('e', { highest, gaps: [[11, 12]] });
      void gaps.heard(lockId, 'e', gaps.come(lockId));
    }
    await clock.advance(2_999);
    expect(asked()).toEqual([]);
    await clock.advance(1);
    await asking;
    expect(asked()).toEqual(['e 11-12', 'e 411-500']);
  });

  it('is not asked for while events of it wait to be stored, for until then the lock sends no more (Protocol 4.4)', async () => {
    const { gaps, link, clock, stored, asked } = setUp({ e: { highest: 10, gaps: [] } });
    link.reply(lockId, () => ok);
    const asking = gaps.hello(lockId, 'e', 500);
    const unstored = [gaps.come(lockId), gaps.come(lockId)] as const;
    await clock.advance(20_000);
    stored.set('e', { highest: 110, gaps: [] });
    void gaps.heard(lockId, 'e', unstored[0]);
    // What was left without PUBACK comes again in the next session alone.
    await clock.advance(60_000);
    expect(asked()).toEqual([]);
    link.lose(lockId);
    gaps.newSession(lockId);
    await asking;
    link.connect(lockId);
    const again = gaps.hello(lockId, 'e', 500);
    await settled();
    const late = gaps.come(lockId);
    // Of the former session.
    void gaps.heard(lockId, 'e', unstored[1]);
    await clock.advance(3_000);
    expect(asked()).toEqual([]);
    void gaps.heard(lockId, 'e', late);
    await clock.advance(6_000);
    await again;
    expect(asked()[0]).toBe('e 111-210');
    expect(clock.timers()).toBe(0);
  });

  it('that has come is not asked for, and gaps in it at once (Protocol 4.4)', async () => {
    const { gaps, link, clock, stored, asked } = setUp({ e: { highest: 10, gaps: [] } });
    link.reply(lockId, () => ok);
    const asking = gaps.hello(lockId, 'e', 500);
    await settled();
    stored.set('e', { highest: 500, gaps: [[300, 301]] });
    await gaps.heard(lockId, 'e', gaps.come(lockId));
    await asking;
    expect(asked()).toEqual(['e 300-301']);
    expect(clock.timers()).toBe(0);
  });

  it('of a lock that has gone is asked for by nobody, and leaves no timer', async () => {
    const { gaps, link, clock, asked } = setUp({ e: { highest: 10, gaps: [] } });
    const asking = gaps.hello(lockId, 'e', 500);
    await settled();
    link.lose(lockId);
    gaps.newSession(lockId);
    await asking;
    expect(asked()).toEqual([]);
    expect(clock.timers()).toBe(0);
  });
});
