// Alarms through the real daemon: what locks do and do not say, and what is left of it after a restart.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { leapingClock, preload } from '../support/preload.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();
let folder: string;
let flags: string[];
let site: Site;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-alarms-'));
  const file = join(folder, 'latchd.yaml');
  // As quick as they may be set, so that nobody waits for minutes.
  await writeFile(file, 'alarms: { offlineAfterSeconds: 1, endAfterSeconds: 1 }\n');
  flags = ['--config', file, '--metrics-enabled', 'true'];
});
afterEach(() => site?.close());
afterAll(async () => {
  await runs.endAll();
  await rm(folder, { recursive: true, force: true });
});

async function alarms(): Promise<readonly { readonly [member: string]: unknown }[]> {
  return (await site.api('GET', '/api/v1/gateway/alarms')).body.list;
}
async function kinds(): Promise<unknown[]> {
  return (await alarms()).map(({ kind }) => kind).sort();
}
function stand(...expected: string[]): Promise<void> {
  const wanted = JSON.stringify(expected.sort());
  return until(async () => JSON.stringify(await kinds()) === wanted, `these alarms stand: ${wanted}`);
}
function said(code: 'alarm-began' | 'alarm-ended', alarm: string): number {
  return site.gateway.log.filter((line) => line['code'] === code && line['alarm'] === alarm).length;
}

describe('alarms', () => {
  test('a lock that goes offline is an alarm until it is back, over a restart in the middle, and is reported once; so is a suspect clock, until a person accepts it', async () => {
    site = await openSite({ locks: [{}], flags });
    site.lock(1).cutNetwork();
    await stand('offline');
    const before = await alarms();
    await until(() => said('alarm-began', 'offline') === 1, 'its beginning is in the log');
    await site.kill9();
    await site.start();
    expect(await alarms()).toEqual(before);
    expect(await site.gateway.stop()).toBe(0);
    await site.put('clock.json', { schemaVersion: 1, suspectSince: Date.now() });
    await site.start();
    await stand('clock-suspect', 'offline');
    expect((await alarms()).filter(({ kind }) => kind === 'offline')).toEqual(before);
    expect((await runs.finish(['clock', 'accept', '--data-dir', site.dataDir])).exitCode).toBe(0);
    site.lock(1).restoreNetwork();
    await stand();
    await until(() => said('alarm-ended', 'offline') === 1, 'its end is in the log');
    expect(said('alarm-began', 'offline')).toBe(0);
  });

  test('a gateway whose clock is suspect sets the clock of no lock, however wrong that is, until a person accepts its clock', async () => {
    site = await openSite({ flags });
    const { body: door } = await site.api('POST', '/api/v1/gateway/locks', {
      body: { lockMac: '02-aa-00-00-00-30', lockName: 'far ahead' },
    });
    expect(await site.gateway.stop()).toBe(0);
    await site.put('clock.json', { schemaVersion: 1, suspectSince: Date.now() });
    await site.start();
    const lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: door.deviceId, deviceKey: door.deviceKey });
    try {
      const ops = () => lock.commands.map(({ op }) => op);
      await lock.hello({ date: Date.now() + 400 * 86_400_000 });
      // What is asked of it next is the first that it is told.
      const asked = site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId: door.lockId } });
      await until(() => ops().includes('list-cards'), 'the listing is asked for');
      expect(ops()).toEqual(['list-cards']);
      await lock.publish('reply', { id: lock.commands[0]?.id, ok: true, result: { cards: [], total: 0 } });
      await asked;
      expect((await runs.finish(['clock', 'accept', '--data-dir', site.dataDir])).exitCode).toBe(0);
      await until(() => ops().includes('set-clock'), 'it is told the time');
    } finally {
      await lock.end();
    }
  });

  test('a low battery ends with a new one, a jammed bolt when it moves', async () => {
    site = await openSite({ locks: [{ batteryPercent: 80 }], flags });
    const move = (to: 'lock' | 'unlock') => site.api('POST', `/api/v1/lock/${to}`, { query: { lockId: site.lockId(1) } });
    site.lock(1).setBattery(12);
    site.lock(1).jam(true);
    expect((await move('unlock')).body).toMatchObject({ success: false, reason: 'jammed' });
    await stand('jammed', 'low-battery');
    const metrics = await (await fetch(`${site.gateway.httpUrl}/metrics`)).text();
    expect(metrics).toContain('latchd_alarms{kind="jammed"} 1');
    expect(metrics).toContain('latchd_alarms{kind="offline"} 0');
    site.lock(1).setBattery(100);
    site.lock(1).jam(false);
    expect((await move('unlock')).body).toEqual({ success: true });
    await stand();
  });

  test('tampering and a gap are active until a person ends them, and a restart does not bring them back', async () => {
    site = await openSite({ locks: [{}], flags });
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: 'A4:C1:38:00:00:99', lockName: 'by hand' } });
    const mqttUrl = () => site.gateway.mqttUrl;
    const connect = async () => {
      const lock = await connectHandLock({ mqttUrl: mqttUrl(), deviceId: body.deviceId, deviceKey: body.deviceKey });
      lock.client.on('message', (_topic, payload) => {
        const { id } = JSON.parse(payload.toString()) as { id: string };
        // It has nothing to send again.
        void lock.publish('reply', { id, ok: true }).catch(() => undefined);
      });
      await lock.hello({ epoch: 'e', lastSeq: 5 });
      return lock;
    };
    const lock = await connect();
    await lock.publish('events', { epoch: 'e', events: [{ seq: 1, type: 'tamper' }] });
    await site.kill9();
    // Its PUBACK had come, so the alarm is on the disk.
    await site.start();
    expect(await kinds()).toContain('tampered');
    await lock.end();
    const again = await connect();
    await again.publish('events', { epoch: 'e', events: [{ seq: 5, type: 'card-unlock' }] });
    await until(async () => (await kinds()).includes('event-gap'), 'the gap is an alarm');
    for (const kind of ['tampered', 'event-gap']) {
      const { status } = await site.api('DELETE', `/api/v1/gateway/alarms/${kind}/${body.lockId}`);
      expect(status).toBe(200);
    }
    expect((await site.api('DELETE', `/api/v1/gateway/alarms/tampered/${body.lockId}`)).body.code).toBe('not-found');
    await again.end();
    await site.restart();
    const third = await connect();
    await third.publish('events', { epoch: 'e', events: [{ seq: 1, type: 'tamper' }] });
    await until(() => site.gateway.log.some(({ code }) => code === 'events-lost'), 'the gap is found again');
    expect(await kinds()).not.toContain('event-gap');
    expect(await kinds()).not.toContain('tampered');
    await third.end();
  });

  test('late with its auto lock, silent, with a wrong clock, under duress: of one lock each, and they end as the page says', async () => {
    const file = join(folder, 'soon.yaml');
    await writeFile(file, 'alarms: { offlineAfterSeconds: 1, endAfterSeconds: 1, silentAfterHours: 1 }\n');
    const autoLockTime = 5;
    // Nobody waits for an hour, or for half a minute. Over a database it is a leap within a lease, which is then renewed.
    const [leapMs, hourMs] = [290_000, 3_600_000];
    site = await openSite({ flags: ['--config', file], leaseSeconds: 300, environment: await preload(folder, leapingClock(leapMs)) });
    const leap = async () => {
      process.kill(site.gateway.pid, 'SIGUSR2');
      // Signals of one kind that nobody has taken yet are one.
      await site.api('GET', '/api/v1/gateway/alarms');
      await site.whenLeaseRenewed();
    };
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: 'A4:C1:38:00:00:98', lockName: 'late' } });
    const { lockId } = body;
    const lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: body.deviceId, deviceKey: body.deviceKey });
    const says = (state: string) => lock.publish('state', { session: 'handmade1', state });
    await lock.hello({ autoLockTime });
    await says('unlocked');
    expect(await kinds()).toEqual([]);
    await leap();
    await stand('auto-lock-late');
    expect((await alarms())[0]).toMatchObject({ lockId, reason: 'it should have locked itself after 5 s', endsByItself: true });
    await says('locked');
    await stand();

    for (let leapt = 0; leapt < hourMs; leapt += leapMs) await leap();
    await stand('silent');
    expect((await alarms())[0]).toMatchObject({ lockId, reason: 'it is connected and says nothing', endsByItself: true });
    await lock.publish('battery', { session: 'handmade1', level: 80 });
    await stand();

    await lock.publish('events', { epoch: 'e', events: [{ seq: 1, type: 'door-open', date: Date.UTC(2001, 0, 1) }] });
    await stand('wrong-clock');
    expect((await alarms())[0]).toMatchObject({ lockId, reason: 'it dated an event 978307200000', endsByItself: true });
    await lock.publish('events', { epoch: 'e', events: [{ seq: 2, type: 'door-close', date: Date.now() }] });
    await stand();

    await lock.publish('events', { epoch: 'e', events: [{ seq: 3, type: 'duress', credential: '4023233280' }] });
    await stand('duress');
    expect((await alarms())[0]).toMatchObject({ lockId, reason: 'opened under duress', endsByItself: false });
    const { body: page } = await site.api('GET', '/api/v1/lock/records', { query: { lockId, pageNo: 1, pageSize: 20 } });
    expect(page.total).toBe(3);
    expect((await site.api('DELETE', `/api/v1/gateway/alarms/duress/${lockId}`)).status).toBe(200);
    await stand();
    for (const kind of ['auto-lock-late', 'silent', 'duress'])
      expect([said('alarm-began', kind), said('alarm-ended', kind)]).toEqual([1, 1]);
    await lock.end();
  });
});
