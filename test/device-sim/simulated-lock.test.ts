import { afterEach, describe, expect, it } from '@jest/globals';
import { cardDigest } from '../../device-sim/card-memory.ts';
import type { LockProfileInput } from '../../device-sim/lock-profile.ts';
import { helloMessage } from '../../src/drivers/native/messages.ts';
import { type LockOnTheBench, putLockOnTheBench, travelMs } from './support/lock-on-the-bench.ts';

const always = { startDate: 0, endDate: 0 };
let benches: LockOnTheBench[] = [];

async function bench(profile: LockProfileInput = {}, connected = true): Promise<LockOnTheBench> {
  const made = await putLockOnTheBench(profile);
  benches.push(made);
  if (connected) made.connect();
  return made;
}

afterEach(async () => {
  for (const made of benches.reverse()) await made.remove(); // the newest first: a rebooted lock has the same folder
  benches = [];
});

describe('hello (Protocol 4.1)', () => {
  it('carries what the protocol asks for, and a new session at every connect', async () => {
    const { lock, connect } = await bench({ cards: [{ cardNumber: '7', ...always }] }, false);
    const first = connect();
    expect(helloMessage.parse(first)).toEqual(first);
    expect(first.cards).toEqual({ count: 1, digest: cardDigest([{ cardNumber: '7', ...always }]) });
    lock.disconnect();
    expect(connect().session).not.toBe(first.session);
  });

  it('has no date while the clock is not set, and the lock’s own date after set-clock', async () => {
    const { connect, ask, time } = await bench({ clockDriftPpm: 1_000 }, false);
    expect(connect()).not.toHaveProperty('date');
    await ask('set-clock', { now: 1_800_000_000_000, timezoneRawOffset: 3_600_000 });
    time.advance(60_000);
    expect(connect().date).toBe(1_800_000_060_060);
  });

  it('carries an uptime that rises whatever the wall clock does', async () => {
    const { connect, time } = await bench({}, false);
    const before = connect().uptime;
    time.setWall(0);
    time.advance(1_500);
    expect(connect().uptime).toBe(before + 1_500);
  });
});

describe('lock and unlock (Protocol 5.1)', () => {
  it('answers when the bolt has moved: state first, then the reply, then the event with the commandId', async () => {
    const { send, said, time, memory, lock } = await bench();
    const { id } = send('unlock');
    time.advance(travelMs - 1);
    expect([said, lock.state]).toEqual([[], 'locked']);
    time.advance(1);
    expect(said).toEqual(['state unlocked', `reply ${id} ok`]);
    expect(memory.contents.events).toEqual([{ seq: 1, type: 'remote-unlock', commandId: id }]);
  });

  it('answers at once and without its state where the profile says so; the report follows when the bolt has arrived (Protocol 5.2)', async () => {
    const { send, replyTo, said, time, events } = await bench({ okWhen: 'begun' });
    const command = send('unlock');
    expect(await replyTo(command)).toEqual({ id: command.id, ok: true });
    time.advance(travelMs);
    expect(said).toEqual([`reply ${command.id} ok`, 'state unlocked']);
    expect(events()).toEqual(['remote-unlock']);
    expect((await replyTo(send('unlock'))).state).toBe('unlocked');
  });

  it('says ok at once and records nothing when the bolt is there already', async () => {
    const { ask, said, events } = await bench();
    expect(await ask('lock')).toMatchObject({ ok: true, state: 'locked' });
    expect([said, events()]).toEqual([['reply c1 ok'], []]);
  });

  it('is busy while the bolt moves (Protocol 5.2)', async () => {
    const { send, said, time } = await bench();
    send('unlock');
    send('lock');
    expect(said).toEqual(['reply c2 busy']);
    time.advance(travelMs);
    expect(said).toEqual(['reply c2 busy', 'state unlocked', 'reply c1 ok']);
  });

  it('is jammed when the bolt is blocked: no state report, and an alarm (Protocol 5.2, 4.4)', async () => {
    const { lock, send, said, time, events } = await bench();
    lock.jam(true);
    send('unlock');
    time.advance(travelMs);
    expect([said, events(), lock.state]).toEqual([['reply c1 jammed'], ['remote-unlock!', 'jammed'], 'locked']);
    lock.jam(false);
    send('unlock');
    time.advance(travelMs);
    expect(lock.state).toBe('unlocked');
  });

  it('stays jammed after a fault that jams it once more', async () => {
    const { lock, send, said, time } = await bench();
    lock.jam(true);
    for (const kind of ['jam', 'none'] as const) {
      send('unlock', {}, {}, { kind });
      time.advance(travelMs);
    }
    expect(said).toEqual(['reply c1 jammed', 'reply c2 jammed']);
  });

  it('refuses to unlock while the privacy bolt is out, and the thumb turn takes it back (Protocol 5.2)', async () => {
    const { lock, send, said, time } = await bench();
    lock.setPrivacyBolt(true);
    send('unlock');
    expect(said).toEqual(['reply c1 privacy-lock']);
    const turned = lock.turnThumb();
    time.advance(travelMs);
    expect(await turned).toEqual({ done: true });
    send('lock');
    time.advance(travelMs);
    send('unlock');
    time.advance(travelMs);
    expect(lock.state).toBe('unlocked');
  });

  it('has too little power below 5 %, while the thumb turn needs none (Protocol 5.2)', async () => {
    const { lock, send, said, time } = await bench({ batteryPercent: 4 });
    send('unlock');
    expect(said).toEqual(['reply c1 low-battery']);
    void lock.turnThumb();
    time.advance(travelMs);
    expect(lock.state).toBe('unlocked');
  });
});

describe('what is late is not executed (Protocol 5.3 rule 1)', () => {
  it.each([
    ['of another session', { session: 'of-yesterday' }],
    ['past its expires', { expires: -1 }],
    ['so short that the bolt would arrive too late', { expires: travelMs - 1 }],
  ])('refuses a command %s as expired, and the bolt stays', async (_, changes) => {
    const { send, said, time, lock, events } = await bench();
    send('unlock', {}, changes);
    time.advance(60_000);
    expect([said, lock.state, events()]).toEqual([['reply c1 expired'], 'locked', []]);
  });

  it('checks again when it gets round to it: a slow lock does not open late', async () => {
    const { send, said, time, lock } = await bench();
    send('unlock', {}, {}, { kind: 'slow', delayMs: 10_001 });
    time.advance(20_000);
    expect([said, lock.state]).toEqual([['reply c1 expired'], 'locked']);
  });

  it('still executes in the very millisecond in which it can answer in time', async () => {
    const { send, time, lock } = await bench();
    send('unlock', {}, { expires: travelMs });
    time.advance(travelMs);
    expect(lock.state).toBe('unlocked');
  });

  it('executes nothing of a connection that was replaced, even when it was taken in before', async () => {
    const { send, time, lock, connect } = await bench();
    send('unlock', {}, {}, { kind: 'slow', delayMs: 100 });
    connect();
    time.advance(1_000);
    expect(lock.state).toBe('locked');
  });

  it('executes nothing that was taken in before the connection went', async () => {
    const { send, time, lock } = await bench();
    send('unlock', {}, {}, { kind: 'slow', delayMs: 100 });
    lock.disconnect();
    time.advance(1_000);
    expect(lock.state).toBe('locked');
  });

  it('refuses late card changes as well', async () => {
    const { ask, memory } = await bench();
    expect(await ask('add-card', { cardNumber: '1', ...always }, { expires: -1 })).toMatchObject({ ok: false, error: 'expired' });
    expect(memory.contents.cards).toEqual([]);
  });
});

describe('nothing is done twice (Protocol 5.3 rule 2)', () => {
  it('sends the earlier reply again, and the bolt does not move', async () => {
    const { lock, send, replies, time, events } = await bench();
    const command = send('unlock');
    time.advance(travelMs);
    void lock.turnThumb();
    time.advance(travelMs);
    lock.receive(command);
    time.advance(travelMs);
    expect(replies[1]).toEqual(replies[0]);
    expect([lock.state, events()]).toEqual(['locked', ['remote-unlock', 'inside-lock']]);
  });

  it('says nothing more to a repeat that comes while the first is under way', async () => {
    const { lock, send, said, time } = await bench();
    lock.receive(send('unlock'));
    time.advance(travelMs);
    expect(said).toEqual(['state unlocked', 'reply c1 ok']);
  });

  it('does not execute a repeat of what was refused', async () => {
    const { lock, send, said, time } = await bench();
    lock.setPrivacyBolt(true);
    const command = send('unlock');
    lock.setPrivacyBolt(false);
    lock.receive(command);
    time.advance(travelMs);
    expect([said, lock.state]).toEqual([['reply c1 privacy-lock', 'reply c1 privacy-lock'], 'locked']);
  });

  it('knows the last 32', async () => {
    const { lock, send, said, time } = await bench();
    const commands = Array.from({ length: 33 }, () => send('lock'));
    void lock.turnThumb();
    time.advance(travelMs);
    said.length = 0;
    for (const command of commands.slice(1)) lock.receive(command);
    expect([said, lock.state]).toEqual([commands.slice(1).map(({ id }) => `reply ${id} ok`), 'unlocked']);
  });

  it('sends the reply to a repeat when the first one was lost', async () => {
    const { lock, send, said } = await bench();
    const command = send('lock', {}, {}, { kind: 'lost-reply' });
    expect(said).toEqual([]);
    lock.receive(command);
    expect(said).toEqual(['reply c1 ok']);
  });
});

describe('without a set clock (Protocol 5.3 rule 4)', () => {
  const timed = { cardNumber: '5', startDate: 1_000, endDate: 4_000_000_000_000 };

  it('refuses cards that are not always valid, says why, and takes the others', async () => {
    const { ask } = await bench();
    expect(await ask('add-card', timed)).toMatchObject({ ok: false, error: 'clock-not-set' });
    expect(await ask('add-card', { ...timed, ...always })).toEqual({ id: 'c2', ok: true });
    expect(await ask('update-card', timed)).toMatchObject({ ok: false, error: 'clock-not-set' });
  });

  it('opens for none of them, not even for one stored before the clock was lost', async () => {
    const { ask, reboot } = await bench({ clock: 'unset' });
    await ask('set-clock', { now: 2_000, timezoneRawOffset: 0 });
    expect(await ask('add-card', timed)).toMatchObject({ ok: true });
    const after = await reboot();
    benches.push(after);
    expect(await after.lock.swipeCard('5')).toEqual({ done: false, reason: 'clock-not-set' });
    expect(after.events()).toEqual(['card-unlock!']);
  });

  it('says not-supported to set-clock when it has no clock', async () => {
    const { ask } = await bench({ clock: 'none' });
    expect(await ask('set-clock', { now: 2_000, timezoneRawOffset: 0 })).toMatchObject({ ok: false, error: 'not-supported' });
  });
});

describe('cards (Protocol 5.1)', () => {
  it('adds, replaces the dates of, updates, lists by page and removes; removing what is not there is ok', async () => {
    const { ask } = await bench({ clock: 'set' });
    for (const cardNumber of ['20', '3', '100']) await ask('add-card', { cardNumber, ...always });
    await ask('add-card', { cardNumber: '3', startDate: 5, endDate: 9 });
    await ask('update-card', { cardNumber: '20', startDate: 1, endDate: 2 });
    expect((await ask('list-cards', { offset: 1, limit: 2 })).result).toEqual({
      cards: [
        { cardNumber: '20', startDate: 1, endDate: 2 },
        { cardNumber: '3', startDate: 5, endDate: 9 },
      ],
      total: 3,
    });
    expect(await ask('remove-card', { cardNumber: '3' })).toMatchObject({ ok: true });
    expect(await ask('remove-card', { cardNumber: '3' })).toMatchObject({ ok: true });
    expect(await ask('update-card', { cardNumber: '3', ...always })).toMatchObject({ ok: false, error: 'not-found' });
  });

  it('has no-space beyond its capacity, and still replaces', async () => {
    const { ask } = await bench({ cardCapacity: 1 });
    await ask('add-card', { cardNumber: '1', ...always });
    expect(await ask('add-card', { cardNumber: '2', ...always })).toMatchObject({ error: 'no-space' });
    expect(await ask('add-card', { cardNumber: '1', ...always })).toMatchObject({ ok: true });
  });

  it('opens from startDate until and including endDate', async () => {
    const { time } = await bench({}, false);
    const results: (string | undefined)[] = [];
    for (const now of [1_999, 2_000, 3_000, 3_001]) {
      const other = await bench({
        clock: 'set',
        clockOffsetMs: now - time.wall(),
        cards: [{ cardNumber: '1', startDate: 2_000, endDate: 3_000 }],
      });
      const swiped = other.lock.swipeCard('1');
      other.time.advance(travelMs);
      results.push((await swiped).reason);
    }
    expect(results).toEqual(['not-valid-now', undefined, undefined, 'not-valid-now']);
  });

  it('is read by a reverse reader with its bytes from the other end (Specification 4.2 rule 2)', async () => {
    const { lock, time, memory } = await bench({ byteOrder: 'reverse', cards: [{ cardNumber: '3123119183', ...always }] });
    const swiped = lock.swipeCard('1325672378');
    time.advance(travelMs);
    expect(await swiped).toEqual({ done: true });
    expect(memory.contents.events[0]).toMatchObject({ type: 'card-unlock', credential: '3123119183' });
    expect(await lock.swipeCard('3123119183')).toEqual({ done: false, reason: 'unknown-card' });
    expect(memory.contents.events.at(-1)).toMatchObject({ success: false, reason: 'unknown-card' });
  });

  it('locks again with a card when it does not lock itself', async () => {
    const { lock, time, events } = await bench({ cards: [{ cardNumber: '1', ...always }] });
    for (let times = 0; times < 2; times++) {
      void lock.swipeCard('1');
      time.advance(travelMs);
    }
    expect(events()).toEqual(['card-unlock', 'card-lock']);
  });
});

describe('other commands (Protocol 5.1)', () => {
  it('stores the auto lock time and locks itself after it, whatever opened it', async () => {
    const { lock, ask, time, events, said } = await bench({ passcodes: ['1234'] });
    await ask('set-auto-lock', { seconds: 5 });
    void lock.enterPasscode('1234');
    time.advance(travelMs + 4_999);
    expect(lock.state).toBe('unlocked');
    time.advance(1 + travelMs);
    expect([lock.state, events()]).toEqual(['locked', ['passcode-unlock', 'auto-lock']]);
    expect(said.slice(1)).toEqual(['state unlocked', 'state locked']);
  });

  it('does not lock itself in passage mode or while the door is open', async () => {
    const { lock, ask, time } = await bench({ autoLockSeconds: 5 });
    void lock.turnThumb();
    time.advance(travelMs);
    lock.openDoor();
    time.advance(60_000);
    expect(lock.state).toBe('unlocked');
    await ask('set-settings', { passageMode: 1 });
    lock.closeDoor();
    time.advance(60_000);
    expect(lock.state).toBe('unlocked');
    await ask('set-settings', { passageMode: 2 });
    time.advance(5_000 + travelMs);
    expect(lock.state).toBe('locked');
  });

  it('does not try a jammed auto lock again, and does after the next opening', async () => {
    const { lock, time, events } = await bench({ autoLockSeconds: 5 });
    void lock.turnThumb();
    time.advance(travelMs);
    lock.jam(true);
    time.advance(60_000);
    expect(events()).toEqual(['inside-unlock', 'auto-lock!', 'jammed']);
  });

  it('locks itself after a jammed lock command', async () => {
    const { lock, send, time } = await bench({ autoLockSeconds: 5 });
    void lock.turnThumb();
    time.advance(travelMs);
    send('lock', {}, {}, { kind: 'jam' });
    time.advance(travelMs + 5_000 + travelMs);
    expect(lock.state).toBe('locked');
  });

  it('locks itself after a power cut that found it open', async () => {
    const before = await bench({ autoLockSeconds: 5 });
    void before.lock.turnThumb();
    before.time.advance(travelMs);
    const after = await before.reboot();
    benches.push(after);
    expect(after.lock.state).toBe('unlocked');
    after.time.advance(5_000 + travelMs);
    expect(after.lock.state).toBe('locked');
  });

  it('publishes state and battery again on get-status, then says ok', async () => {
    const { ask, said } = await bench({ batteryPercent: 55 });
    await ask('get-status');
    expect(said).toEqual(['state locked', 'battery 55', 'reply c1 ok']);
  });

  it('stores settings and says them in the next hello', async () => {
    const { ask, connect } = await bench();
    expect(await ask('set-settings', { lockSound: 2, passageMode: 1 })).toEqual({ id: 'c1', ok: true });
    expect(connect().settings).toMatchObject({ lockSound: 2, passageMode: 1, tamperAlert: 1 });
  });

  it('publishes events again before it says ok to resend-events', async () => {
    const { ask, resent } = await bench();
    expect(await ask('resend-events', { epoch: 'e', from: 3, to: 9 })).toEqual({ id: 'c1', ok: true });
    expect(resent).toEqual([['e', 3, 9]]);
  });

  it('gives up a resend that is not acknowledged, in time for its reply (Protocol 5.3 rule 3)', async () => {
    const { send, replyTo, time, said } = await bench();
    const command = send('resend-events', { epoch: 'never', from: 3, to: 9 });
    expect(said).toEqual([]);
    time.advance(10_000 - 300);
    expect(await replyTo(command)).toMatchObject({ ok: false, error: 'failed' });
  });

  it.each([
    ['an op it does not know', 'self-destruct', {}, 'not-supported'],
    ['a number as cardNumber', 'add-card', { cardNumber: 5, ...always }, 'failed'],
    ['an auto lock time beyond 65535', 'set-auto-lock', { seconds: 65_536 }, 'failed'],
    ['settings that are none', 'set-settings', { volume: 11 }, 'failed'],
    ['a page of more than 100 cards', 'list-cards', { offset: 0, limit: 101 }, 'failed'],
  ])('refuses %s', async (_, op, args, error) => {
    const { ask } = await bench();
    expect(await ask(op, args)).toMatchObject({ ok: false, error });
  });
});

describe('events and reports (Protocol 4.2 to 4.4)', () => {
  it('counts seq by one for each event, over a power cut too, in the same epoch', async () => {
    const before = await bench();
    await before.lock.swipeCard('1');
    before.lock.tamper();
    const after = await before.reboot();
    benches.push(after);
    await after.lock.enterPasscode('9999');
    expect(after.memory.contents.events.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'card-unlock'],
      [2, 'tamper'],
      [3, 'passcode-unlock'],
    ]);
    expect(after.memory.contents.epoch).toBe(before.memory.contents.epoch);
  });

  it('reports the battery when its whole percentage changes, and warns once at 20 %', async () => {
    const { lock, said, events, time } = await bench({ batteryPercent: 21.4, batteryDrainPercent: 0.5 });
    for (let times = 0; times < 4; times++) {
      lock.receive({
        id: `x${times}`,
        session: lock.session ?? '',
        op: times % 2 === 0 ? 'unlock' : 'lock',
        args: {},
        expires: 1e9,
        ttl: 1,
      });
      time.advance(travelMs);
    }
    expect(said.filter((line) => line.startsWith('battery'))).toEqual(['battery 20', 'battery 19']);
    expect(events().filter((type) => type === 'low-battery')).toHaveLength(1);
  });

  it('opens the door only when it is unlocked, and records what the door does', async () => {
    const { lock, time, events } = await bench();
    expect(lock.openDoor()).toBe(false);
    void lock.turnThumb();
    time.advance(travelMs);
    expect(lock.openDoor()).toBe(true);
    lock.closeDoor();
    expect(events()).toEqual(['inside-unlock', 'door-open', 'door-close']);
  });

  it('says nothing into a connection that is gone, and has it in its memory', async () => {
    const { lock, said, time, events } = await bench();
    lock.disconnect();
    void lock.turnThumb();
    time.advance(travelMs);
    expect([said, events()]).toEqual([[], ['inside-unlock']]);
  });

  it('does not reply on a new connection to a command of the old one', async () => {
    const { send, connect, time, said } = await bench();
    send('unlock');
    connect();
    time.advance(travelMs);
    expect(said).toEqual(['state unlocked']);
  });
});
