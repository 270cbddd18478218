import { expect, test } from '@jest/globals';
import { createSendWindow } from '../../src/platform/mqtt-send-window.ts';

test('what is announced goes out in order and newest only, never more at once than the broker takes, and nothing of it at the next connection', async () => {
  const sent: string[] = [];
  const acknowledgements: (() => void)[] = [];
  const window = createSendWindow({
    atOnce: 2,
    send({ topic, payload }, taken) {
      sent.push(`${topic} ${payload}`);
      acknowledgements.push(taken);
    },
  });
  const say = (topic: string, payload: string, retain = true) => window.add({ topic, payload, retain, qos: 1 });
  for (const text of ['a 1', 'b 1', 'c 1', 'd 1', 'c 2', 'e 1']) say(...(text.split(' ') as [string, string]));
  say('event', '1', false);
  say('event', '2', false);
  expect(sent).toEqual(['a 1', 'b 1']);
  while (acknowledgements.length > 0) acknowledgements.shift()?.();
  expect(sent).toEqual(['a 1', 'b 1', 'c 2', 'd 1', 'e 1', 'event 1', 'event 2']);
  const many = Array.from({ length: 1_002 }, () => say('event', 'x', false));
  expect([many.every(Boolean), say('event', 'x', false)]).toEqual([true, false]);
  let hasRoom = false;
  void window.room().then(() => {
    hasRoom = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(false);
  const before = sent.length;
  window.end();
  acknowledgements.shift()?.();
  await window.room();
  expect([sent.length, say('a', '3'), hasRoom]).toEqual([before, false, true]);
});
