// What the reference lock in C does for each command, and that nothing makes it act late or twice.
import { describe, expect, test } from '@jest/globals';
import { until } from '../../support/site.ts';
import { useReferenceLock } from '../support/reference-bench.ts';

const bench = useReferenceLock();
const { ask, begin, events, heard, online, replies, send } = bench;

describe('takes commands', () => {
  test('unlocks, says state, reply and event in this order, and locks itself', async () => {
    await begin();
    await ask({ op: 'set-auto-lock', args: { seconds: 1 } });
    bench.broker.forget();
    const id = `"\\é${'x'.repeat(60)}`;
    send({ id, op: 'unlock' });
    await until(() => events().length === 2, 'it has locked itself');
    expect(bench.broker.heard.map(({ channel }) => channel)).toEqual(['state', 'reply', 'events', 'state', 'events']);
    expect(heard('reply')).toEqual([{ id, ok: true, state: 'unlocked', battery: 90 }]);
    expect(events()).toEqual([
      { seq: 1, type: 'remote-unlock', commandId: id },
      { seq: 2, type: 'auto-lock' },
    ]);
    expect(bench.lock.movements()).toEqual([`unlock ${JSON.stringify(id)}`, 'lock auto']);
  });

  test('late means never: an expired one, one that could not be done in time and one of another session move nothing (Protocol 5.3 rule 1)', async () => {
    await begin();
    for (const late of [{ expires: bench.hello.uptime - 1 }, { expires: bench.hello.uptime + 500 }, { session: 'another-one' }])
      expect(await ask({ op: 'unlock', ...late })).toMatchObject({ ok: false, error: 'expired' });
    expect(bench.lock.movements()).toEqual([]);
  });

  test('once: however often it comes, one movement and equal replies (Protocol 5.3 rule 2)', async () => {
    await begin();
    const first = { id: 'one', op: 'unlock' };
    send(first);
    send(first);
    await until(() => replies('one').length === 1, 'it is unlocked');
    await ask({ op: 'lock' });
    for (let other = 0; other < 30; other++) await ask({ op: 'get-status' });
    send(first);
    await until(() => replies('one').length === 2, 'the same reply');
    expect(replies('one')[0]).toEqual(replies('one')[1]);
    expect(bench.lock.movements().filter((movement) => movement.startsWith('unlock'))).toEqual(['unlock "one"']);
  });

  test('no reply crosses to another connection: the movement ends, and hello and event tell of it', async () => {
    await begin();
    send({ id: 'cut', op: 'unlock' });
    await bench.lock.says(/^bolt unlock "cut"/);
    bench.broker.kick();
    await online();
    await until(() => events().some(({ commandId }) => commandId === 'cut'), 'the event comes');
    expect(replies('cut')).toEqual([]);
    expect(bench.hello.state).toBe('unlocked');
    expect(await ask({ id: 'old', op: 'lock', session: 'the-one-before' })).toMatchObject({ error: 'expired' });
  });

  test('what is no command gets no reply and does no harm; unknown ops and members do none either', async () => {
    await begin();
    const good = { id: 'x', session: bench.hello.session, op: 'unlock', args: {}, expires: bench.hello.uptime + 60_000, ttl: 1 };
    const wrong = [
      ...['', '{', 'null', '[]', '"x"', '{"id":}', `${JSON.stringify(good)}x`, '['.repeat(4_000)],
      ...Object.keys(good).map((name) => JSON.stringify({ ...good, [name]: undefined })),
      ...['id', 'session', 'op'].map((name) => JSON.stringify({ ...good, [name]: 7 })),
      ...['args', 'expires', 'ttl'].map((name) => JSON.stringify({ ...good, [name]: '7' })),
      ...[1.5, 1e300, -(2 ** 60)].map((expires) => JSON.stringify({ ...good, expires })),
      JSON.stringify({ ...good, id: 'y'.repeat(97) }),
    ];
    for (const text of wrong) bench.broker.commandText(bench.deviceId, text);
    expect(await ask({ op: 'open-sesame' })).toMatchObject({ ok: false, error: 'not-supported' });
    expect(await ask({ op: 'x'.repeat(64) })).toMatchObject({ ok: false, error: 'not-supported' });
    bench.broker.commandText(bench.deviceId, ` ${JSON.stringify({ ...good, id: 'z'.repeat(96), new: { a: [1, null, true] } })}\n`);
    await until(() => replies('z'.repeat(96)).length === 1, 'an unknown member is ignored');
    expect(heard('reply').length).toBe(3);
    expect(bench.lock.movements().length).toBe(1);
  });

  test('a jam: it says so, sends the alarm, and the bolt is where it was', async () => {
    await begin();
    bench.lock.type('jam on');
    expect(await ask({ id: 'j', op: 'unlock' })).toMatchObject({ ok: false, error: 'jammed', state: 'locked' });
    await until(() => events().length === 2, 'both events');
    expect(events()).toEqual([
      { seq: 1, type: 'remote-unlock', success: false, reason: 'jammed', commandId: 'j' },
      { seq: 2, type: 'jammed', success: false, reason: 'unlock' },
    ]);
    bench.lock.type('jam off');
    expect(await ask({ op: 'unlock' })).toMatchObject({ ok: true, state: 'unlocked' });
  });

  test('busy while it moves, low-battery without power, nothing to do where it is already', async () => {
    await begin();
    expect(await ask({ op: 'lock' })).toMatchObject({ ok: true, state: 'locked' });
    send({ op: 'unlock' });
    expect(await ask({ op: 'lock' })).toMatchObject({ ok: false, error: 'busy' });
    await bench.lock.says(/^event \d+ remote-unlock/);
    bench.lock.type('battery 3');
    await until(() => heard('battery').at(-1)?.level === 3, 'it says its level');
    expect(await ask({ op: 'lock' })).toMatchObject({ ok: false, error: 'low-battery', battery: 3 });
    expect(bench.lock.movements().length).toBe(1);
  });

  test('settings, timer and status; get-status says state and battery again', async () => {
    await begin();
    expect(await ask({ op: 'set-settings', args: { lockSound: 1, passageMode: 1 } })).toMatchObject({ ok: true });
    expect(await ask({ op: 'set-settings', args: { lockSound: 3 } })).toMatchObject({ error: 'failed' });
    expect(await ask({ op: 'set-auto-lock', args: {} })).toMatchObject({ error: 'failed' });
    expect(await ask({ op: 'set-auto-lock', args: { seconds: 65_536 } })).toMatchObject({ error: 'failed' });
    await ask({ op: 'set-auto-lock', args: { seconds: 1 } });
    const [states, batteries] = [heard('state').length, heard('battery').length];
    const status = await ask({ op: 'get-status' });
    expect(status).toMatchObject({ ok: true, autoLockTime: 1, settings: { lockSound: 1, privacyLock: 2, passageMode: 1 } });
    expect([heard('state').length, heard('battery').length]).toEqual([states + 1, batteries + 1]);
    await bench.lock.powerCut();
    bench.lock.start();
    await online();
    expect(bench.hello).toMatchObject({ autoLockTime: 1, settings: { lockSound: 1, passageMode: 1 } });
  });
});
