// What the real Zigbee2MQTT says and does, as latchd's driver takes it to be: its topics, what it keeps for sleeping locks, what it caches.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningMosquitto, startMosquittoFor } from '../support/mosquitto.ts';
import { type Listener, listenTo } from './listener.ts';
import { cellar, frontDoor, type RadioLock, startZigbee2Mqtt, type Zigbee2Mqtt } from './program.ts';

const settings = [
  { cacheState: true, lastSeen: 'disable' },
  { cacheState: true, lastSeen: 'epoch' },
  { cacheState: false, lastSeen: 'disable' },
  { cacheState: false, lastSeen: 'epoch' },
] as const;

const rf = { action_source: 1, action_source_name: 'rf', action_user: null };
const unlocked = { lock_state: 'unlocked', state: 'UNLOCK' };
const locked = { lock_state: 'locked', state: 'LOCK' };

describe.each(settings)('Zigbee2MQTT with cache_state $cacheState and last_seen $lastSeen', ({ cacheState, lastSeen }) => {
  let broker: RunningMosquitto;
  let listener: Listener;
  let program: Zigbee2Mqtt;

  beforeAll(async () => {
    broker = await startMosquittoFor();
    listener = await listenTo(broker.port);
    program = await startZigbee2Mqtt({ brokerPort: broker.port, cacheState, lastSeen });
  });

  afterAll(async () => {
    await program.stop();
    await listener.stop();
    await broker.end();
  });

  beforeEach(async () => {
    for (const lock of [frontDoor, cellar]) {
      await program.behave(lock, 'ok');
      await program.turn(lock, 'locked');
      await listener.until(({ topic, text }) => topic === stateOf(lock) && text.includes('"lock_state":"locked"'));
      await answered(lock);
    }
    program.forget();
    listener.forget();
  });

  function stateOf({ name }: RadioLock): string {
    return `zigbee2mqtt/${name}`;
  }

  function set({ ieee }: RadioLock, payload: object): Promise<void> {
    return listener.publish(`zigbee2mqtt/${ieee}/set`, payload);
  }

  /** All that was sent to this lock before is done: a read is answered. */
  async function answered(lock: RadioLock): Promise<void> {
    const seen = listener.heard.length;
    await listener.publish(`zigbee2mqtt/${lock.ieee}/get`, { state: '' });
    await listener.until((message) => {
      const isNew = listener.heard.indexOf(message) >= seen;
      return isNew && message.topic === stateOf(lock) && message.text.includes('"lock_state"') && !message.text.includes('"action"');
    });
  }

  function error(text: string) {
    return listener.until(
      ({ topic, text: said }) => topic === 'zigbee2mqtt/bridge/logging' && said.includes('"error"') && said.includes(text),
    );
  }

  it('announces itself, its settings and its locks with retained messages', async () => {
    const late = await listenTo(broker.port);
    const about = async (topic: string) => JSON.parse((await late.until((message) => message.topic === topic && message.retain)).text);
    expect(await about('zigbee2mqtt/bridge/state')).toEqual({ state: 'online' });
    expect(await about('zigbee2mqtt/bridge/info')).toMatchObject({ version: '2.14.1', config: { advanced: { cache_state: cacheState } } });
    const devices = (await about('zigbee2mqtt/bridge/devices')) as {
      friendly_name: string;
      definition?: { exposes: { type: string }[] };
    }[];
    const found = devices.find((device) => device.friendly_name === 'Front Door');
    expect(found).toMatchObject({ ieee_address: frontDoor.ieee, definition: { vendor: 'Yale', model: 'YRD226HA2619' } });
    expect(found?.definition?.exposes[0]).toMatchObject({
      type: 'lock',
      features: [{ name: 'state', property: 'state' }, { name: 'lock_state' }],
    });
    await late.stop();
  });

  it('takes a command by IEEE address, and tells of it under the name: who did it, then where the bolt is', async () => {
    await set(frontDoor, { state: 'UNLOCK' });
    await listener.until(({ topic, text }) => topic === stateOf(frontDoor) && !text.includes('"action"') && text.includes('"unlocked"'));
    const said = listener.said(stateOf(frontDoor)).filter((message) => Object.keys(message).length > 0);
    const cached = cacheState ? locked : {};
    const answer = cacheState && lastSeen === 'epoch' ? [locked] : [];
    expect(said).toEqual([...answer, { action: 'unlock', ...rf, ...cached }, unlocked]);
    expect(program.moves()).toEqual(['4660 unlocked']);
    expect(listener.heard.filter(({ retain }) => retain)).toEqual([]);
  });

  it('says nothing of a refusal, or only what it had cached before', async () => {
    await program.behave(frontDoor, 'refused');
    await set(frontDoor, { state: 'UNLOCK' });
    await program.until(({ sent }) => sent === 'unlockDoor');
    await answered(frontDoor);
    const said = listener.said(stateOf(frontDoor));
    expect(said.filter((message) => 'action' in message || message['lock_state'] === 'unlocked')).toEqual([]);
    expect(program.moves()).toEqual([]);
  });

  it('names a lock that is out of reach in its log, for a command and for a query', async () => {
    await program.behave(frontDoor, 'away');
    await set(frontDoor, { state: 'UNLOCK' });
    await error("Publish 'set' 'state' to 'Front Door' failed");
    await listener.publish('zigbee2mqtt/Front Door/get', { state: '' });
    await error("Publish 'get' 'state' to 'Front Door' failed");
    expect(program.moves()).toEqual([]);
  });

  it('forgets an unlock that did not reach a sleeping lock, and keeps a lock and a code for it', async () => {
    await program.turn(cellar, 'unlocked');
    await answered(cellar);
    program.forget();
    await program.behave(cellar, 'away');
    await set(cellar, { state: 'UNLOCK' });
    await error("Publish 'set' 'state' to 'Cellar/Left' failed");
    await set(cellar, { state: 'LOCK' });
    await program.until(({ sent }) => sent === 'lockDoor');
    await set(cellar, { pin_code: { user: 7, user_type: 'unrestricted', user_enabled: true, pin_code: '4711' } });
    await program.until(({ sent }) => sent === 'setPinCode');
    program.forget();
    await program.behave(cellar, 'ok');
    await program.checkIn(cellar);
    await program.until(({ sent }) => sent === 'fastPollStop');
    expect(program.arrived()).toEqual(['4661 checkinRsp', '4661 lockDoor', '4661 setPinCode', '4661 fastPollStop']);
    expect(program.moves()).toEqual(['4661 locked']);
  });

  it('puts codes on a lock, removes them, and reads them back', async () => {
    const code = { user: 3, user_type: 'unrestricted', user_enabled: true };
    // With the cache on, what was read before is in messages of something else, too: only another value says that it was read again.
    const readsBack = async (status: string) => {
      await listener.publish(`zigbee2mqtt/${frontDoor.ieee}/get`, { pin_code: { user: 3 } });
      await program.until(({ sent }) => sent === 'getPinCode');
      await listener.until(({ topic, text }) => topic === stateOf(frontDoor) && text.includes(`"users":{"3":{"status":"${status}"}}`));
      program.forget();
      listener.forget();
    };
    await set(frontDoor, { pin_code: { ...code, pin_code: '4711' } });
    await program.until(({ sent, payload }) => sent === 'setPinCode' && payload?.['pincodevalue'] === '4711');
    await readsBack('enabled');
    await set(frontDoor, { pin_code: { ...code, pin_code: null } });
    await program.until(({ sent }) => sent === 'clearPinCode');
    await readsBack('available');
    expect(program.moves()).toEqual([]);
  });

  it('opens nothing after a kill in the middle of an unlock, not when it is back, and not when the lock checks in', async () => {
    await program.behave(cellar, 'hanging');
    await set(cellar, { state: 'UNLOCK' });
    await program.until(({ sent }) => sent === 'unlockDoor');
    await program.kill();
    await listener.until(({ topic, text }) => topic === 'zigbee2mqtt/bridge/state' && text.includes('offline'));
    await program.start();
    await program.checkIn(cellar);
    await program.until(({ sent }) => sent === 'checkinRsp');
    await answered(cellar);
    expect(program.moves()).toEqual([]);
  });

  it(`${cacheState ? 'publishes' : 'does not publish'} what it had cached when it starts again, as if it were new`, async () => {
    await set(frontDoor, { state: 'UNLOCK' });
    await listener.until(({ topic, text }) => topic === stateOf(frontDoor) && !text.includes('"action"') && text.includes('"unlocked"'));
    await program.end();
    listener.forget();
    await program.start();
    if (cacheState) await listener.until(({ topic, retain }) => topic === stateOf(frontDoor) && !retain);
    else await answered(cellar);
    const states = listener.said(stateOf(frontDoor)).filter((message) => 'lock_state' in message);
    expect(states).toEqual(cacheState ? [expect.objectContaining(unlocked)] : []);
  });
});
