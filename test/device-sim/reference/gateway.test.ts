// The reference lock with the real daemon, over TCP and over TLS. The long form, with power cuts, is in ../conformance.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeAuthority, makeKey } from '../../../src/platform/tls/x509.ts';
import { openSite, type Site, until } from '../../support/site.ts';
import { buildReferenceLock, type ReferenceLock, type ReferenceProgram } from '../support/reference-lock.ts';

describe('the reference lock and the gateway', () => {
  let program: ReferenceProgram;
  let site: Site;
  let lock: ReferenceLock;
  let lockId: number;

  beforeAll(async () => {
    const flags = ['--mqtts-enabled', 'true', '--mqtts-host', '127.0.0.1', '--mqtts-port', '0'];
    [program, site] = await Promise.all([buildReferenceLock(), openSite({ flags })]);
    const body = { lockMac: 'A4:C1:38:7F:02:E9', lockName: 'Reference' };
    const registered = (await site.api('POST', '/api/v1/gateway/locks', { body })).body;
    lockId = registered.lockId;
    lock = await program.lock(registered.deviceId, registered.deviceKey, site.wire.url);
  });
  afterAll(async () => {
    await program.close();
    await site.close();
  });

  const isOnline = async () => {
    const { headers } = await site.api('GET', '/api/v1/lock/state', { query: { lockId } });
    return headers.get('latchd-lock-online') === 'true';
  };
  const records = () => site.all('/api/v1/lock/records', { lockId });
  const move = (way: 'lock' | 'unlock') => site.api('POST', `/api/v1/lock/${way}`, { query: { lockId } });

  test('an unlock, a card and its swipe, and the auto lock are done, shown and recorded', async () => {
    await until(isOnline, 'it is online');
    const timer = await site.api('POST', '/api/v1/lock/set-auto-lock-timer', { query: { lockId, seconds: 1 } });
    expect(timer.body).toEqual({ success: true });
    expect((await move('unlock')).body).toEqual({ success: true });
    await until(async () => (await records()).length === 2, 'the unlock and the auto lock are recorded');
    const card = { lockId, cardNumber: '1325672378', cardName: 'Key ring', method: 'regular', addType: 2, startDate: 0, endDate: 0 };
    expect((await site.api('POST', '/api/v1/identity-card/add', { query: card })).status).toBe(200);
    lock.type('swipe 1325672378');
    await until(async () => (await records()).length === 4, 'the swipe and the auto lock are recorded');
    expect((await records()).map(({ recordType, username }) => `${recordType} ${username}`.trim())).toEqual([
      ...['auto lock', 'unlock by IC card Key ring', 'auto lock', 'unlock by gateway admin'],
    ]);
    const onLock = await site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId } });
    expect(onLock.body.list).toMatchObject([{ cardNumber: '1325672378', known: true }]);
  });

  test('over TLS it trusts its own authority alone, and the name that it connects to', async () => {
    const authority = join(site.dataDir, 'tls', 'ca.crt');
    const other = join(site.folder, 'other.crt');
    await writeFile(
      other,
      await makeAuthority({ key: makeKey(), name: 'a stranger', from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 }),
    );
    await lock.powerCut();
    await until(async () => !(await isOnline()), 'it is away');
    lock.start(site.gateway.mqttsUrl, other);
    await lock.says(/certificate is not of the authority/);
    await lock.powerCut();
    const before = lock.lines.length;
    lock.start(site.gateway.mqttsUrl, authority);
    await until(isOnline, 'it is online over TLS');
    expect((await move('lock')).body).toEqual({ success: true });
    expect((await move('unlock')).body).toEqual({ success: true });
    expect(lock.lines.slice(before).filter((line) => line.startsWith('online')).length).toBe(1);
    await lock.powerCut();
    const refused = lock.lines.length;
    lock.start(site.gateway.mqttsUrl.replace('127.0.0.1', '127.1'), authority);
    await until(() => lock.lines.slice(refused).some((line) => line.includes('not for this host')), 'it refuses another name');
    expect(lock.lines.slice(refused).filter((line) => line.startsWith('online'))).toEqual([]);
  });
});
