// A person who was removed is forgotten when no lock holds, or may hold, anything that they ever had.
import { expect, test } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import { always, type Entry, type Held } from '../../../src/domain/credentials/entry.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { callers, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { someEntry, surely, unsurely } from '../../support/entries.ts';

const clerk: Caller = { ...callers.manager, accessManager: true };
const fob = { kind: 'card', number: '1325672378', name: 'blue fob', startDate: 0, endDate: 0 } as const;
const page = { pageNo: 1, pageSize: 100 };

/** Ida has a card, which locks 7 and 8 hold; then it is taken from her, and she is removed. */
async function site() {
  const world = await createDomain();
  await world.accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: true });
  const { people } = world.peopleServices;
  const personWith = async (name: string) => {
    const { personId } = await people.create(clerk, { name, externalId: null, note: '' });
    return { personId, credentialId: (await people.addCredential(clerk, personId, fob)).credentialId };
  };
  const ida = await personWith('Ida');
  const put = (at: LockId, some: Partial<Entry> = {}) =>
    world.entries.update(at, () => ({
      put: [someEntry(40 + at, { lockId: at, number: fob.number, direct: null, credentialId: ida.credentialId, ...some })],
    }));
  for (const at of [lockId, otherLockId]) await put(at);
  const remove = async () => {
    await people.removeCredential(clerk, ida.personId, ida.credentialId);
    await people.remove(clerk, ida.personId);
  };
  return {
    ...{ ...world, people, personWith, put, remove },
    forget: (at: LockId) => world.entries.update(at, () => ({ remove: [(40 + at) as Entry['entryId']] })),
    /** The names of all who are there, once what has happened has been looked at. */
    async there() {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      return people.list(clerk, '', page).list.map(({ name, removed }) => (removed ? `${name}, removed` : name));
    },
  };
}

test.each<[string, Held]>([
  ['holds it', surely()],
  ['was told to take it off and has not confirmed it', unsurely(null, always)],
  ['was sent it and has not said whether it has it', unsurely(always, null)],
])('somebody whose card was taken from them before is not forgotten while a lock %s', async (_when, held) => {
  const { put, remove, forget, there } = await site();
  await put(otherLockId, { held });
  await remove();
  expect(await there()).toEqual(['Ida, removed']);
  await forget(lockId);
  expect(await there()).toEqual(['Ida, removed']);
  await put(otherLockId, { held: { ...surely(), window: null } });
  expect(await there()).toEqual([]);
});

test('what a lock has of somebody else by now keeps nobody', async () => {
  const { put, remove, personWith, forget, there } = await site();
  await remove();
  await forget(lockId);
  const ole = await personWith('Ole');
  expect(await there()).toEqual(['Ida, removed', 'Ole']);
  await put(otherLockId, { credentialId: ole.credentialId });
  expect(await there()).toEqual(['Ole']);
});

test('a lock that is removed keeps nobody any more', async () => {
  const { remove, forget, locks, there } = await site();
  await remove();
  await forget(lockId);
  expect(await there()).toEqual(['Ida, removed']);
  await locks.remove(otherLockId);
  expect(await there()).toEqual([]);
});

test('who could not be forgotten is so when the disk works again', async () => {
  const { remove, forget, storage, emit, there } = await site();
  await forget(lockId);
  await remove();
  storage.fails = (write) => write === 'people.remove';
  await forget(otherLockId);
  expect(await there()).toEqual(['Ida, removed']);
  storage.fails = () => false;
  emit('storage-works', {});
  expect(await there()).toEqual([]);
});
