// When apt is asked for a newer latchd, and what is made of its answers.
import { describe, expect, test } from '@jest/globals';
import { createUpdateWatch, type Offer, updateState } from '../../../src/domain/updates/update-watch.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const hourMs = 3_600_000;
const looked = 1_763_690_400_000;
const older: Offer = { installed: '0.1.0', newest: '0.1.0', isNewer: false };
const newer: Offer = { installed: '0.1.0', newest: '0.2.0', isNewer: true };

function world(...answers: readonly Offer[]) {
  const clock = createSettableClock();
  const lines: object[] = [];
  const nothing = () => undefined;
  const asked = { times: 0, stopped: 0 };
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((go) => {
    letGo = go;
  });
  const installer = {
    async ask(): Promise<Offer> {
      const answer = answers[Math.min(asked.times++, answers.length - 1)] ?? { doubt: 'failed' };
      await held;
      return answer;
    },
    lastLook: async () => looked,
    stop: () => void asked.stopped++,
  };
  const log = { debug: nothing, info: (fields: object) => void lines.push(fields), warn: nothing, error: nothing, fatal: nothing };
  return { watch: createUpdateWatch({ installer, version: '0.1.0', clock, log }), clock, lines, asked, letGo };
}

describe('The gateway', () => {
  test('knows nothing before the first answer, and does not wait for it', async () => {
    const { watch } = world(newer);
    expect(watch.state()).toEqual({ state: 'unknown', version: null, reason: 'not-asked', askedDate: null, lookedDate: null });
    await watch.start();
    expect(watch.state().reason).toBe('not-asked');
  });

  test('asks once after its start and then once a day, and has one line in the log for each newer version', async () => {
    const { watch, clock, lines, asked, letGo } = world(older, newer, newer, { ...newer, newest: '0.3.0' });
    letGo();
    await watch.start();
    await clock.advance(0);
    const answered = () => ({ reason: null, askedDate: clock.now(), lookedDate: looked });
    expect([asked.times, watch.state()]).toEqual([1, { state: 'newest', version: '0.1.0', ...answered() }]);
    await clock.advance(23 * hourMs);
    expect(asked.times).toBe(1);
    await clock.advance(hourMs);
    expect([asked.times, watch.state()]).toEqual([2, { state: 'available', version: '0.2.0', ...answered() }]);
    await clock.advance(48 * hourMs);
    expect(asked.times).toBe(4);
    expect(lines).toEqual(['0.2.0', '0.3.0'].map((newest) => ({ code: 'update-available', newest })));
  });

  test('asks again a minute later, then after twice as long each time, while an upgrade may not be over', async () => {
    const other: Offer = { ...newer, installed: '0.0.9' };
    const { watch, clock, asked, letGo } = world(other, { doubt: 'failed' }, other, older);
    letGo();
    await watch.start();
    await clock.advance(0);
    expect([asked.times, watch.state().reason]).toEqual([1, 'other-version']);
    for (const [minutes, times] of [
      [1, 2],
      [1, 2],
      [1, 3],
      [3, 3],
      [1, 4],
    ] as const) {
      await clock.advance(minutes * 60_000);
      expect(asked.times).toBe(times);
    }
    expect(watch.state()).toMatchObject({ state: 'newest', version: '0.1.0' });
    await clock.advance(23 * hourMs);
    expect(asked.times).toBe(4);
  });

  test('asks no more once it is stopped, and takes no answer then', async () => {
    const { watch, clock, asked, letGo } = world(newer);
    await watch.start();
    await watch.stop();
    await watch.stop();
    letGo();
    await clock.advance(48 * hourMs);
    expect([asked, clock.timers(), watch.state().state]).toEqual([{ times: 1, stopped: 2 }, 0, 'unknown']);
  });
});

test.each<[string, Offer, object]>([
  ['there is none that is newer', older, { state: 'newest', version: '0.1.0', reason: null }],
  ['there is a newer one', newer, { state: 'available', version: '0.2.0', reason: null }],
  ['another one is installed than runs', { ...newer, installed: '0.1.1' }, { state: 'unknown', version: null, reason: 'other-version' }],
  ['it was installed from a file', { doubt: 'no-repository' }, { state: 'unknown', version: null, reason: 'no-repository' }],
])('of what apt says, %s', (_what, offer, state) => {
  expect(updateState('0.1.0', offer)).toEqual(state);
});

test('a pre-release is the one that runs, though Debian writes it with a tilde', () => {
  expect(updateState('1.0.0-rc.1', { installed: '1.0.0~rc.1', newest: '1.0.0', isNewer: true }).state).toBe('available');
});
