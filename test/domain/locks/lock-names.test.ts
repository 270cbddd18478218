import { describe, expect, it } from '@jest/globals';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';

const { admin, administrator } = callers;
let macs = 0;
const newLock = (name: string, alias?: string) => ({
  deviceId: (++macs).toString(16).padStart(12, '0') as DeviceId,
  name,
  ...(alias !== undefined && { alias }),
});

describe('a new name of a lock', () => {
  it('is a conflict when it is that of another lock but for the case of its letters, by whichever way it comes', async () => {
    const { registrationService, lockService, locks, counters } = await createDomain();
    const ways = {
      register: () => registrationService.register(admin, newLock('DOOR 7', 'new')),
      'register with an alias': () => registrationService.register(admin, newLock('new', 'dOOR 7')),
      adopt: () => registrationService.adopt(admin, newLock('Door 8', 'new'), '0'.repeat(64)),
      change: () => registrationService.change(admin, otherLockId, { name: 'Door 7', groupName: 'North' }),
      'change the alias': () => registrationService.change(admin, otherLockId, { alias: 'DOOR 7' }),
      rename: () => lockService.rename(administrator, otherLockId, 'door 7'),
    };
    const before = locks.all();
    for (const [way, give] of Object.entries(ways)) expect([way, await codeOf(give)]).toEqual([way, 'conflict']);
    expect(locks.all()).toEqual(before);
    expect(await counters.groupId('South')).toBe(1);
  });

  it('may be exactly that of another lock, and that of the lock itself in another case', async () => {
    const { registrationService, lockService, locks } = await createDomain();
    await registrationService.register(admin, newLock('door 7', 'Door 7'));
    await registrationService.change(admin, otherLockId, { name: 'Door 8' });
    await lockService.rename(administrator, otherLockId, 'BACK DOOR');
    expect(locks.get(otherLockId)).toMatchObject({ name: 'Door 8', alias: 'BACK DOOR' });
  });

  it('holds no marks of direction; other letters of such scripts are welcome', async () => {
    const { registrationService, lockService } = await createDomain();
    for (const mark of '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069') {
      expect(await codeOf(() => registrationService.register(admin, newLock(`Gate${mark}`)))).toBe('invalid-parameter');
      expect(await codeOf(() => lockService.rename(administrator, lockId, `${mark}Gate`))).toBe('invalid-parameter');
    }
    expect(await codeOf(() => registrationService.register(admin, newLock('\u05e9\u05e2\u05e8 \u0628\u0627\u0628')))).toBe('done');
  });

  it('is free again when the lock that had it has another, or is gone', async () => {
    const { registrationService, lockService } = await createDomain();
    expect(await codeOf(() => lockService.rename(administrator, otherLockId, 'DOOR 7'))).toBe('conflict');
    await lockService.rename(administrator, lockId, 'Gate');
    expect(await codeOf(() => lockService.rename(administrator, otherLockId, 'DOOR 7'))).toBe('done');
    await registrationService.remove(admin, otherLockId);
    expect(await codeOf(() => lockService.rename(administrator, lockId, 'door 7'))).toBe('done');
  });

  it('goes to one of two locks for which it is requested at the same moment', async () => {
    const { registrationService, lockService } = await createDomain();
    const both = [
      codeOf(() => registrationService.change(admin, lockId, { alias: 'Gate' })),
      codeOf(() => lockService.rename(administrator, otherLockId, 'GATE')),
    ];
    expect(await Promise.all(both)).toEqual(['done', 'conflict']);
  });
});

describe('names that are there already', () => {
  it('go on, whatever they are: the lock can be changed, and keeps them', async () => {
    const { registrationService, locks } = await createDomain();
    const [odd, twin] = ['Gate\u202e', 'DOOR 7'];
    await locks.update(lockId, (lock) => ({ ...lock, name: odd, alias: odd }));
    await locks.update(otherLockId, (lock) => ({ ...lock, name: twin, alias: 'Door 7' }));
    await registrationService.change(admin, lockId, { name: odd, alias: odd, groupName: 'North' });
    await registrationService.change(admin, otherLockId, { name: twin, alias: 'Door 7', superPasscode: '1' });
    expect(locks.all()).toMatchObject([
      { name: odd, alias: odd, groupName: 'North' },
      { name: twin, alias: 'Door 7', superPasscode: '1' },
    ]);
  });
});
