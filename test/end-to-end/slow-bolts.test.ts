// A bolt that takes seconds, and a reply that is lost: what the gateway believes of them, and what it asks (Protocol 5.2, 5.4).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';

const unlock = '/api/v1/lock/unlock';
const lockIt = '/api/v1/lock/lock';

/** How often an op was sent over the wire. */
function sent(site: Site, op: string): number {
  return site.wire.sent(`"op":"${op}"`);
}

describe('doors whose bolts are slow', () => {
  let site: Site;

  beforeAll(async () => {
    // On a busy machine, too, the bolt is still on its way when the next thing is asked, and the last one when the gateway has been started anew.
    const moving = (boltTravelMs: number) => ({ okWhen: 'begun', boltTravelMs }) as const;
    site = await openSite({ locks: [moving(4_000), moving(6_000), moving(16_000)], flags: ['--command-timeout-ms', '2500'] });
  });

  afterAll(async () => {
    await site?.close();
  });

  async function stateOf(number: number): Promise<readonly [state: unknown, sure: string | null]> {
    const { headers, body } = await site.api('GET', '/api/v1/lock/state', { query: { lockId: site.lockId(number) } });
    return [body['state'], headers.get('latchd-state-sure')];
  }

  /** When the bolt has arrived. */
  async function takesLock(number: number): Promise<void> {
    const query = { lockId: site.lockId(number) };
    await until(() => site.lock(number).state === 'unlocked', 'the bolt has arrived');
    await until(async () => (await stateOf(number))[0] === 'unlocked', 'the gateway has heard of it');
    expect((await site.api('POST', lockIt, { query })).body).toEqual({ success: true });
  }

  test('lock is sent while the bolt is still on its way to unlocked, though the lock has said ok and not reported it yet (Protocol 5.2)', async () => {
    const query = { lockId: site.lockId(1) };
    expect(await stateOf(1)).toEqual(['locked', 'true']);
    expect((await site.api('POST', unlock, { query })).body).toEqual({ success: true });
    expect(await stateOf(1)).toEqual(['locked', 'false']);
    const before = sent(site, 'lock');
    // The simulator moves one way at a time: it says so, and nobody is told that the door is locked.
    expect((await site.api('POST', lockIt, { query })).body).toEqual({ success: false, reason: 'busy' });
    expect(sent(site, 'lock') - before).toBe(1);
    await takesLock(1);
    await until(() => site.lock(1).state === 'locked', 'the bolt has moved back');
  });

  test('lock is sent after an unlock that timed out, whatever the lock says of a bolt that is moving (Protocol 5.4 rule 3)', async () => {
    const query = { lockId: site.lockId(2) };
    site.lock(2).script([{ kind: 'lost-reply' }]);
    expect((await site.api('POST', unlock, { query })).body.code).toBe('lock-timeout');
    await until(() => sent(site, 'get-status') > 0, 'it is asked where its bolt is');
    const before = sent(site, 'lock');
    expect((await site.api('POST', lockIt, { query })).body).toEqual({ success: false, reason: 'busy' });
    expect(sent(site, 'lock') - before).toBe(1);
    expect(await stateOf(2)).toEqual(['locked', 'false']);
    await takesLock(2);
    await until(() => site.lock(2).state === 'locked', 'the bolt has moved back');
  });

  test('lock is sent to a bolt that an unlock before a crash of the gateway still moves, though its lock says locked', async () => {
    const query = { lockId: site.lockId(3) };
    expect((await site.api('POST', unlock, { query })).body).toEqual({ success: true });
    await site.kill9();
    await site.start();
    await site.whenOnline(3);
    expect(await stateOf(3)).toEqual(['locked', 'false']);
    const before = sent(site, 'lock');
    await site.api('POST', lockIt, { query });
    expect(sent(site, 'lock') - before).toBe(1);
    await takesLock(3);
  });
});

describe('the settings of a lock', () => {
  test('settings and auto lock whose reply was lost are what the lock says when it is asked (Protocol 5.2)', async () => {
    const site = await openSite({ locks: [{}], flags: ['--command-timeout-ms', '2000'] });
    try {
      const query = { lockId: site.lockId(1) };
      site.lock(1).script([{ kind: 'lost-reply' }]);
      const set = await site.api('POST', '/api/v1/lock/set-auto-lock-timer', { query: { ...query, seconds: 60 } });
      expect(set.body.code).toBe('lock-timeout');
      const detail = async () => (await site.api('GET', '/api/v1/lock/detail', { query })).body;
      await until(async () => (await detail())['autoLockTime'] === 60, 'the gateway knows of the timer');
      site.lock(1).script([{ kind: 'lost-reply' }]);
      expect((await site.api('PUT', '/api/v1/lock/settings', { query: { ...query, lockSound: 2 } })).body.code).toBe('lock-timeout');
      await until(async () => (await detail())['lockSound'] === 2, 'the gateway knows of the setting');
    } finally {
      await site.close();
    }
  });
});
