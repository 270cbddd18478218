import { describe, expect, it } from '@jest/globals';
import { createSharedTurns, createSlices } from '../../../src/domain/people/in-slices.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that asks for a turn at the same time as others, and takes so long in it. */
function site() {
  let ms = 0;
  const clock = { monotonic: () => ms };
  const turn = createSharedTurns(clock, nextTurn);
  const seen: string[] = [];
  const work = async (name: string, takesMs: number) => {
    await turn();
    ms += takesMs;
    seen.push(name);
    setImmediate(() => seen.push(`after ${name}`));
  };
  return { clock, turn, seen, work };
}

describe('shared turns', () => {
  it('lets other work run after each long piece, however many ask at once', async () => {
    const { turn, seen, work } = site();
    await Promise.all([work('first', 4), work('second', 4), work('third', 4)]);
    await turn();
    await nextTurn();
    expect(seen).toEqual(['first', 'after first', 'second', 'after second', 'third', 'after third']);
  });

  it('does many short pieces in one turn', async () => {
    const { turn, seen, work } = site();
    const names = Array.from({ length: 40 }, (_, n) => `${n}`);
    await Promise.all([turn(), ...names.map((name) => work(name, 0.01))]);
    expect(seen).toEqual(names);
  });
});

describe('slices', () => {
  it('lets other work run before the first one and whenever one is over', async () => {
    let ms = 0;
    const slices = createSlices({ monotonic: () => ms }, nextTurn);
    const seen: number[] = [];
    function* steps() {
      for (; ms < 10; ms += 1) yield;
      return 'done';
    }
    const running = slices.run(steps());
    for (let n = 0; n < 5; n++) {
      seen.push(ms);
      await nextTurn();
    }
    expect([seen, await running]).toEqual([[0, 1, 2, 3, 4], 'done']);
  });
});
