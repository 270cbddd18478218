// A lock that is removed, on the running daemon: what it still opens for, who reads its records, and what a backup keeps of it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site } from '../support/site.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';
import { createRuns, type Runs } from '../support/site-process.ts';

describe('a lock that is removed', () => {
  let site: Site;
  let runs: Runs;
  let alice: string;
  let bob: string;

  beforeAll(async () => {
    runs = createRuns();
    site = await openSite({ locks: [{}, {}, {}] });
    alice = await site.account('alice');
    bob = await site.account('bob');
    for (const number of [1, 2, 3]) {
      const path = `/api/v1/gateway/locks/${site.lockId(number)}`;
      await site.api('PUT', `${path}/administrator`, { body: { username: 'alice' } });
      await site.api('PUT', `${path}/roles/bob`, { body: { role: 'manager' } });
      for (const cardNumber of ['11', '22', '33']) {
        const query = { lockId: site.lockId(number), cardNumber, method: 'regular', addType: 2, startDate: 0, endDate: 0 };
        expect((await site.api('POST', '/api/v1/identity-card/add', { query, token: alice })).status).toBe(200);
      }
      await site.lock(number).swipeCard('11');
      await site.lock(number).whenEventsAcknowledged();
    }
  });

  afterAll(async () => {
    await runs?.endAll();
    await site?.close();
  });

  const remove = (number: number, clear?: string) =>
    site.api('DELETE', `/api/v1/gateway/locks/${site.lockId(number)}`, { query: { clear } });
  const records = (number: number, token?: string) =>
    site.api('GET', '/api/v1/lock/records', { query: { lockId: site.lockId(number), pageSize: 10 }, ...(token && { token }) });
  const removed = async () => (await site.all('/api/v1/gateway/removed-locks')).map(({ lockId }) => lockId);

  test('says for how many cards it still opens, and does', async () => {
    const managed = await site.all('/api/v1/gateway/locks');
    expect(managed.map((lock) => lock['cardsOnLock'])).toEqual([3, 3, 3]);
    expect(await remove(1)).toMatchObject({ status: 200, body: { success: true, cardsOnLock: 3 } });
    expect(await site.lock(1).swipeCard('11')).toMatchObject({ done: true });
  });

  test('opens for none after they were cleared, and stays as it is when it is away', async () => {
    expect(await remove(2, 'perhaps')).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
    site.lock(2).cutNetwork();
    await site.whenOnline(2, false);
    expect(await remove(2, 'true')).toMatchObject({ status: 503, body: { code: 'lock-offline' } });
    expect(await site.all('/api/v1/gateway/locks')).toHaveLength(2);
    site.lock(2).restoreNetwork();
    await site.whenOnline(2);
    const listed = await site.api('GET', '/api/v1/identity-card/list', { query: { lockId: site.lockId(2), pageSize: 10 }, token: alice });
    expect(listed.body.total).toBe(3);
    expect(await remove(2, 'true')).toMatchObject({ status: 200, body: { success: true, cardsOnLock: 0 } });
    expect(await site.lock(2).swipeCard('11')).toMatchObject({ done: false });
  });

  test('keeps its records for its administrator and for gateway administrators; for all others, and for all else, there is no such lock', async () => {
    for (const token of [undefined, alice]) expect((await records(1, token)).body.list).toMatchObject([{ keyboardPwd: '11' }]);
    expect(await records(1, bob)).toMatchObject({ status: 404, body: { code: 'lock-not-found' } });
    const state = await site.api('GET', '/api/v1/lock/state', { query: { lockId: site.lockId(1) }, token: alice });
    expect(state).toMatchObject({ status: 404, body: { code: 'lock-not-found' } });
    expect(await removed()).toEqual([site.lockId(2), site.lockId(1)]);
    expect((await site.api('GET', '/api/v1/gateway/removed-locks', { token: alice })).status).toBe(403);
  });

  test('holds up the removal of no account, and is named in the audit log', async () => {
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(3)}/administrator`, { body: { username: 'admin' } });
    expect((await site.api('DELETE', '/api/v1/gateway/accounts/alice')).status).toBe(200);
    expect(await site.all('/api/v1/gateway/removed-locks')).toMatchObject([{ administrator: '', removedBy: 'admin' }, {}]);
    const removals = (await site.all('/api/v1/gateway/audit')).filter(({ action }) => action === 'lock-remove');
    // Nothing was cleared from the one that was away.
    expect(removals).toContainEqual(expect.objectContaining({ outcome: 'lock-offline', detail: 'its cards were to be cleared first' }));
    const deeds = removals.filter(({ outcome }) => outcome === 'ok');
    expect(deeds.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^Lock 2, [0-9a-f]{12}, its cards cleared$/),
      expect.stringMatching(/^Lock 1, [0-9a-f]{12}, cards still on it: 3$/),
    ]);
  });

  test('is so after a restart, and in a backup that is restored', async () => {
    expect(await site.restart()).toBe(0);
    expect((await records(1)).body.total).toBe(1);
    const archive = join(site.folder, 'removed.tar.gz');
    expect(await runs.finish(['backup', '--data-dir', site.dataDir, '--to', archive])).toMatchObject({ exitCode: 0 });
    await site.kill9();
    await site.wipe();
    expect(await runs.finish(['restore', archive, '--data-dir', site.dataDir])).toMatchObject({ exitCode: 0 });
    expect(await runs.finish(['verify', '--data-dir', site.dataDir])).toMatchObject({ exitCode: 0 });
    await site.start();
    expect(await removed()).toEqual([site.lockId(2), site.lockId(1)]);
    expect((await records(1)).body.list).toMatchObject([{ keyboardPwd: '11' }]);
  });

  test('can be removed by the command line: with its cards, and without a daemon', async () => {
    await site.whenOnline(3);
    const lockId = String(site.lockId(3));
    expect((await site.all('/api/v1/gateway/locks'))[0]).toMatchObject({ online: true });
    await site.gateway.stop('SIGTERM');
    const refused = await runs.finish(['lock', 'remove', lockId, '--clear', '--data-dir', site.dataDir]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no gateway runs') });
    const done = await runs.finish(['lock', 'remove', lockId, '--data-dir', site.dataDir, '--json']);
    expect(done).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('it may still open for 3 of its cards') });
    expect(JSON.parse(done.stdout)).toEqual({ success: true, cardsOnLock: 3 });
    await site.start();
    expect(await site.all('/api/v1/gateway/removed-locks')).toMatchObject([
      { lockId: site.lockId(3), removedBy: '(this machine)' },
      {},
      {},
    ]);
  });
});

describe('a device that was removed and is registered again', () => {
  const lockMac = '02:EE:00:00:00:01';
  let site: Site;

  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(async () => {
    await site?.close();
  });

  const seqs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const events = (...wanted: readonly number[]) => ({
    epoch: 'e',
    events: wanted.map((seq) => ({ seq, type: 'card-unlock', credential: String(seq) })),
  });
  const told = async (lockId: number) => (await site.all('/api/v1/lock/records', { lockId })).map(({ keyboardPwd }) => Number(keyboardPwd));

  /** Past the time after which the gateway would have asked for something. */
  async function asksForNothing(lock: HandLock): Promise<void> {
    const set = () => lock.commands.filter(({ op }) => op === 'set-clock');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    for (const { id } of set()) await lock.publish('reply', { id, ok: true });
    expect(lock.commands.filter(({ op }) => op === 'resend-events')).toEqual([]);
    expect((await site.api('GET', '/api/v1/gateway/alarms')).body.list.filter((alarm) => alarm['kind'] === 'event-gap')).toEqual([]);
  }

  test('sends its history once: nothing of before is requested, stored again or missed, not after a restart either', async () => {
    const { body: before } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac, lockName: 'Gate' } });
    const first = await connectHandLock({ mqttUrl: site.wire.url, deviceId: before.deviceId, deviceKey: before.deviceKey });
    await first.hello({ epoch: 'e', lastSeq: 8 });
    await first.publish('events', events(...seqs(1, 8)));
    expect((await site.api('DELETE', `/api/v1/gateway/locks/${before.lockId}`)).status).toBe(200);
    await first.ended;

    const { body: after } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac, lockName: 'Gate' } });
    expect(after.lockId).not.toBe(before.lockId);
    const login = { deviceId: after.deviceId, deviceKey: after.deviceKey };
    const second = await connectHandLock({ mqttUrl: site.wire.url, ...login });
    // Its memory holds three of the events since, and two whose PUBACK it missed.
    await second.hello({ epoch: 'e', lastSeq: 1_000 });
    await second.publish('events', events(7, 8, ...seqs(998, 1_000)));
    await asksForNothing(second);
    await second.end();
    await site.restart();
    const third = await connectHandLock({ mqttUrl: site.wire.url, ...login });
    await third.hello({ epoch: 'e', lastSeq: 1_000 });
    await asksForNothing(third);
    await third.publish('events', events(1_001));
    await third.end();
    expect(await told(before.lockId)).toEqual(seqs(1, 8).reverse());
    expect(await told(after.lockId)).toEqual(seqs(998, 1_001).reverse());
  });
});
