// What a failed login is answered, and when (Protocol 2, Fault T12).
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLoginRejections } from '../../src/broker/login-rejections.ts';
import { createLoginThrottle } from '../../src/broker/login-throttle.ts';
import { createRateLimitedLog } from '../../src/domain/rate-limited-log.ts';
import { createManualClock } from '../support/mqtt-clock.ts';
import { createFakeLog } from '../support/mqtt-fakes.ts';

describe('failing logins (Protocol 2, Fault T12)', () => {
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

test('a refusal that waits is given back when its socket goes, and so are its timers (Fault T12)', async () => {
  const clock = createManualClock();
  const rejections = createLoginRejections({ clock, limited: createRateLimitedLog({ clock, log: createFakeLog() }) });
  const refused = () => {
    const stream = new PassThrough();
    let closed = false;
    const close = () => {
      closed = true;
      stream.destroy();
    };
    rejections.answer({ allow: false, code: 4, reason: 'key', failedLogin: true }, { stream, close });
    return { stream, closed: () => closed };
  };
  const waiting = Array.from({ length: 505 }, refused).slice(5);
  expect([refused().closed(), rejections.waiting(), rejections.slowed()]).toEqual([true, 500, 1]);
  for (const { stream } of waiting) stream.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  const later = refused();
  expect(later.closed()).toBe(false);
  clock.advance(5_000);
  expect([...(later.stream.read() as Buffer)]).toEqual([0x20, 2, 0, 4]);
  clock.advance(1_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect([later.closed(), clock.timers(), rejections.waiting()]).toEqual([true, 0, 0]);
});
