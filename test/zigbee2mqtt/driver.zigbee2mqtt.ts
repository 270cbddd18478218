// latchd's driver against the real Zigbee2MQTT: what it takes for an answer, and what opens a door and when.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Effect } from '../../src/drivers/device-protocol.ts';
import { type RunningMosquitto, startMosquittoFor } from '../support/mosquitto.ts';
import { type DriverOnBroker, startDriver } from './driver-on-broker.ts';
import { cellar, frontDoor, type RadioLock, startZigbee2Mqtt, type Zigbee2Mqtt } from './program.ts';

const settings = [
  { cacheState: true, lastSeen: 'disable' },
  { cacheState: true, lastSeen: 'epoch' },
  { cacheState: false, lastSeen: 'disable' },
  { cacheState: false, lastSeen: 'epoch' },
] as const;

/** Long enough for an answer, and for the driver to ask for it; with `forever` only an answer ends the command. */
const shortMs = 3_500;
const forever = 120_000;

const isLive = (state: string) => (effect: Effect) => effect.kind === 'state' && effect.state === state && effect.isHistory !== true;
const put = { op: 'put-passcode', code: '4711', name: 'Test', reference: '3', startDate: 0, endDate: 0 } as const;

describe.each(settings)('the driver with cache_state $cacheState and last_seen $lastSeen', ({ cacheState, lastSeen }) => {
  let broker: RunningMosquitto;
  let program: Zigbee2Mqtt;
  let driver: DriverOnBroker;

  beforeAll(async () => {
    broker = await startMosquittoFor();
    program = await startZigbee2Mqtt({ brokerPort: broker.port, cacheState, lastSeen });
    driver = startDriver(broker.port, [frontDoor, cellar]);
    for (const lock of [frontDoor, cellar]) await driver.until(lock, ({ kind }) => kind === 'online');
  });

  afterAll(async () => {
    await driver.stop();
    await program.stop();
    await broker.end();
  });

  /** The bolt is there, and the driver has heard it. */
  async function turnTo(lock: RadioLock, bolt: 'locked' | 'unlocked'): Promise<void> {
    await program.behave(lock, 'ok');
    // Both ways, because with a cache only a change is news.
    for (const way of [bolt === 'locked' ? 'unlocked' : 'locked', bolt] as const) {
      driver.forget();
      await program.turn(lock, way);
      await driver.until(
        lock,
        (effect) => effect.kind === 'event' && effect.event.type === (way === 'locked' ? 'inside-lock' : 'inside-unlock'),
      );
      await driver.command(lock, { op: 'get-status' }, forever);
    }
    await driver.until(lock, isLive(bolt));
    program.forget();
    driver.forget();
  }

  beforeEach(async () => {
    for (const lock of [frontDoor, cellar]) await turnTo(lock, 'locked');
  });

  it('unlocks and locks, and knows that it has', async () => {
    expect(await driver.command(frontDoor, { op: 'unlock' }, forever)).toEqual({ kind: 'ok', state: 'unlocked' });
    expect(await driver.command(frontDoor, { op: 'lock' }, forever)).toEqual({ kind: 'ok', state: 'locked' });
    expect(program.moves()).toEqual(['4660 unlocked', '4660 locked']);
    expect(program.arrived().filter((sent) => /Door$/.test(sent))).toEqual(['4660 unlockDoor', '4660 lockDoor']);
    expect(driver.said(frontDoor).filter(({ kind }) => kind === 'event')).toEqual([]);
  });

  it('takes nothing for an answer when the lock refuses, or says yes and does not move', async () => {
    for (const behaviour of ['refused', 'silent'] as const) {
      await program.behave(frontDoor, behaviour);
      expect(await driver.command(frontDoor, { op: 'unlock' }, shortMs)).toEqual({ kind: 'no-reply' });
    }
    expect(driver.said(frontDoor).filter(isLive('unlocked'))).toEqual([]);
    expect(program.moves()).toEqual([]);
    expect(program.arrived().filter((sent) => sent === '4660 unlockDoor')).toHaveLength(2);
  });

  it('knows at once that the radio does not reach a lock, and opens nothing when it does again', async () => {
    for (const lock of [frontDoor, cellar]) {
      await program.behave(lock, 'away');
      expect(await driver.command(lock, { op: 'unlock' }, forever)).toEqual({ kind: 'no-reply' });
      await program.behave(lock, 'ok');
    }
    await program.checkIn(cellar);
    await driver.command(cellar, { op: 'get-status' }, forever);
    await driver.command(frontDoor, { op: 'get-status' }, forever);
    expect(program.moves()).toEqual([]);
    expect(program.arrived().filter((sent) => /unlockDoor/.test(sent))).toEqual([]);
  });

  it('does not know of a lock that sleeps whether it will lock, and says so; it locks at its check-in, and never opens', async () => {
    await turnTo(cellar, 'unlocked');
    await program.behave(cellar, 'away');
    expect(await driver.command(cellar, { op: 'lock' }, shortMs)).toEqual({ kind: 'no-reply' });
    await program.behave(cellar, 'ok');
    await program.checkIn(cellar);
    await driver.until(cellar, isLive('locked'));
    expect(program.moves()).toEqual(['4661 locked']);
  });

  it('loses a command whose program is killed, and nothing opens when it is back', async () => {
    await program.behave(cellar, 'hanging');
    const outcome = driver.command(cellar, { op: 'unlock' }, forever);
    await program.until(({ sent }) => sent === 'unlockDoor');
    await program.kill();
    expect(await outcome).toEqual({ kind: 'lost' });
    driver.forget();
    await program.start();
    await driver.until(cellar, ({ kind }) => kind === 'online');
    await program.checkIn(cellar);
    await driver.command(cellar, { op: 'get-status' }, forever);
    expect(program.moves()).toEqual([]);
    expect(driver.said(cellar).filter(isLive('unlocked'))).toEqual([]);
  });

  it('takes what was cached before a restart for history, also when a refused command brings it again', async () => {
    await turnTo(frontDoor, 'unlocked');
    await program.end();
    await driver.until(frontDoor, ({ kind }) => kind === 'offline');
    driver.forget();
    // The lock is locked when Zigbee2MQTT is back, and its cache says that it is not.
    await program.start();
    await driver.until(frontDoor, ({ kind }) => kind === 'online');
    await program.behave(frontDoor, 'refused');
    expect(await driver.command(frontDoor, { op: 'unlock' }, 1_000)).toEqual({ kind: 'no-reply' });
    expect(driver.said(frontDoor).filter(isLive('unlocked'))).toEqual([]);
  });

  it('tells who was at the door: the slot of a code, or a hand', async () => {
    await program.enterCode(frontDoor, 3);
    await driver.until(frontDoor, isLive('unlocked'));
    await program.turn(frontDoor, 'locked');
    await driver.until(frontDoor, isLive('locked'));
    const events = driver.said(frontDoor).flatMap((effect) => (effect.kind === 'event' ? [effect.event] : []));
    expect(events).toMatchObject([{ type: 'passcode-unlock', credential: 'slot 3' }, { type: 'inside-lock' }]);
  });

  it('puts a code on a lock and takes it away, and says so only by what was read back', async () => {
    const outcome = await driver.command(frontDoor, put, shortMs);
    const isRead = { kind: 'ok', passcode: { reference: '3', proof: 'read-back' } };
    // With a cache, an answer that nothing was known of before could be an old one.
    expect(outcome).toEqual(cacheState ? { kind: 'no-reply' } : isRead);
    expect(program.arrived()).toContain('4660 setPinCode');
    expect(await driver.command(frontDoor, { op: 'remove-passcode', reference: '3' }, forever)).toEqual(isRead);
    expect(program.arrived().filter((sent) => /setPin|clearPin/.test(sent))).toEqual(['4660 setPinCode', '4660 clearPinCode']);
    expect(await driver.command(frontDoor, put, forever)).toEqual(isRead);
    expect(await driver.command(frontDoor, { op: 'remove-passcode', reference: '3' }, forever)).toEqual(isRead);
    expect(program.moves()).toEqual([]);
  });

  it('lists the codes of a lock, where no cache stands between', async () => {
    const outcome = await driver.command(frontDoor, { op: 'list-passcodes' }, forever);
    expect(outcome).toMatchObject(cacheState ? { kind: 'refused' } : { kind: 'ok', passcodes: { passcodes: [] } });
  });
});
