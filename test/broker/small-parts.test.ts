// The small parts of the broker: order of completions, slowing down of guesses, limited log, containment (MQTT-4.6.0-2, T12, T15).
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { contained } from '../../src/broker/containment.ts';
import { createLoginThrottle } from '../../src/broker/login-throttle.ts';
import { InOrder, type Place } from '../../src/broker/ordered-acks.ts';
import { createRefusals } from '../../src/broker/rejection.ts';
import { createRateLimitedLog } from '../../src/domain/rate-limited-log.ts';
import { createManualClock } from '../support/mqtt-clock.ts';
import { createFakeLog } from '../support/mqtt-fakes.ts';

interface Named extends Place<Named> {
  readonly name: number;
}

describe('completions in the order of arrival [MQTT-4.6.0-2]', () => {
  test('whatever ends first waits for all before it, and ending twice counts once', () => {
    const finished: number[] = [];
    const order = new InOrder<Named>(({ name }) => finished.push(name));
    const places = [1, 2, 3].map((name): Named => ({ done: false, name }));
    for (const place of places) order.enter(place);
    const [first, second, third] = places as [Named, Named, Named];
    order.complete(third);
    for (let times = 0; times < 2; times++) order.complete(second);
    expect([finished, order.oldest()]).toEqual([[], first]);
    order.complete(first);
    order.complete(first);
    expect([finished, order.oldest()]).toEqual([[1, 2, 3], undefined]);
  });
});

describe('failing logins (Protocol 2, T12)', () => {
  test('five a minute are free, then 250 ms doubled up to 5 s, by address', () => {
    const throttle = createLoginThrottle({ clock: createManualClock() });
    const delays = Array.from({ length: 12 }, () => throttle.failed('10.0.0.1'));
    expect(delays).toEqual([0, 0, 0, 0, 0, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(throttle.failed('10.0.0.2')).toBe(0);
  });

  test('a minute later they are free again', () => {
    const clock = createManualClock();
    const throttle = createLoginThrottle({ clock });
    for (let failure = 0; failure < 10; failure++) throttle.failed('10.0.0.1');
    clock.advance(60_000);
    expect(throttle.failed('10.0.0.1')).toBe(0);
  });

  test('at most 500 refusals wait: the others are closed without one, until some have been answered', () => {
    const throttle = createLoginThrottle({ clock: createManualClock() });
    for (let failure = 0; failure < 505; failure++) throttle.failed('10.0.0.1');
    expect(throttle.failed('10.0.0.1')).toBeUndefined();
    throttle.answered();
    expect(throttle.failed('10.0.0.1')).toBe(5_000);
  });
});

test('a refusal that waits is given back when its socket goes, and so are its timers (T12)', async () => {
  const clock = createManualClock();
  const {
    refuse,
    waiting: refusalsWaiting,
    slowed,
  } = createRefusals({ clock, limited: createRateLimitedLog({ clock, log: createFakeLog() }) });
  const refused = () => {
    const stream = new PassThrough();
    let closed = false;
    const close = () => {
      closed = true;
      stream.destroy();
    };
    refuse({ allow: false, code: 4, reason: 'key', failedLogin: true }, { stream, claimed: 'a key by mistake', close });
    return { stream, closed: () => closed };
  };
  const waiting = Array.from({ length: 505 }, refused).slice(5);
  expect([refused().closed(), refusalsWaiting(), slowed()]).toEqual([true, 500, 1]);
  for (const { stream } of waiting) stream.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  const later = refused();
  expect(later.closed()).toBe(false);
  clock.advance(5_000);
  expect([...(later.stream.read() as Buffer)]).toEqual([0x20, 2, 0, 4]);
  clock.advance(1_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect([later.closed(), clock.timers(), refusalsWaiting()]).toEqual([true, 0, 0]);
});

test('a warning that comes all the time is one line a minute, which says how many were not written', () => {
  const clock = createManualClock();
  const log = createFakeLog();
  const limited = createRateLimitedLog({ clock, log });
  for (let index = 0; index < 100; index++) limited.warn('a', { a: 1 }, 'again');
  limited.warn('b', {}, 'another');
  clock.advance(60_000);
  limited.warn('a', { a: 1 }, 'again');
  expect(log.lines.map((line) => line.fields)).toEqual([{ a: 1 }, {}, { a: 1, unwritten: 99 }]);
});

test('however many kinds of warnings come, there are 300 lines a minute and one that says how many are missing', () => {
  const clock = createManualClock();
  const log = createFakeLog();
  const limited = createRateLimitedLog({ clock, log });
  for (let index = 0; index < 10_000; index++) limited.warn(`from ${index}`, { index }, 'a stranger');
  expect(log.lines.length).toBe(300);
  clock.advance(60_000);
  limited.warn('from 1', { index: 1 }, 'a stranger');
  expect(log.lines.slice(300).map(({ fields }) => fields)).toEqual([{ code: 'warnings-left-out', unwritten: 9_700 }, { index: 1 }]);
});

describe('an exception stays inside, and the answer is given once (T15)', () => {
  const run = (decide: () => () => void) => {
    const said: string[] = [];
    contained(
      (error) => said.push(`failed: ${(error as Error).message}`),
      () => said.push('otherwise'),
      () => {
        const answer = decide();
        return () => {
          said.push('answer');
          answer();
        };
      },
    );
    return said;
  };
  const fail = () => {
    throw new Error('a bug');
  };

  test('without one', () => expect(run(() => () => {})).toEqual(['answer']));
  test('while deciding', () => expect(run(fail)).toEqual(['failed: a bug', 'otherwise']));
  test('while answering', () => expect(run(() => fail)).toEqual(['answer', 'failed: a bug']));
});
