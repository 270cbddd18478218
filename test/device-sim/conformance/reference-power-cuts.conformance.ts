// The reference lock with the real daemon: what happens at the door is recorded exactly once, and no command moves the bolt late or twice,
// while the power of one and the process of the other are cut at random moments.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSeededRandom } from '../../../device-sim/seeded-random.ts';
import { openSite, type Site, until } from '../../support/site.ts';
import { buildReferenceLock, fuzzReferenceLock, type ReferenceLock, type ReferenceProgram } from '../support/reference-lock.ts';

describe('the reference lock and the gateway', () => {
  let program: ReferenceProgram;
  let site: Site;

  beforeAll(async () => {
    program = await buildReferenceLock();
    site = await openSite({ flags: ['--command-timeout-ms', '3000'] });
  });
  afterAll(async () => {
    await program.close();
    await site.close();
  });

  let locks = 0;
  async function register(): Promise<{ readonly lock: ReferenceLock; readonly lockId: number; readonly deviceId: string }> {
    locks += 1;
    const body = { lockMac: `A4:C1:38:7F:02:0${locks}`, lockName: `Reference ${locks}` };
    const { lockId, deviceId, deviceKey } = (await site.api('POST', '/api/v1/gateway/locks', { body })).body;
    const lock = await program.lock(deviceId, deviceKey, site.wire.url);
    await isOnline(lockId);
    return { lock, lockId, deviceId };
  }
  const isOnline = (lockId: number) =>
    until(async () => {
      const { headers } = await site.api('GET', '/api/v1/lock/state', { query: { lockId } });
      return headers.get('latchd-lock-online') === 'true';
    }, `lock ${lockId} is online`);
  const records = (lockId: number) => site.all('/api/v1/lock/records', { lockId });
  const move = (way: 'lock' | 'unlock', lockId: number) => site.api('POST', `/api/v1/lock/${way}`, { query: { lockId } });

  test('every swipe that the lock has in its memory is recorded exactly once, whoever loses power', async () => {
    const { lock, lockId } = await register();
    const random = createSeededRandom(Date.now());
    let swiped = 10_000;
    for (let round = 0; round < 30; round++) {
      const before = lock.lines.length;
      const swipes = 1 + Math.floor(random() * 8);
      for (let n = 0; n < swipes; n++) lock.type(`swipe ${swiped++}`);
      const wait = Math.floor(random() * swipes);
      await until(() => lock.lines.length - before >= wait, 'some of them are in the memory');
      if (random() < 0.6) {
        await lock.powerCut();
        lock.start();
      } else {
        await site.kill9();
        await site.start();
      }
    }
    const stored = lock.lines.flatMap((line) => /^event \d+ card-unlock unknown-card (\d+)$/.exec(line)?.[1] ?? []);
    expect(stored.length).toBeGreaterThan(10);
    await isOnline(lockId);
    const cards = async () => (await records(lockId)).map((record) => String(record['keyboardPwd']));
    await until(async () => {
      const recorded = new Set(await cards());
      return stored.every((card) => recorded.has(card));
    }, 'all are recorded');
    const recorded = await cards();
    expect(recorded.length).toBe(new Set(recorded).size);
    expect(recorded.every((card) => Number(card) >= 10_000 && Number(card) < swiped)).toBe(true);
  });

  test('a command moves the bolt once at most, and only while it lasts, whoever loses power', async () => {
    const { lock, lockId } = await register();
    const random = createSeededRandom(Date.now());
    let done = 0;
    for (let round = 0; round < 30; round++) {
      // A lock whose bolt is there already says that it has done it, and moves nothing.
      const { state } = (await site.api('GET', '/api/v1/lock/state', { query: { lockId } })).body;
      const way = state === 'locked' ? 'unlock' : 'lock';
      const asked = move(way, lockId).catch(() => undefined);
      const moves = lock.movements().length;
      if (random() < 0.7) await until(() => lock.movements().length > moves, 'the bolt begins to move', 2_000).catch(() => undefined);
      if (random() < 0.5) {
        await lock.powerCut();
        lock.start();
      } else {
        await site.kill9();
        await site.start();
      }
      const answer = await asked;
      if (answer?.body['success'] === true) done += 1;
      await isOnline(lockId);
    }
    const byCommand = lock.movements().filter((movement) => movement.includes('"'));
    expect(byCommand.length).toBe(new Set(byCommand).size);
    expect(byCommand.length).toBeGreaterThanOrEqual(done);
    for (const movement of byCommand) expect(site.wire.toLocks()).toContain(movement.split(' ')[1]);
  });

  test('what was held on the way until its time was over opens nothing', async () => {
    const { lock, lockId, deviceId } = await register();
    // The gateway asks a lock that has come for its cards first: that must be over.
    for (const way of ['unlock', 'lock'] as const)
      await until(async () => (await move(way, lockId)).body['success'] === true, `it does ${way}`);
    const before = lock.movements().length;
    site.wire.freeze(deviceId);
    // While something else is under way to the lock, nothing is sent.
    await until(async () => (await move('unlock', lockId)).body['code'] === 'lock-timeout', 'one is on its way, and its time is over');
    site.wire.thaw(deviceId);
    await until(() => site.wire.fromLocks().includes('"ok":false,"error":"expired"'), 'the lock has got it, and refuses');
    expect(lock.movements().length).toBe(before);
    await until(async () => (await move('unlock', lockId)).body['success'] === true, 'a new one opens');
    expect(lock.movements().length).toBe(before + 1);
  });

  test('nothing that comes makes it read what is not there, act late, or act twice', async () => {
    expect(await fuzzReferenceLock(2_000_000)).toMatch(/^2000000 rounds, [1-9]\d+ movements/);
  });
});
