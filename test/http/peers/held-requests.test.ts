// What is said of requests that wait for a leader, and when the last word on them is due.
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { createHeldRequests } from '../../../src/http/peers/held-requests.ts';
import { captureLog } from '../../stores/files/support/directory.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const aRequest = () => ({ request: { headers: {} } as IncomingMessage, response: new EventEmitter() as ServerResponse });

function started() {
  const [clock, log] = [createSettableClock(), captureLog()];
  const served = { isServed: false };
  const held = createHeldRequests({ clock, log, isServed: () => served.isServed });
  const wait = ({ request, response }: ReturnType<typeof aRequest>) =>
    held.wait(request, response, { effect: 'read', until: clock.monotonic() + 8_000 });
  return { clock, log, served, held, wait };
}

test('requests that are let go and come back again and again are said once, each counted once, when none has waited for 5 s', async () => {
  const { clock, log, served, wait } = started();
  const [first, second] = [aRequest(), aRequest()];
  served.isServed = true;
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const waiting = [wait(first), wait(second)];
    await clock.advance(100);
    expect(await Promise.all(waiting)).toEqual([true, true]);
  }
  await clock.advance(4_900);
  expect(log.lines).toEqual([]);
  await clock.advance(100);
  expect(log.lines).toEqual([expect.stringContaining('{"code":"requests-held","requests":2,"ms":3925}')]);
  expect(clock.timers()).toBe(0);
});

test('the stop of the node says it at once, and leaves no timer behind', async () => {
  const { clock, log, held, wait } = started();
  const waiting = wait(aRequest());
  held.stop();
  expect([await waiting, log.lines.length, clock.timers()]).toEqual([false, 1, 0]);
});
