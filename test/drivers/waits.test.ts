import { expect, test } from '@jest/globals';
import { createWaits } from '../../src/drivers/waits.ts';

const wakeIn = (afterMs: number) => [{ kind: 'wake', afterMs }];

test('the wake that is asked for is that of the wait that is over first', () => {
  const waits = createWaits<'long' | 'short'>();
  expect(waits.begin('long', 5_000, 0)).toEqual(wakeIn(5_000));
  expect(waits.begin('short', 1_000, 500)).toEqual(wakeIn(1_000));
  expect(waits.over(1_500)).toEqual({ names: ['short'], effects: wakeIn(3_500) });
  expect(waits.over(5_000)).toEqual({ names: ['long'], effects: [] });
});

test('a wait that is begun again is over later, and a cancelled one never', () => {
  const waits = createWaits<'a' | 'b'>();
  waits.begin('a', 1_000, 0);
  expect(waits.begin('a', 1_000, 900)).toEqual(wakeIn(1_000));
  waits.begin('b', 100, 900);
  waits.cancel('b');
  expect(waits.over(1_000)).toEqual({ names: [], effects: wakeIn(900) });
  expect(waits.over(1_900)).toEqual({ names: ['a'], effects: [] });
});

test('a clock that is set back or forward ends no wait but the one that was asked for, and makes none longer', () => {
  const waits = createWaits<'a' | 'b'>();
  waits.begin('b', 9_000, 100_000);
  waits.begin('a', 1_000, 100_000);
  expect(waits.over(0)).toEqual({ names: ['a'], effects: wakeIn(9_000) });
});
