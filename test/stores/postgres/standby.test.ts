// A primary and its synchronous standby: what is acknowledged is on both, also when the primary has crashed in between.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { until } from '../../support/site.ts';
import { lockId, sampleEvents } from '../files/support/samples.ts';
import { withRecordSidesOn } from './support/records.ts';

let pair: PostgresPair;
beforeAll(async () => {
  pair = await startPostgresPair();
});
afterAll(() => pair?.remove());

const isWaiting = async (): Promise<boolean> =>
  (await pair.query("SELECT FROM pg_stat_activity WHERE application_name = 'latchd box-1' AND wait_event = 'SyncRep'")).length > 0;
const records = async (): Promise<number> => (await pair.query('SELECT FROM latchd.record')).length;

test('events that a primary shows after a crash are acknowledged only when its standby has them', () => {
  const hosts = pair.ports.map((port) => ({ host: '127.0.0.1', port }));
  return withRecordSidesOn({ hosts, user: 'postgres', database: 'latchd', tls: false }, async ({ open }) => {
    const side = await open();
    await side.records.append(lockId(1), 'e', sampleEvents(1, 2));
    pair.cutStandby();
    let isAnswered = false;
    const appended = side.records.append(lockId(1), 'e', sampleEvents(3, 4)).finally(() => {
      isAnswered = true;
    });
    await until(isWaiting, 'the commit waits for the standby');
    expect(await records()).toBe(2);

    await pair.killPrimary();
    await pair.restartPrimary();
    expect(await records()).toBe(4);
    await until(async () => isAnswered || (await isWaiting()), 'the gateway has asked what is stored');
    expect(isAnswered).toBe(false);

    pair.mendStandby();
    expect(await appended).toMatchObject({ stored: 0, duplicates: 2, refused: [] });
    expect(await records()).toBe(4);
  });
});
