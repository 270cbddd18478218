// The events of the reference lock in C, until their PUBACK.
import { describe, expect, test } from '@jest/globals';
import { until } from '../../support/site.ts';
import { useReferenceLock } from '../support/reference-bench.ts';

const bench = useReferenceLock();
const { ask, begin, events, heard, online, plugIn, replies, send, swipe } = bench;

describe('sends its events', () => {
  test('in order, one message at a time, and answers commands meanwhile (Protocol 4.4 rules 3 and 5)', async () => {
    await begin();
    bench.broker.holdEvents(true);
    for (let n = 0; n < 60; n++) bench.lock.type(`swipe ${7_000 + n}`);
    await bench.lock.says(/^event 60 /);
    expect(await ask({ op: 'unlock' })).toMatchObject({ ok: true });
    expect(heard('events').length).toBe(1);
    bench.broker.holdEvents(false);
    await until(() => events().length === 61, 'all events');
    expect(events().map(({ seq }) => seq)).toEqual(Array.from({ length: 61 }, (_, n) => n + 1));
    expect(Math.max(...heard('events').map((message) => message.events.length))).toBeLessThanOrEqual(100);
  });

  test('again after a connect and after a power cut, with the same seqs, until their PUBACK', async () => {
    await begin();
    bench.broker.leaveEvents(true);
    await swipe('501', 3);
    await until(() => events().length > 0, 'the first event');
    await bench.lock.powerCut();
    bench.broker.forget();
    bench.lock.start();
    await online();
    await until(() => events().length === 3, 'all of them');
    expect(events().map(({ seq }) => seq)).toEqual([1, 2, 3]);
    bench.broker.leaveEvents(false);
    bench.broker.kick();
    await online();
    await until(() => events().length === 6, 'and again');
    expect(events().map(({ seq }) => seq)).toEqual([1, 2, 3, 1, 2, 3]);
    await swipe('502');
    await until(() => events().length === 7, 'a new one');
    await ask({ op: 'get-status' }); // behind the PUBACK
    bench.broker.forget();
    bench.broker.kick();
    await online();
    await swipe('503');
    await until(() => events().length >= 1, 'what is acknowledged is not sent again');
    expect(events().map(({ seq }) => seq)).toEqual([5]);
  });

  test('lets the oldest go when its memory is full', async () => {
    bench.broker.admit(() => false);
    await plugIn();
    await swipe('9', 300);
    bench.broker.admit(() => true);
    await online();
    await until(() => events().length >= 256, 'its backlog');
    expect(bench.hello.lastSeq).toBe(300);
    expect(events().map(({ seq }) => seq)).toEqual(Array.from({ length: 256 }, (_, n) => 45 + n));
  });

  test('once more from where it is asked to, and replies after the PUBACK of the last that was asked for', async () => {
    await begin();
    await swipe('9', 10);
    await until(() => events().at(-1)?.seq === 10, 'ten events');
    await ask({ op: 'get-status' }); // behind the PUBACK
    bench.broker.forget();
    const { epoch } = bench.hello;
    expect(await ask({ op: 'resend-events', args: { epoch, from: 3, to: 5 } })).toMatchObject({ ok: true });
    expect(bench.broker.heard.map(({ channel }) => channel)).toEqual(['events', 'reply']);
    expect(events().map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    bench.broker.forget();
    for (const args of [
      { epoch: 'other', from: 1, to: 9 },
      { epoch, from: 11, to: 99 },
      { epoch, from: 9, to: 8 },
    ])
      expect(await ask({ op: 'resend-events', args })).toMatchObject({ ok: true });
    expect(events()).toEqual([]);
    expect(await ask({ op: 'resend-events', args: { epoch, from: 0, to: 8 } })).toMatchObject({ error: 'failed' });
    bench.broker.holdEvents(true);
    const before = send({ op: 'resend-events', args: { epoch, from: 1, to: 2 } });
    await until(() => events().length === 10, 'they are sent');
    expect(await ask({ op: 'resend-events', args: { epoch, from: 1, to: 2 } })).toMatchObject({ error: 'busy' });
    expect(replies(before)).toEqual([]);
    bench.broker.holdEvents(false);
    await until(() => replies(before).length === 1, 'the reply after the PUBACK');
    expect(replies(before)[0]).toMatchObject({ ok: true });
  });

  test('of the thumb turn and the battery, too', async () => {
    await begin();
    await ask({ op: 'set-auto-lock', args: { seconds: 0 } });
    bench.lock.type('thumbturn');
    bench.lock.type('battery 20');
    bench.lock.type('thumbturn');
    await until(() => events().length === 3, 'three events');
    expect(events().map(({ type }) => type)).toEqual(['inside-unlock', 'low-battery', 'inside-lock']);
    expect(
      heard('state')
        .slice(1)
        .map(({ state }) => state),
    ).toEqual(['unlocked', 'locked']);
  });
});

test('ends in order, and leaks nothing', async () => {
  await begin();
  await swipe('1');
  expect(await bench.lock.quit()).toBe(0);
});
