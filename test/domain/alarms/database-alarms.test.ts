import { describe, expect, it } from '@jest/globals';
import { databaseAlarms } from '../../../src/domain/alarms/alarm.ts';
import { createGatewayAlarms } from '../../../src/domain/alarms/gateway-alarms.ts';
import { callers, createDomain } from '../../support/domain.ts';

const minuteMs = 60_000;
const all = { pageNo: 1, pageSize: 100 };
const trusted = { clockIsSuspect: () => false, clockEvidence: () => undefined };

async function watched() {
  const domain = await createDomain();
  await domain.alarms.start();
  await domain.alarmDetector.start();
  return {
    ...domain,
    list: () => domain.alarms.list(callers.admin, all).list.filter(({ lockId }) => lockId === null),
    stands: () =>
      domain.alarms
        .list(callers.admin, all)
        .list.map(({ kind }) => kind)
        .sort(),
    stop: async () => {
      await domain.alarmDetector.stop();
      await domain.alarms.stop();
    },
  };
}

describe('a database that does not answer', () => {
  it('is an alarm after ten seconds, since it went, while nothing can be stored, and ends a minute after it is back', async () => {
    const { clock, gatewayDatabase, storage, list, stands, notices, stop } = await watched();
    const wentAt = clock.now();
    storage.fails = () => true;
    const away = (ms: number) => {
      gatewayDatabase.away = { reason: 'db-1:5432: connect ECONNREFUSED', ms };
    };
    away(5_000);
    await clock.advance(5_000);
    expect(stands()).toEqual([]);
    away(10_000.4587);
    await clock.advance(5_000);
    expect(list()).toEqual([{ kind: 'database-away', lockId: null, since: wentAt, reason: 'db-1:5432: connect ECONNREFUSED' }]);
    await clock.advance(5_000);
    const said = () => notices.filter(({ kind }) => kind === 'alarm-began' || kind === 'alarm-ended').map(({ kind }) => kind);
    expect(said()).toEqual(['alarm-began']);

    storage.fails = () => false;
    gatewayDatabase.away = undefined;
    await clock.advance(minuteMs - 10_000);
    expect(stands()).toEqual(['database-away']);
    await clock.advance(20_000);
    expect([stands(), said()]).toEqual([[], ['alarm-began', 'alarm-ended']]);
    expect(storage.writes.filter((write) => write === 'alarms.update').length).toBeGreaterThan(1);
    await stop();
  });

  it('is one alarm: what cannot be stored meanwhile is no second one', async () => {
    const { clock, gatewayDatabase, gatewayStorage, stands, stop } = await watched();
    gatewayDatabase.away = { reason: 'nothing answers', ms: 5_000 };
    gatewayStorage.health = 'The database does not answer; nothing was changed';
    await clock.advance(5_000);
    expect(stands()).toEqual([]);
    gatewayDatabase.away = { reason: 'nothing answers', ms: 10_000 };
    await clock.advance(5_000);
    expect(stands()).toEqual(['database-away']);
    gatewayDatabase.away = undefined;
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual(['storage-unavailable']);
    await stop();
  });

  it('is no second alarm either in the seconds before anybody knows that it is away, and until the storage is found to work again', async () => {
    const { clock, alarms, notices, gatewayDatabase, gatewayStorage, stop } = await watched();
    gatewayStorage.health = 'The database does not answer; nothing was changed';
    await clock.advance(10_000);
    gatewayDatabase.away = { reason: 'nothing answers', ms: 10_000 };
    await clock.advance(minuteMs);
    alarms.clear('database-away', null);
    gatewayDatabase.away = undefined;
    await clock.advance(10_000);
    gatewayStorage.health = 'ok';
    await clock.advance(2 * minuteMs);
    const said = notices.flatMap((notice) => (notice.kind === 'alarm-began' ? [notice] : []));
    expect(said).toMatchObject([{ alarm: 'database-away' }]);
    await stop();
  });
});

describe('a storage that fails for a reason of its own', () => {
  it('is an alarm after fifteen seconds when it is a database, since it failed', async () => {
    const { clock, gatewayStorage, list, stop } = await watched();
    gatewayStorage.health = 'The database cannot store anything at the moment (53100)';
    await clock.advance(5_000);
    const since = clock.now();
    await clock.advance(10_000);
    expect(list()).toEqual([]);
    await clock.advance(5_000);
    expect(list()).toEqual([{ kind: 'storage-unavailable', lockId: null, since, reason: gatewayStorage.health }]);
    await stop();
  });

  it('is an alarm at once when it is files', async () => {
    const { clock, alarms } = await createDomain();
    await alarms.start();
    const look = createGatewayAlarms({ ...trusted, clock, alarms, database: undefined, storageHealth: () => 'the disk is full' });
    look();
    expect(alarms.active('storage-unavailable', null)).toMatchObject({ since: clock.now(), reason: 'the disk is full' });
    await alarms.stop();
  });
});

describe('a reason that changes', () => {
  it('is said anew while the alarm lasts, once a minute at most', async () => {
    const { clock, gatewayDatabase, alarms, notices, stop } = await watched();
    const reasonOf = (kind: 'database-away' | 'clock-differs') => alarms.active(kind, null)?.reason;
    gatewayDatabase.away = { reason: 'connect ECONNREFUSED', ms: 10_000 };
    gatewayDatabase.clockAheadMs = 11_000;
    await clock.advance(10_000);
    gatewayDatabase.away = { reason: 'it is a standby', ms: 20_000 };
    for (let ms = 20_000; ms <= 60_000; ms += 10_000) {
      gatewayDatabase.clockAheadMs = ms;
      await clock.advance(10_000);
    }
    expect([reasonOf('database-away'), reasonOf('clock-differs')]).toEqual(['connect ECONNREFUSED', expect.stringContaining(' 11 s ')]);
    await clock.advance(20_000);
    expect([reasonOf('database-away'), reasonOf('clock-differs')]).toEqual(['it is a standby', expect.stringContaining(' 60 s ')]);
    expect(notices.filter(({ kind }) => kind === 'alarm-began')).toHaveLength(4);
    await stop();
  });
});

describe('a synchronous standby that is missing', () => {
  it('is an alarm after ten seconds, and none when the database asks for none or nobody may see it', async () => {
    const { clock, gatewayDatabase, list, stands, stop } = await watched();
    gatewayDatabase.standbys = { demanded: 0, there: 0, wasDemanded: false };
    await clock.advance(minuteMs);
    gatewayDatabase.standbys = undefined;
    await clock.advance(minuteMs);
    gatewayDatabase.standbys = { demanded: 1, there: 1, wasDemanded: true };
    await clock.advance(minuteMs);
    expect(stands()).toEqual([]);
    gatewayDatabase.standbys = { demanded: 1, there: 0, wasDemanded: true };
    await clock.advance(9_000);
    expect(stands()).toEqual([]);
    await clock.advance(6_000);
    expect(list()).toMatchObject([{ kind: 'standby-missing', reason: expect.stringContaining('waits for 1 synchronous standby') }]);
    gatewayDatabase.standbys = { demanded: 1, there: 1, wasDemanded: true };
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });
});

describe('a synchronous standby that the database no longer waits for', () => {
  it('is an alarm after a minute, until it waits again, and says that one disk has all', async () => {
    const { clock, gatewayDatabase, list, stands, stop } = await watched();
    gatewayDatabase.standbys = { demanded: 0, there: 0, wasDemanded: true };
    await clock.advance(minuteMs - 5_000);
    expect(stands()).toEqual([]);
    await clock.advance(10_000);
    expect(list()).toMatchObject([{ kind: 'standby-missing', reason: expect.stringContaining('is on one disk') }]);
    await clock.advance(60 * minuteMs);
    expect(stands()).toEqual(['standby-missing']);
    gatewayDatabase.standbys = { demanded: 1, there: 1, wasDemanded: true };
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });

  it('keeps the alarm that began while it was waited for, with another reason, and hides no storage that fails by itself', async () => {
    const { clock, gatewayDatabase, gatewayStorage, list, stands, stop } = await watched();
    gatewayDatabase.standbys = { demanded: 2, there: 1, wasDemanded: true };
    gatewayStorage.health = 'nothing is stored';
    await clock.advance(20_000);
    expect(list()).toMatchObject([
      { kind: 'standby-missing', reason: expect.stringContaining('waits for 2 synchronous standbys at each change, and 1 is connected') },
    ]);
    gatewayDatabase.standbys = { demanded: 0, there: 0, wasDemanded: true };
    gatewayStorage.health = 'ok';
    await clock.advance(10_000);
    expect(list()).toMatchObject([{ kind: 'standby-missing', reason: expect.stringContaining('is on one disk') }]);
    gatewayStorage.health = 'the disk is full';
    await clock.advance(20_000);
    expect(stands()).toEqual(['standby-missing', 'storage-unavailable']);
    await stop();
  });
});

describe('a clock that differs from that of the database', () => {
  it.each([
    [9_999, undefined],
    [-9_999, undefined],
    [10_000, 'the clock of this node is 10 s behind that of the database'],
    [-73_200, 'the clock of this node is 73 s ahead of that of the database'],
  ])('by %i ms is an alarm from ten seconds on, in either direction', async (ms, reason) => {
    const { clock, gatewayDatabase, list, stop } = await watched();
    gatewayDatabase.clockAheadMs = ms;
    await clock.advance(5_000);
    expect(list()).toEqual(
      reason === undefined ? [] : [expect.objectContaining({ kind: 'clock-differs', reason: expect.stringContaining(reason) })],
    );
    await stop();
  });
});

describe('a node that was lost', () => {
  it('is an alarm that names all of them, until they are back', async () => {
    const { clock, gatewayDatabase, list, stands, stop } = await watched();
    const at = clock.now() - 1_000;
    gatewayDatabase.lostNodes = [{ name: 'box-1', at }];
    await clock.advance(5_000);
    expect(list()).toMatchObject([{ kind: 'node-lost', since: at, reason: expect.stringContaining('no sign of box-1:') }]);
    gatewayDatabase.lostNodes = [...gatewayDatabase.lostNodes, { name: 'box-3', at: at + 500 }];
    await clock.advance(5_000);
    expect(list()).toMatchObject([{ kind: 'node-lost', since: at, reason: expect.stringContaining('no sign of box-1, box-3:') }]);
    gatewayDatabase.lostNodes = [];
    await clock.advance(2 * minuteMs);
    expect(stands()).toEqual([]);
    await stop();
  });
});

describe('a gateway whose data was moved from a database to files', () => {
  it('ends the alarms that came along', async () => {
    const { clock, alarms } = await createDomain();
    await alarms.start();
    for (const kind of databaseAlarms) alarms.raise(kind, null, { reason: 'it came along' });
    const look = createGatewayAlarms({ ...trusted, clock, alarms, database: undefined, storageHealth: () => 'ok' });
    look();
    await clock.advance(minuteMs);
    alarms.endGone();
    expect(alarms.list(callers.admin, all).list).toEqual([]);
    await alarms.stop();
  });
});
