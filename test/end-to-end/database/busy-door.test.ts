// A door that is used all the time while the database is away for longer than an event waits for it.
import { expect, test } from '@jest/globals';
import type { LockHandle } from '../../../device-sim/lock-handle.ts';
import { createCuttableLink } from '../../support/cuttable-link.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';
import { openSite, type Site, until } from '../../support/site.ts';

const usesEveryMs = 1_000 / 6;
/** An event waits 10 s for its PUBACK, and what comes behind it as long. */
const awayMs = 12_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Locks and unlocks the door until it is told to stop; resolves with the bad answers. */
function useDoor({ api, lockId }: Site) {
  const query = { lockId: lockId(1) };
  const bad: unknown[] = [];
  let isOver = false;
  let uses = 0;
  async function use(): Promise<void> {
    for (; !isOver; uses++) {
      const next = pause(usesEveryMs);
      const { status, body } = await api('POST', `/api/v1/lock/${uses % 2 === 0 ? 'unlock' : 'lock'}`, { query });
      if (status !== 200) bad.push(body.code);
      await next;
    }
  }
  const using = use();
  return {
    uses: () => uses,
    async stop(): Promise<readonly unknown[]> {
      isOver = true;
      await using;
      return bad;
    },
  };
}

/** More events than a lock sends without PUBACK; then it connects anew, and says how many it has. */
async function beUsedAndConnectAnew(lock: LockHandle): Promise<void> {
  for (let turns = 0; turns < 25; turns++) await lock.turnThumb();
  lock.cutNetwork();
  lock.restoreNetwork();
  await lock.whenOnline();
}

test('while the database is away a door that is used six times a second answers and keeps its connection, and later each event is a record once', async () => {
  const database = await (await serverOfRun()).newDatabase();
  const link = await createCuttableLink(database.address.hosts[0]?.port ?? 5432);
  const environment = { LATCHD_STORE: database.url.replace(/:\d+\//, `:${link.port}/`) };
  const profile = { boltTravelMs: 20, autoLockSeconds: 0 };
  const site = await openSite({ locks: [profile, profile], environment, withoutDatabase: true });
  try {
    const [lock, other] = [site.lock(1), site.lock(2)];
    const { session } = lock;
    const said = (code: string) => site.gateway.log.filter((line) => line['code'] === code);
    const door = useDoor(site);
    await until(() => door.uses() > 3, 'the door is used');
    link.cut('refused');
    await Promise.all([pause(awayMs), beUsedAndConnectAnew(other)]);
    expect(said('events-left').map(({ lockId }) => lockId)).toEqual(expect.arrayContaining([site.lockId(1), site.lockId(2)]));
    // No lock-timeout, and no lock-offline.
    expect(await door.stop()).toEqual([]);
    expect([lock.session === session, lock.memory.events.length > 20]).toEqual([true, true]);
    link.mend();
    // Once the database works again, the connection is closed once, so that the lock sends what was left (Protocol 4.4 rule 5).
    await Promise.all([lock.whenEventsAcknowledged(), other.whenEventsAcknowledged()]);
    const records = await site.all('/api/v1/lock/records', { lockId: site.lockId(1) });
    const commanded = records.filter(({ username }) => username === 'admin');
    expect([commanded.length, records.length]).toEqual([door.uses(), lock.memory.lastSeq]);
    expect(await site.all('/api/v1/lock/records', { lockId: site.lockId(2) })).toHaveLength(other.memory.lastSeq);
    expect([...said('publish-refused'), ...said('resend-refused')]).toEqual([]);
    expect(said('alarm-began').filter(({ alarm }) => alarm === 'event-gap')).toEqual([]);
  } finally {
    await site.close();
    link.close();
    await database.drop();
  }
});
