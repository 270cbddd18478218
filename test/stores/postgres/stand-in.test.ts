// When a node that waits stands in for the one that serves, with the clock in hand.
import { describe, expect, test } from '@jest/globals';
import { createSilence } from '../../../src/stores/postgres/silence.ts';
import { createStandIn } from '../../../src/stores/postgres/stand-in.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const beatMs = 2_000;

function createWaiting() {
  const clock = createSettableClock();
  const codes: unknown[] = [];
  const say = (fields: object): void => void codes.push((fields as { code?: string }).code);
  const now = () => clock.monotonic();
  const state = {
    serving: { incarnation: 'a', name: 'box-1', url: 'https://box-1.lan:8444', waitsForOthers: true } as
      | { incarnation: string; name: string; url: string | null; waitsForOthers: boolean }
      | undefined,
    readingUntil: now() + 3_600_000,
    saidAt: now() as number | undefined,
    answeredAt: now() as number | undefined,
    ended: 0,
    isNeeded: false,
    serves: false,
    /** As the lease has it. */
    standsIn: false,
  };
  const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : now() - at);
  const silence = createSilence({
    beatMs,
    others: { silentMs: () => since(state.saidAt), answersAgain: () => true },
    serving: () => state.serving,
    unansweredMs: () => since(state.answeredAt),
  });
  const standIn = createStandIn({
    ...{ clock, log: { debug: say, info: say, warn: say, error: say, fatal: say } },
    lease: {
      isSilent: silence.isSilent,
      readingLeftMs: () => Math.max(0, state.readingUntil - now()),
      servingElsewhere: () => state.serving,
      serves: () => state.serves,
      standIn: (does) => {
        state.standsIn = does;
      },
    },
    onEnded: () => {
      state.ended += 1;
    },
  });
  void standIn.needed().then(() => {
    state.isNeeded = true;
  });
  return { clock, codes, state, standIn, now };
}

describe('a node that waits', () => {
  test('stands in when the other one is heard neither in the database nor from node to node, and nobody may take its place', async () => {
    const { clock, codes, state } = createWaiting();
    await clock.advance(beatMs + 1_000);
    expect([state.isNeeded, state.standsIn]).toEqual([false, false]);
    await clock.advance(1_000);
    expect(state.isNeeded).toBe(true);
    expect(state.standsIn).toBe(true);
    expect(codes).toEqual(['stands-in']);
  });

  test.each(['saidAt', 'answeredAt'] as const)('does not while there is one sign of the other one (%s)', async (sign) => {
    const { clock, state, now } = createWaiting();
    for (let seconds = 0; seconds < 40; seconds += 1) {
      state[sign] = now();
      await clock.advance(900);
    }
    expect([state.isNeeded, state.standsIn]).toEqual([false, false]);
  });

  test.each([
    ['the other one has never answered it', { answeredAt: undefined }],
    ['the other one is reached by nobody', { url: null }],
  ])(
    'does not where %s: it waits until the lease of the other one is over',
    async (_title, { url, ...given }: { url?: null; answeredAt?: undefined }) => {
      const { clock, state } = createWaiting();
      if ('answeredAt' in given) state.answeredAt = undefined;
      if (url === null && state.serving) state.serving.url = null;
      await clock.advance(60_000);
      expect([state.isNeeded, state.standsIn]).toEqual([false, false]);
    },
  );

  test('stands in while the database is away, if the other one does not answer either; it knows nothing where they do not reach each other', async () => {
    const { clock, state } = createWaiting();
    state.saidAt = undefined;
    await clock.advance(3_000);
    expect(state.standsIn).toBe(true);
    const cutOff = createWaiting();
    [cutOff.state.saidAt, cutOff.state.answeredAt] = [undefined, undefined];
    await cutOff.clock.advance(60_000);
    expect(cutOff.state.standsIn).toBe(false);
  });

  test('ends it when the other one is heard again, and sends away who is connected; the next silence is another one', async () => {
    const { clock, codes, state, now } = createWaiting();
    await clock.advance(4_000);
    state.saidAt = now();
    await clock.advance(500);
    expect([state.standsIn, state.ended]).toEqual([false, 1]);
    await clock.advance(4_000);
    expect(state.standsIn).toBe(true);
    expect(codes).toEqual(['stands-in', 'stood-in', 'stands-in']);
  });

  test('opens nothing once others may take it for dead, nor when nobody serves', async () => {
    const { clock, state, now } = createWaiting();
    state.readingUntil = now() + 10_000;
    await clock.advance(9_900);
    expect(state.standsIn).toBe(true);
    await clock.advance(200);
    expect(state.standsIn).toBe(false);
    await clock.advance(500);
    expect(state.ended).toBe(1);
    const alone = createWaiting();
    alone.state.serving = undefined;
    await alone.clock.advance(10_000);
    expect(alone.state.standsIn).toBe(false);
  });

  test('never stands in for an older latchd, which tells that a change is done before others know it', async () => {
    const { clock, state } = createWaiting();
    if (state.serving) state.serving.waitsForOthers = false;
    await clock.advance(60_000);
    expect([state.isNeeded, state.standsIn]).toEqual([false, false]);
  });

  test('goes on as it is once it has the lease, and begins and ends nothing after its end', async () => {
    const { clock, state, standIn } = createWaiting();
    await clock.advance(4_000);
    [state.serving, state.serves] = [undefined, true];
    await clock.advance(1_000);
    expect([state.standsIn, standIn.isActive(), state.ended]).toEqual([true, true, 0]);
    standIn.end();
    await clock.advance(10_000);
    expect([state.standsIn, state.ended, clock.timers()]).toEqual([true, 0, 0]);

    const calm = createWaiting();
    await calm.clock.advance(1_000);
    calm.standIn.end();
    await calm.clock.advance(10_000);
    expect([calm.state.isNeeded, calm.state.standsIn, calm.clock.timers()]).toEqual([true, false, 0]);
  });
});
