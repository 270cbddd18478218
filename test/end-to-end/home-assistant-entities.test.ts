// What Home Assistant sees of real locks, through the real daemon and a real broker (mosquitto): each thing that a lock says, to whom, and that nothing of
// it stays behind.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DiscoveredDevice, discovered, entitiesOf } from '../support/home-assistant-rules.ts';
import { shown } from '../support/home-assistant-templates.ts';
import { joinBroker, type Neighbour, type RunningMosquitto, startMosquittoFor } from '../support/mosquitto.ts';
import { type Item, openSite, type Site, until } from '../support/site.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchd-home-'));
const account = 'home-assistant';
let broker: RunningMosquitto;
let site: Site;
let ear: Ear;

beforeAll(async () => {
  broker = await startMosquittoFor();
  site = await openSite({ locks: [{}, {}], flags: ['--config', configured('first.yaml', false)] });
  ear = await listen();
});
afterAll(async () => {
  await ear?.neighbour.leave();
  await site?.close();
  await broker?.end();
  rmSync(folder, { recursive: true });
});

function configured(name: string, commands: boolean): string {
  const settings = `enabled: true, url: "mqtt://127.0.0.1:${broker.port}", account: ${account}, commands: ${commands}`;
  writeFileSync(join(folder, name), `homeAssistant: { ${settings} }\n`);
  return join(folder, name);
}

interface Heard {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
}
interface Ear {
  readonly neighbour: Neighbour;
  /** All that was published since it listens, and before that what was retained. */
  readonly heard: Heard[];
  /** The newest text of each topic but those of events; none after an empty one. */
  readonly newest: Map<string, string>;
}

/** Somebody who hears everything at this broker, beginning with what it has retained. */
async function listen(): Promise<Ear> {
  const neighbour = await joinBroker(broker.port);
  const heard: Heard[] = [];
  const newest = new Map<string, string>();
  await neighbour.hear('#', (topic, text, { retain }) => {
    heard.push({ topic, text, retain });
    if (text === '') newest.delete(topic);
    else if (!/\/(event|refused)$/.test(topic)) newest.set(topic, text);
  });
  return { neighbour, heard, newest };
}
/** What a Home Assistant that comes now gets. */
async function retainedNow(): Promise<ReadonlyMap<string, string>> {
  const { neighbour, newest } = await listen();
  // What is retained is there before a message that comes after the subscription.
  await neighbour.say('probe', 'now');
  await until(() => newest.has('probe'), 'the broker has sent what it has');
  await neighbour.leave();
  newest.delete('probe');
  return newest;
}

async function gatewayIdOf(of: Site = site): Promise<string> {
  const { body } = await of.api('GET', '/api/v1/gateway/status');
  return (body['homeAssistant'] as { readonly gatewayId: string }).gatewayId;
}
let gatewayId = '';
/** Of lock 2, as long as nobody may give commands. */
let looksOn: DiscoveredDevice;
/** The newest message of a lock, such as its `state`. */
function says(number: number, what: string) {
  const text = ear.newest.get(`latchd/${gatewayId}/${site.lockId(number)}/${what}`);
  return text?.startsWith('{') ? JSON.parse(text) : text;
}
function configOf(number: number): DiscoveredDevice {
  const topic = `homeassistant/device/latchd_${gatewayId}_${site.lockId(number)}/config`;
  return discovered(topic, ear.newest.get(topic) ?? 'null');
}
function eventsOf(number: number): readonly Item[] {
  return ear.heard.flatMap(({ topic, text }) => (topic === `latchd/${gatewayId}/${site.lockId(number)}/event` ? [JSON.parse(text)] : []));
}
const role = (number: number, name: string) =>
  site.api('PUT', `/api/v1/gateway/locks/${site.lockId(number)}/roles/${account}`, { body: { role: name } });
const move = (op: 'lock' | 'unlock', number: number) => site.api('POST', `/api/v1/lock/${op}`, { query: { lockId: site.lockId(number) } });
/** Home Assistant shows what the API says of the bolt. */
async function isShownAsItIs(number: number): Promise<boolean> {
  const { body } = await site.api('GET', '/api/v1/lock/state', { query: { lockId: site.lockId(number) } });
  return says(number, 'state')?.lock === String(body['state']).toUpperCase();
}

describe('Home Assistant at a real broker', () => {
  test('sees the gateway alone while its account does not exist, then each lock on which it gets a role', async () => {
    gatewayId = await gatewayIdOf();
    expect(gatewayId).toMatch(/^[0-9a-f]{8}$/);
    const status = `latchd/${gatewayId}/status`;
    await until(() => ear.newest.get(status) === 'online', 'the gateway is announced');
    const gateway = `homeassistant/device/latchd_${gatewayId}/config`;
    expect([...ear.newest.keys()].sort()).toEqual([gateway, `latchd/${gatewayId}/state`, status]);
    expect(entitiesOf(discovered(gateway, ear.newest.get(gateway) ?? ''))).toEqual(['connected', 'problem', 'version']);

    await site.account(account);
    for (const number of [1, 2]) await role(number, 'manager');
    await until(() => says(2, 'attributes') !== undefined, 'both locks are announced');
    for (const number of [1, 2]) expect(configOf(number).device).toMatchObject({ via_device: `latchd_${gatewayId}` });
    expect(entitiesOf(configOf(1))).toEqual(['bolt', 'battery', 'problem', 'tamper', 'connected', 'who']);
    await until(() => isShownAsItIs(1), 'its state is that of the API');
    expect(says(1, 'state')).toMatchObject({ lock: 'LOCKED', battery: 100, door: null, problem: 'OFF', tamper: 'OFF', autoLock: 0 });
    expect(says(1, 'online')).toBe('online');
  });

  test('sees the bolt move by the command of anybody else, and what became of it', async () => {
    ear.heard.length = 0;
    expect((await move('unlock', 1)).body).toMatchObject({ success: true });
    await until(() => isShownAsItIs(1), 'it is shown as unlocked');
    const states = ear.heard.filter(({ topic }) => topic.endsWith(`/${site.lockId(1)}/state`)).map(({ text }) => JSON.parse(text).lock);
    expect([states[0], states.at(-1)]).toEqual(['UNLOCKING', 'UNLOCKED']);
    await until(() => eventsOf(1).length === 1, 'its event has come');
    expect(eventsOf(1)).toMatchObject([{ event_type: 'unlock', method: 'gateway', user: 'admin', success: true }]);
    expect((await move('lock', 1)).body).toMatchObject({ success: true });
    await until(() => isShownAsItIs(1), 'it is shown as locked');
  });

  test('hears who came in, as long as its account may know it, and never the number of a card', async () => {
    const card = { cardNumber: '1325672378', cardName: 'Spare card', method: 'regular', addType: 2, startDate: 0, endDate: 0 };
    await site.api('POST', '/api/v1/identity-card/add', { query: { lockId: site.lockId(1), ...card } });
    ear.heard.length = 0;
    await site.lock(1).swipeCard('1325672378');
    await until(() => says(1, 'attributes')?.last_user === 'Spare card', 'it is said who it was');
    expect(says(1, 'attributes')).toMatchObject({ last_action: 'unlock by IC card' });
    await until(() => eventsOf(1).length > 0, 'its event has come');
    const [record] = await site.all('/api/v1/lock/records', { lockId: site.lockId(1) });
    expect(eventsOf(1)).toMatchObject([{ event_type: 'unlock', method: 'IC card', user: 'Spare card', record_id: record?.recordId }]);

    await role(1, 'operator');
    await until(() => says(1, 'attributes') === undefined, 'an operator has no attributes');
    expect([says(1, 'alarms'), JSON.stringify(configOf(1)).includes('json_attributes_topic')]).toEqual([undefined, false]);
    ear.heard.length = 0;
    await site.lock(1).swipeCard('1325672378');
    await until(() => eventsOf(1).length > 0, 'its event has come');
    expect(eventsOf(1)).toMatchObject([{ event_type: 'lock', method: 'IC card', user: null }]);
    expect(says(1, 'attributes')).toBeUndefined();
    expect([...(await retainedNow()).values(), ...ear.heard.map(({ text }) => text)].join(' ')).not.toContain('1325672378');
    await role(1, 'manager');
    await until(() => says(1, 'attributes') !== undefined, 'a manager has them again');
  });

  test('finds retained what the table says, and nothing else', async () => {
    const ofLocks = [1, 2].flatMap((number) =>
      ['state', 'online', 'attributes', 'alarms'].map((what) => `latchd/${gatewayId}/${site.lockId(number)}/${what}`),
    );
    const configs = ['', ...[1, 2].map((number) => `_${site.lockId(number)}`)].map(
      (ending) => `homeassistant/device/latchd_${gatewayId}${ending}/config`,
    );
    expect([...(await retainedNow()).keys()].sort()).toEqual(
      [...ofLocks, ...configs, `latchd/${gatewayId}/status`, `latchd/${gatewayId}/state`].sort(),
    );
  });

  test('sees a door once it has moved, also after a power cut of the gateway, for which the broker says that it is away', async () => {
    await move('unlock', 2);
    site.lock(2).openDoor();
    await until(() => says(2, 'state')?.door === 'open', 'the door is open');
    const { door } = configOf(2).components;
    expect(shown(door?.['value_template'], [says(2, 'state')])).toEqual(['open']);
    looksOn = configOf(2);
    await site.kill9();
    await until(() => ear.newest.get(`latchd/${gatewayId}/status`) === 'offline', 'the broker has said the will');
    configured('first.yaml', true);
    await site.start();
    await until(() => ear.newest.get(`latchd/${gatewayId}/status`) === 'online', 'it is back');
    expect(await gatewayIdOf()).toBe(gatewayId);
    expect([entitiesOf(configOf(2)).includes('door'), says(2, 'state')?.door]).toEqual([true, 'open']);
    site.lock(2).closeDoor();
    await until(() => says(2, 'state')?.door === 'closed', 'the door is closed');
  });

  test('sees a jam and a tamper for as long as their alarms are active', async () => {
    site.lock(2).jam(true);
    expect((await move('lock', 2)).body).toMatchObject({ success: false, reason: 'jammed' });
    site.lock(2).tamper();
    await until(() => says(2, 'state')?.lock === 'JAMMED' && says(2, 'alarms').alarms.length === 2, 'both are seen');
    expect(says(2, 'alarms').alarms.sort()).toEqual(['jammed', 'tampered']);
    await until(() => says(2, 'state').tamper === 'ON' && says(2, 'state').problem === 'ON', 'they are in its state');
    await until(() => eventsOf(2).some(({ event_type: type }) => type === 'tamper'), 'the event has come');
    expect(eventsOf(2).map(({ event_type: type }) => type)).toEqual(expect.arrayContaining(['refused', 'jammed', 'tamper']));
    site.lock(2).jam(false);
    await site.api('DELETE', `/api/v1/gateway/alarms/tampered/${site.lockId(2)}`);
    await until(() => says(2, 'state')?.tamper === 'OFF', 'a person has seen it');
  });

  test('keeps a lock that gets another name, and hears when it leaves', async () => {
    const { device: before } = configOf(1);
    const lockId = site.lockId(1);
    await site.api('PUT', '/api/v1/lock/rename', { query: { lockId, lockAlias: 'Back entrance' } });
    await site.api('PUT', `/api/v1/gateway/locks/${lockId}`, { body: { groupName: 'Ground floor' } });
    await until(() => configOf(1).device['suggested_area'] === 'Ground floor', 'the config is another');
    expect(configOf(1).device).toEqual({ ...before, name: 'Back entrance', suggested_area: 'Ground floor' });
    site.lock(1).cutNetwork();
    await until(() => says(1, 'online') === 'offline', 'it is away');
    expect(says(1, 'state')).toMatchObject({ lock: 'LOCKED' });
    site.lock(1).restoreNetwork();
    await until(() => says(1, 'online') === 'online', 'it is back');
  });

  test('was given commands by that start, and loses them again without a trace of the other setting', async () => {
    expect(entitiesOf(configOf(2))).toEqual([
      ...['lock', 'battery', 'door', 'problem', 'tamper', 'connected', 'who', 'auto_lock', 'end_alarm'],
    ]);
    expect(configOf(2).components['bolt']).toEqual({ platform: 'binary_sensor' });
    configured('first.yaml', false);
    expect(await site.restart()).toBe(0);
    await until(() => configOf(2).components['bolt']?.['state_topic'] !== undefined, 'there is a bolt');
    // Each start listens on another port here.
    expect(configOf(2)).toEqual({ ...looksOn, origin: configOf(2).origin });
  });

  test('does not mix up two gateways on one broker', async () => {
    const other = await openSite({ locks: [{}], flags: ['--config', configured('second.yaml', false)] });
    try {
      const otherId = await gatewayIdOf(other);
      expect(otherId).not.toBe(gatewayId);
      await other.account(account);
      await other.api('PUT', `/api/v1/gateway/locks/${other.lockId(1)}/roles/${account}`, { body: { role: 'manager' } });
      const topic = `latchd/${otherId}/${other.lockId(1)}/online`;
      await until(() => ear.newest.get(topic) === 'online', 'the other lock is announced');
      expect(other.lockId(1)).toBe(site.lockId(1));
      expect(says(1, 'online')).toBe('online');
    } finally {
      await other.close();
    }
  });

  test('loses a lock that is removed, with all that was said of it', async () => {
    const lockId = site.lockId(1);
    await site.api('DELETE', `/api/v1/gateway/locks/${lockId}`);
    const isOfIt = (topic: string) =>
      topic.startsWith(`latchd/${gatewayId}/${lockId}/`) || topic.endsWith(`latchd_${gatewayId}_${lockId}/config`);
    await until(() => ![...ear.newest.keys()].some(isOfIt), 'nothing of it is left');
    expect([...(await retainedNow()).keys()].filter(isOfIt)).toEqual([]);
    expect(says(2, 'online')).toBe('online');
  });
});
