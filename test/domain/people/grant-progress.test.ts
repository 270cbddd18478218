// How far a grant has come, by what the locks have said that they hold.
import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import { always, type Entry, type Held } from '../../../src/domain/credentials/entry.ts';
import { entryState, type StatusSurroundings } from '../../../src/domain/credentials/entry-status.ts';
import type { Reconciler } from '../../../src/domain/credentials/reconciler.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createGrantProgress } from '../../../src/domain/people/grant-progress.ts';
import { callers, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { someEntry, surely, unsurely } from '../../support/entries.ts';

const clerk: Caller = { ...callers.manager, accessManager: true };
const fob = { kind: 'card', number: '1325672378', name: 'blue fob', startDate: 0, endDate: 0 } as const;
const ofGrant = { groupIds: [], startDate: 0, endDate: 0, scheduleId: null };

/** Ida has a card and a grant for locks 7 and 8, and both hold it. */
async function site() {
  const world = await createDomain();
  await world.accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: true });
  await world.locks.update(otherLockId, (lock) => ({ ...lock, roles: [{ accountId: clerk.accountId, role: 'manager' }] }));
  const { people, grants } = world.peopleServices;
  const personWith = async (name: string, number: string) => {
    const { personId } = await people.create(clerk, { name, externalId: null, note: '' });
    const { credentialId } = await people.addCredential(clerk, personId, { ...fob, number });
    return { personId, credentialId };
  };
  const ida = await personWith('Ida', fob.number);
  const { grantId } = await grants.add(clerk, ida.personId, { ...ofGrant, lockIds: [lockId, otherLockId] });
  const put = (at: LockId, some: Partial<Entry> = {}) =>
    world.entries.update(at, () => ({
      put: [someEntry(40 + at, { lockId: at, number: fob.number, direct: null, credentialId: ida.credentialId, ...some })],
    }));
  for (const at of [lockId, otherLockId]) await put(at);
  return {
    ...{ ...world, people, grants, grantId, ida, personWith, put },
    progress: async () => (await grants.get(clerk, grantId)).progress,
    /** Lock 8 is not of the grant any more. */
    leaveOut: () => grants.change(clerk, grantId, { lockIds: [lockId] }),
    forget: (at: LockId) => world.entries.update(at, (newest) => ({ remove: newest.byId((40 + at) as never) ? [(40 + at) as never] : [] })),
  };
}

/** What a reconciler says of locks that are online. */
function statesAt(now: number, setback: StatusSurroundings['setback'] = () => undefined): Reconciler['statesOf'] {
  const limits = { batch: 20, cards: true, passcodes: true, hours: true, once: true, passcodeDigits: [4, 9] } as const;
  const around = { now, isOnline: true, isPaused: false, limits, setback, isLost: () => false };
  return (_lock, view) => (entry) => entryState(entry, view.wanted(entry), around);
}

const done = { wanted: 1, onLock: 1, removing: 0, doneDate: 1 };
const notDone = { wanted: 1, onLock: 1, removing: 1, doneDate: null };

describe('a grant that leaves a lock out is not done (HTTP API 12.4)', () => {
  it.each<[string, Held]>([
    ['while the lock holds the card', surely()],
    ['while the removal was sent and the lock has not confirmed it', unsurely(null, always)],
    ['while an add was sent before, and nobody knows what came of it', unsurely(always, null)],
  ])('%s, and is done when it is gone', async (_when, held) => {
    const { put, leaveOut, progress, forget } = await site();
    expect(await progress()).toMatchObject({ wanted: 2, onLock: 2, removing: 0, doneDate: 1 });
    await put(otherLockId, { held });
    expect((await leaveOut()).progress).toMatchObject(notDone);
    expect(await progress()).toMatchObject(notDone);
    await forget(otherLockId);
    expect(await progress()).toMatchObject(done);
  });

  it('while the lock refuses the removal again and again', async () => {
    const { clock, locks, entries, granted, access: accessLog, wantedViews: views, people, grants, grantId, ida, leaveOut } = await site();
    await leaveOut();
    const setback = () => ({ hasFailed: true, lockError: 'failed', nextDate: 5 });
    const statesOf = statesAt(clock.now(), setback);
    const progressOf = createGrantProgress({
      clock,
      locks,
      entries,
      granted,
      accessLog,
      views,
      reconciler: { statesOf },
      nextTurn: async () => undefined,
    });
    const { grant } = await grants.get(clerk, grantId);
    expect(await progressOf(people.get(clerk, ida.personId), grant, [lockId])).toMatchObject(notDone);
  });

  it('while a lock has a card that was taken from the person', async () => {
    const { people, personWith, ida, put, progress, forget } = await site();
    const { credentialId } = await people.addCredential(clerk, ida.personId, { ...fob, number: '7001' });
    for (const at of [lockId, otherLockId]) await put(at, { entryId: (60 + at) as never, number: '7001', credentialId });
    expect(await progress()).toMatchObject({ wanted: 4, onLock: 4, removing: 0, doneDate: 1 });
    await people.removeCredential(clerk, ida.personId, ida.credentialId);
    expect(await progress()).toMatchObject({ wanted: 2, onLock: 2, removing: 2, doneDate: null });
    await forget(lockId);
    expect(await progress()).toMatchObject({ removing: 1, doneDate: null });
    // Another person has the card by now.
    const ole = await personWith('Ole', fob.number);
    await put(otherLockId, { credentialId: ole.credentialId });
    expect(await progress()).toMatchObject({ wanted: 2, onLock: 2, removing: 0, doneDate: 1 });
  });

  it('while its reader sees another number than the one that is on the lock', async () => {
    const { locks, progress } = await site();
    await locks.update(otherLockId, (lock) => ({ ...lock, readerOrder: 'reverse' }));
    expect(await progress()).toMatchObject({ wanted: 2, onLock: 1, pending: 1, removing: 1, doneDate: null });
  });
});

it('a card that somebody put on the lock besides stays there, and the grant is done without it', async () => {
  const { put, leaveOut } = await site();
  await put(otherLockId, { direct: always });
  expect((await leaveOut()).progress).toMatchObject(done);
});

it('other work has a turn before each lock that takes long', async () => {
  const { clock, locks, entries, granted, access: accessLog, wantedViews: views, people, grants, grantId, ida } = await site();
  let ms = 0;
  let turns = 0;
  const slow = { now: clock.now, monotonic: () => ++ms };
  const nextTurn = async () => {
    turns += 1;
  };
  const progressOf = createGrantProgress({
    clock: slow,
    locks,
    entries,
    granted,
    accessLog,
    views,
    reconciler: { statesOf: statesAt(clock.now()) },
    nextTurn,
  });
  const { grant } = await grants.get(clerk, grantId);
  await progressOf(people.get(clerk, ida.personId), grant, [lockId, otherLockId]);
  expect(turns).toBe(2);
});
