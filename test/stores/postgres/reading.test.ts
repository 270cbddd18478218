// Whether a node may answer from memory when its statements are late or lost: never while nobody waits for it.
import { expect, test } from '@jest/globals';
import { createReading } from '../../../src/stores/postgres/reading.ts';

const unreadBeats = 3;

function createNode() {
  const codes: unknown[] = [];
  const say = (fields: object): void => void codes.push((fields as { code?: string }).code);
  /** `stopped`: what this node answered when it said that it reads no more, and at which beat. */
  const state = { answer: async (): Promise<number | undefined> => 9, stopped: [] as [boolean, number][], stopFails: false, beat: 0 };
  const reading = createReading({
    ...{ log: { debug: say, info: say, warn: say, error: say, fatal: say }, incarnation: 'b', unreadBeats },
    hasRow: () => true,
    answers: () => reading.isAllowed(),
    table: {
      read: () => state.answer(),
      async stopReading({ beat }) {
        state.stopped.push([reading.isAllowed(), beat]);
        if (state.stopFails) throw new Error('the connection is lost');
      },
    },
  });
  /** `applied`: in its row. */
  async function beat(count: number, applied: number | null = 7): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      state.beat += 1;
      await reading.beaten({ beat: state.beat, applied });
    }
  }
  async function begin(): Promise<void> {
    reading.looked();
    await reading.begin(7);
    reading.reads();
  }
  return { codes, state, reading, beat, begin };
}

test('it answers from memory no more before it says that it does not, and says so until that is in its row', async () => {
  const { codes, state, reading, beat, begin } = createNode();
  await begin();
  await beat(unreadBeats - 1);
  expect([reading.isAllowed(), state.stopped]).toEqual([true, []]);
  state.stopFails = true;
  await expect(beat(1)).rejects.toThrow('the connection is lost');
  expect(reading.isAllowed()).toBe(false);
  state.stopFails = false;
  await beat(1);
  await beat(1, null);
  expect(state.stopped).toEqual([
    [false, 3],
    [false, 4],
  ]);
  expect(codes).toEqual(['follows-no-more']);
});

test('it begins anew only after a beat, for what it said before may come late', async () => {
  const { codes, reading, beat, begin } = createNode();
  await begin();
  await beat(unreadBeats);
  await begin();
  expect(reading.isAllowed()).toBe(false);
  await beat(1, null);
  await begin();
  expect([reading.isAllowed(), codes]).toEqual([true, ['follows-no-more', 'follows-again']]);
});

test('it does not begin when it gave up while its word was under way', async () => {
  const { state, reading, beat } = createNode();
  let answer = (_newest: number): void => undefined;
  state.answer = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const begun = reading.begin(7);
  await beat(unreadBeats);
  answer(9);
  expect(await begun).toBeUndefined();
  reading.reads();
  expect(reading.isAllowed()).toBe(false);
});
