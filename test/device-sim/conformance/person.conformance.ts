// `latchd conformance` before somebody at a terminal, who does at the lock what it asks for, or does not, or goes away.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Bench, lockName, openBench, type Person } from '../../support/conformance-bench.ts';
import { until } from '../../support/site.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

test('Ctrl-C in the middle takes off what was put on, and puts back what was changed', async () => {
  const run = await bench.begin(['--only', 'unlock-lock,card-no-space,credentials-no-space']);
  await bench.connectLock(run, { profile: { autoLockSeconds: 7 } });
  await until(async () => (await bench.memory().catch(() => ({ cards: [] }))).cards.length > 3, 'cards are on the lock');
  run.signal('SIGINT');
  expect(await run.ended).toBe(2);
  const { cards, autoLockSeconds } = await bench.memory();
  expect([cards, autoLockSeconds]).toEqual([[], 7]);
  expect(run.stdout()).toContain(`${lockName} (`);
});

describe('a person at the lock', () => {
  const card = '4455667788';

  /** Somebody has typed the name, and the lock connects. */
  async function atTerminal(...only: readonly string[]): Promise<Person> {
    const person = bench.beginAtTerminal(['--only', only.join(',')]);
    await person.reads('Type the name of the lock to begin: ');
    person.types(`${lockName}\r`);
    await bench.connectLock(person);
    return person;
  }

  test('is asked for cards, codes and power, may skip one, and is believed what the lock says', async () => {
    const person = await atTerminal('card-opens', 'passcode-opens', 'settings-after-power-loss', 'command-after-power-loss');
    const asked = async (question: string, ...words: readonly string[]) => {
      await person.reads(`${question}, then press Enter (s: skip this) `);
      if (words.length > 0) await person.acts(...words);
      person.types(words.length > 0 ? '\r' : 's\r');
    };
    // Once so that the tool knows its number, then while it is on the lock, then when it is off again.
    const hold = 'Hold a card to the reader that is on no lock (the same one each time)';
    for (let times = 0; times < 3; times++) await asked(hold, `swipe 1 ${card}`);
    for (let times = 0; times < 2; times++) await asked('Type the code 004271 at the keypad', 'passcode 1 004271');
    await asked('Switch the lock off and on');
    await asked('Switch the lock off and on', 'power 1 off', 'power 1 on');
    expect(await person.ended).toBe(0);
    expect((await bench.checks()).map(({ name, verdict, why }) => [name, why ?? verdict])).toEqual([
      ['card-opens', 'held'],
      ['passcode-opens', 'held'],
      ['settings-after-power-loss', 'the person at the lock skipped it'],
      ['command-after-power-loss', 'held'],
    ]);
  });

  test('who presses Enter without doing it has the rule broken, for nothing was seen', async () => {
    const person = await atTerminal('unknown-card');
    await person.reads('(s: skip this) ');
    person.types('\r');
    expect(await person.ended).toBe(1);
    expect(await bench.checks()).toMatchObject([{ name: 'unknown-card', verdict: 'broken', came: 'no event card-unlock' }]);
  });

  test('who presses Ctrl-C while asked has everything taken off again', async () => {
    const person = await atTerminal('card-opens');
    await person.reads('(s: skip this) ');
    await person.acts(`swipe 1 ${card}`);
    person.types('\r');
    await person.reads('(s: skip this) ');
    expect((await bench.memory()).cards).toHaveLength(1);
    person.types('\x03');
    await person.reads('putting everything back');
    expect(await person.ended).toBe(2);
    expect((await bench.memory()).cards).toEqual([]);
  });

  test('who leaves has what needs somebody not tried', async () => {
    const person = await atTerminal('unknown-card', 'unlock-lock');
    await person.reads('(s: skip this) ');
    person.types('\x04');
    expect(await person.ended).toBe(0);
    expect((await bench.checks()).map(({ name, verdict }) => [name, verdict])).toEqual([
      ['unlock-lock', 'held'],
      ['unknown-card', 'not-tried'],
    ]);
  });
});
