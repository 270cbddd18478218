// What a gateway makes of locks of other makes: alarms, warnings, records with who it was, deliveries. Simulated devices over a real connection;
// test/end-to-end/other-makes.test.ts has what is the same for all makes.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeviceSite, type RegisteredDevice, startDeviceSite } from '../support/device-site.ts';
import { until } from '../support/site.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const done = { status: 200, body: { success: true } };
const refused = (reason: string) => ({ status: 200, body: { success: false, reason } });

let site: DeviceSite;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  await receiver.up();
  site = await startDeviceSite({ '--command-timeout-ms': '4000' });
  await site.api('POST', 'gateway/webhooks', {}, { name: 'all', url: receiver.url, eventTypes: ['record'] });
});

afterAll(async () => {
  await site.stop();
  await receiver.down();
});

/** The records of a lock, once there are so many. */
async function recordsOf({ lockId }: RegisteredDevice, count: number) {
  await until(async () => (await site.records(lockId)).length >= count, `lock ${lockId} has ${count} records`);
  return site.records(lockId);
}

describe('a Nuki with MQTT of its own', () => {
  it('locks and unlocks, tells who opened, and each operation is one record, one live event, one delivery', async () => {
    const device = await site.register({ kind: 'nuki', nukiId: '2bb28570' });
    const { lockId } = device;
    expect(device).toMatchObject({ deviceId: '02002bb28570', mqtt: { username: 'nuki-2bb28570', tlsPort: null } });
    expect(await site.move('unlock', lockId)).toMatchObject({ status: 503, body: { code: 'lock-offline' } });
    const { door } = await site.simulate('nuki:2BB28570', device);
    expect(await site.move('unlock', lockId)).toEqual(done);
    expect(await site.move('lock', lockId)).toEqual(done);
    expect(door.enterCode('589472')).toBe('done');
    expect(await recordsOf(device, 3)).toEqual([
      ['unlock by passcode', ''],
      ['lock by gateway', 'admin'],
      ['unlock by gateway', 'admin'],
    ]);
    door.turn();
    door.setBattery(15);
    expect((await recordsOf(device, 4))[0]).toEqual(['lock from inside', '']);
    await until(async () => (await site.alarms(lockId)).includes('low-battery'), 'its low battery is an alarm');
    expect(await site.lock(lockId)).toMatchObject({ electricQuantity: 15, driver: { kind: 'nuki', nukiId: '2BB28570', unlock: 'unlock' } });
    await until(
      () => receiver.posts.filter(({ eventType, data }) => eventType === 'record' && data['lockId'] === lockId).length === 4,
      'the four records are delivered',
    );
  });

  it('says why it refuses: jammed with an alarm, a weak battery, actions that are not allowed with a warning', async () => {
    const device = await site.register({ kind: 'nuki', nukiId: '00000002' });
    const { lockId } = device;
    const { door } = await site.simulate('nuki:00000002', device);
    door.faults.set('jam', true);
    expect(await site.move('unlock', lockId)).toMatchObject(refused('jammed'));
    await until(async () => (await site.alarms(lockId)).includes('jammed'), 'the jam is an alarm');
    door.faults.set('jam', false);
    door.faults.set('weak-motor', true);
    expect(await site.move('unlock', lockId)).toMatchObject(refused('low-battery'));
    door.faults.set('weak-motor', false);
    door.faults.set('actions-refused', true);
    expect(await site.move('unlock', lockId)).toMatchObject(refused('remote-not-allowed'));
    expect((await site.lock(lockId)).capabilities).toMatchObject({ warnings: ['actions-off'] });
    door.faults.set('actions-refused', false);
    expect(await site.move('unlock', lockId)).toEqual(done);
    expect((await site.lock(lockId)).capabilities).toMatchObject({ warnings: [] });
    expect(await recordsOf(device, 1)).toEqual([['unlock by gateway', 'admin']]);
  });

  it.each([
    ['retained-burst', '10000001'],
    ['two-responses', '10000002'],
    ['response-last', '10000003'],
  ])('with the fault %s is moved as ever, with one record for each', async (fault, nukiId) => {
    const device = await site.register({ kind: 'nuki', nukiId });
    const { door } = await site.simulate(`nuki:${nukiId}`, device, [fault]);
    expect(await site.move('unlock', device.lockId)).toEqual(done);
    expect(await site.move('lock', device.lockId)).toEqual(done);
    expect(door.describe()).toMatch(/^state 1/);
    expect(await recordsOf(device, 2)).toEqual([
      ['lock by gateway', 'admin'],
      ['unlock by gateway', 'admin'],
    ]);
  });

  it('by its latch, for a door with a fixed knob, also when it is unlocked already', async () => {
    const device = await site.register({ kind: 'nuki', nukiId: '00000004', unlock: 'unlatch' });
    const { door } = await site.simulate('nuki:00000004', device);
    for (let n = 0; n < 2; n++) {
      expect(await site.move('unlock', device.lockId)).toEqual(done);
      await until(() => door.describe().startsWith('state 3'), 'the latch is released');
    }
    expect(await recordsOf(device, 2)).toHaveLength(2);
  });

  it('on which actions are not allowed is offline, with the warning that says so', async () => {
    const device = await site.register({ kind: 'nuki', nukiId: '00000005' });
    await site.simulate('nuki:00000005', device, ['actions-off']);
    await until(
      async () => (await site.lock(device.lockId)).capabilities['warnings']?.toString() === 'actions-off',
      'it is warned of',
      30_000,
    );
    expect(await site.isOnline(device.lockId)).toBe(false);
  });
});

describe('nuki_hub', () => {
  it('moves the bolt once it listens; the log tells each operation once, with the account, the name, the wrong code and the door', async () => {
    const device = await site.register({ kind: 'nuki-hub', base: 'house/nuki' });
    const { lockId } = device;
    const { door } = await site.simulate('nuki-hub:house/nuki', device, ['duplicate-log']);
    expect(await site.move('unlock', lockId)).toEqual(done);
    door.moveDoor(true);
    door.moveDoor(false);
    expect(await site.move('lock', lockId)).toEqual(done);
    expect(door.enterCode('589472')).toBe('no: a wrong code');
    door.turn();
    expect(await recordsOf(device, 6)).toEqual([
      ['unlock from inside', ''],
      ['unlock by passcode', ''],
      ['lock by gateway', 'admin'],
      ['door closed', ''],
      ['door opened', ''],
      ['unlock by gateway', 'admin'],
    ]);
    expect(await site.lock(lockId)).toMatchObject({ electricQuantity: 92, capabilities: { events: 'exactly-once', warnings: [] } });
    expect(await site.alarms(lockId)).toEqual([]);
    door.faults.set('lost-index', true);
    door.turn();
    await until(async () => (await site.alarms(lockId)).includes('event-gap'), 'an entry that is lost for ever is an alarm');
    door.faults.set('lost-index', false);
    door.turn();
    await until(async () => (await site.state(lockId)) === 'unlocked', 'it is unlocked again');
    door.faults.set('jam', true);
    expect(await site.move('lock', lockId)).toMatchObject(refused('jammed'));
    door.faults.set('jam', false);
    door.faults.set('actions-denied', true);
    expect(await site.move('lock', lockId)).toMatchObject(refused('remote-not-allowed'));
    door.faults.set('actions-denied', false);
    door.faults.set('radio-away', true);
    expect(await site.move('lock', lockId)).toMatchObject({ status: 504 });
  });
});

describe('nuki_hub that loses its network right after an unlock', () => {
  it('tells of it again on the next connection, and there is still one record', async () => {
    const device = await site.register({ kind: 'nuki-hub' });
    const { lockId } = device;
    const { running } = await site.simulate('nuki-hub:nukihub', device);
    expect(await site.move('unlock', lockId)).toEqual(done);
    running.cut();
    await until(async () => !(await site.isOnline(lockId)), 'it is gone');
    running.start();
    await until(() => site.isOnline(lockId), 'it is back');
    expect(await site.move('lock', lockId)).toEqual(done);
    expect(await recordsOf(device, 2)).toEqual([
      ['lock by gateway', 'admin'],
      ['unlock by gateway', 'admin'],
    ]);
  });
});

describe('a strike on a Shelly', () => {
  const prefix = 'shellyplus1-a8032abe54dc';

  it('opens for a pulse that the device ends, says which other source has switched it, and whether the door is open', async () => {
    const device = await site.register({ kind: 'shelly', prefix, pulseSeconds: 1, contact: 0 });
    const { lockId } = device;
    const { door } = await site.simulate(`shelly:${prefix}`, device);
    expect(await site.move('unlock', lockId)).toEqual(done);
    expect(door.moveDoor(true)).toBe(true);
    expect(await site.move('lock', lockId)).toEqual(done);
    expect(await site.move('unlock', lockId)).toEqual(done);
    expect(await site.move('unlock', lockId)).toEqual(done);
    await until(() => door.describe().startsWith('output off'), 'the device has ended the pulse');
    door.turn();
    expect(await recordsOf(device, 6)).toEqual([
      ['unlock from inside', 'button'],
      ['unlock by gateway', 'admin'],
      ['unlock by gateway', 'admin'],
      ['lock by gateway', 'admin'],
      ['door opened', ''],
      ['unlock by gateway', 'admin'],
    ]);
  });

  it('takes an answer only under the id that it asked with', async () => {
    const device = await site.register({ kind: 'shelly', prefix: 'strange' });
    const { door } = await site.simulate('shelly:strange', device, ['wrong-id', 'other-source']);
    expect(await site.move('unlock', device.lockId)).toEqual(done);
    door.faults.set('rpc-error', true);
    expect(await site.move('lock', device.lockId)).toMatchObject(refused('failed'));
    door.faults.set('rpc-error', false);
    door.faults.set('lost-answer', true);
    expect(await site.move('unlock', device.lockId)).toMatchObject({ status: 504 });
  });
});
