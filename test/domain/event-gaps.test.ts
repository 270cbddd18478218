import { describe, expect, it } from '@jest/globals';
import { createCommandService } from '../../src/domain/command-service.ts';
import { createEventGaps } from '../../src/domain/event-gaps.ts';
import type { Notice } from '../../src/domain/notice.ts';
import type { EpochProgress } from '../../src/domain/ports.ts';
import { createStandstill } from '../../src/domain/standstill.ts';
import { codeOf, createFakeCommandIds, lockId } from '../support/domain.ts';
import { createFakeLink, ok, refusal } from '../support/fake-link.ts';
import { createMemoryRecords } from '../support/memory-stores.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

function setUp(progress: Record<string, EpochProgress>) {
  const clock = createSettableClock();
  const link = createFakeLink({ clock });
  const notices: Notice[] = [];
  const notify = (notice: Notice) => void notices.push(notice);
  const standstill = createStandstill({ clock, notify });
  const commands = createCommandService({ clock, link, commandIds: createFakeCommandIds(), notify, standstill, commandTimeoutMs: 10_000 });
  const stored = new Map(Object.entries(progress));
  const records = { ...createMemoryRecords(), progress: (_lock: unknown, epoch: string) => stored.get(epoch) ?? { highest: 0, gaps: [] } };
  const gaps = createEventGaps({ records, commands, notify });
  function hello() {
    link.connect(lockId);
    gaps.newSession(lockId);
  }
  const asked = () =>
    link.sent.flatMap(({ command }) => (command.op === 'resend-events' ? [`${command.epoch} ${command.from}-${command.to}`] : []));
  const lost = () => notices.flatMap((notice) => (notice.kind === 'events-lost' ? [`${notice.epoch} ${notice.from}-${notice.to}`] : []));
  hello();
  return { clock, link, gaps, stored, hello, asked, lost };
}

describe('missing events', () => {
  it('are asked for at most 100 at a time, gap after gap, then up to the last seq of the hello (Protocol 4.4)', async () => {
    const { gaps, link, asked } = setUp({
      e: {
        highest: 500,
        gaps: [
          [3, 3],
          [100, 349],
        ],
      },
    });
    link.reply(lockId, () => ok);
    await gaps.ask(lockId, 'e', 510);
    expect(asked()).toEqual(['e 3-3', 'e 100-199', 'e 200-299', 'e 300-349', 'e 501-510']);
  });

  it('are not asked for when nothing is missing, or the hello is behind what is stored (Protocol 4.1)', async () => {
    const { gaps, link } = setUp({ e: { highest: 500, gaps: [] } });
    await gaps.ask(lockId, 'e', 500);
    await gaps.ask(lockId, 'e', 3);
    await gaps.ask(lockId, 'e', 0);
    expect(link.sent).toEqual([]);
  });

  it('are asked for at the newest end only when very many are missing (Protocol 4.4)', async () => {
    const { gaps, link, asked } = setUp({ e: { highest: 10, gaps: [] } });
    link.reply(lockId, () => ok);
    await gaps.ask(lockId, 'e', Number.MAX_SAFE_INTEGER);
    expect(asked()).toHaveLength(100);
    expect(asked().at(-1)).toBe(`e ${Number.MAX_SAFE_INTEGER - 99}-${Number.MAX_SAFE_INTEGER}`);
  });

  it('are asked for once a session, and noted as lost after an ok (Protocol 4.4)', async () => {
    const { gaps, link, asked, lost } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.reply(lockId, () => ok);
    await gaps.ask(lockId, 'e', 0);
    await gaps.ask(lockId, 'e', 20);
    expect(asked()).toEqual(['e 3-5']);
    expect(lost()).toEqual(['e 3-5']);
  });

  it('that came are not noted as lost (Protocol 4.4)', async () => {
    const { gaps, link, stored, lost } = setUp({ e: { highest: 20, gaps: [[3, 9]] } });
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
    await gaps.ask(lockId, 'e', 0);
    expect(lost()).toEqual(['e 3-4', 'e 8-9']);
  });

  it('are asked for again in the next session when the lock did not say ok, but not when it did (Protocol 4.4)', async () => {
    const { gaps, link, hello, asked, lost } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.reply(lockId, () => refusal('busy'));
    await gaps.ask(lockId, 'e', 0);
    await gaps.ask(lockId, 'e', 0);
    expect(asked()).toEqual(['e 3-5']);
    expect(lost()).toEqual([]);
    hello();
    link.reply(lockId, () => ok);
    await gaps.ask(lockId, 'e', 0);
    hello();
    await gaps.ask(lockId, 'e', 0);
    expect(asked()).toEqual(['e 3-5', 'e 3-5']);
    expect(lost()).toEqual(['e 3-5']);
  });

  it('are asked for one after the other, and a door in between (Protocol 5.4 rule 1)', async () => {
    const { gaps, link, asked } = setUp({ e: { highest: 500, gaps: [[1, 150]] } });
    const asking = gaps.ask(lockId, 'e', 0);
    await settled();
    expect(asked()).toEqual(['e 1-100']);
    link.sent[0]?.answer(ok);
    await settled();
    link.sent[1]?.answer(ok);
    await asking;
    expect(asked()).toEqual(['e 1-100', 'e 101-150']);
  });

  it('of the hello are not forgotten when a gap in the events is just being asked for (Protocol 4.1)', async () => {
    const { gaps, link, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    const first = gaps.ask(lockId, 'e', 0);
    await settled();
    await gaps.ask(lockId, 'e', 30);
    link.reply(lockId, () => ok);
    link.sent[0]?.answer(ok);
    await first;
    expect(asked()).toEqual(['e 3-5', 'e 21-30']);
  });

  it('of another epoch are not forgotten while one is asked for (Protocol 4.4)', async () => {
    const { gaps, link, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] }, f: { highest: 9, gaps: [[2, 2]] } });
    const first = gaps.ask(lockId, 'e', 0);
    await settled();
    await gaps.ask(lockId, 'f', 0);
    link.reply(lockId, () => ok);
    link.sent[0]?.answer(ok);
    await first;
    expect(asked()).toEqual(['e 3-5', 'f 2-2']);
  });

  it('are asked for by the new session when the earlier one ends in the middle (Protocol 4.4)', async () => {
    const { gaps, hello, link, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    const first = codeOf(() => gaps.ask(lockId, 'e', 30));
    await settled();
    hello();
    link.reply(lockId, () => ok);
    const second = gaps.ask(lockId, 'e', 40);
    expect(await first).toBe('lock-timeout');
    await second;
    expect(asked()).toEqual(['e 3-5', 'e 3-5', 'e 21-40']);
  });

  it('are asked for by the new session alone, once, also when the earlier one was just answered (Protocol 4.4)', async () => {
    const { gaps, hello, link, asked } = setUp({ e: { highest: 500, gaps: [[1, 150]] } });
    const first = gaps.ask(lockId, 'e', 0);
    await settled();
    link.sent[0]?.answer(ok);
    hello();
    link.reply(lockId, () => refusal('busy'));
    await Promise.all([first, gaps.ask(lockId, 'e', 0)]);
    await gaps.ask(lockId, 'e', 0);
    const own = link.sent.filter(({ session }) => session === link.session(lockId)).map(({ command }) => command);
    expect(own).toEqual([...new Map(own.map((command) => [JSON.stringify(command), command])).values()]);
    expect(asked().length).toBeGreaterThan(1);
  });

  it('end after a bounded number of commands, however many gaps there are (Protocol 4.4)', async () => {
    const many = Array.from({ length: 2_100 }, (_, n): [number, number] => [2 * n + 1, 2 * n + 1]);
    const { gaps, link, asked, lost } = setUp({ e: { highest: 4_201, gaps: many } });
    let commands = 0;
    link.reply(lockId, () => (++commands > 2_500 ? refusal('busy') : ok));
    await gaps.ask(lockId, 'e', 0);
    expect(asked()).toHaveLength(2_100);
    expect(lost()).toHaveLength(2_100);
    await gaps.ask(lockId, 'e', 0);
    expect(asked()).toHaveLength(2_100);
  });

  it('that appear later in the session are asked for as well (Protocol 4.4)', async () => {
    const { gaps, link, stored, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.reply(lockId, () => ok);
    await gaps.ask(lockId, 'e', 25);
    stored.set('e', {
      highest: 40,
      gaps: [
        [3, 5],
        [21, 24],
        [30, 39],
      ],
    });
    await gaps.ask(lockId, 'e', 0);
    expect(asked()).toEqual(['e 3-5', 'e 21-25', 'e 30-39']);
  });

  it('are lock-offline, and asked for after the next hello, when the lock has gone (Protocol 5.4 rule 2)', async () => {
    const { gaps, link, hello, asked } = setUp({ e: { highest: 20, gaps: [[3, 5]] } });
    link.lose(lockId);
    expect(await codeOf(() => gaps.ask(lockId, 'e', 0))).toBe('lock-offline');
    hello();
    link.reply(lockId, () => ok);
    await gaps.ask(lockId, 'e', 0);
    expect(asked()).toEqual(['e 3-5']);
  });
});
