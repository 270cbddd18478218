import { expect, test } from '@jest/globals';
import type { AccountId, Caller } from '../../../src/domain/accounts/account.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { CredentialId, PersonId } from '../../../src/domain/people/person.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';

const page = { pageNo: 1, pageSize: 100 };
/** Of lock 7, not of lock 8. */
const clerk: Caller = { ...callers.manager, accessManager: true };
const nobody: Caller = { ...callers.stranger };
const fob = { kind: 'card', number: '1325672378', name: 'blue fob', startDate: 0, endDate: 0 } as const;
const always = { groupIds: [], startDate: 0, endDate: 0, scheduleId: null };

async function site() {
  const world = await createDomain();
  await world.accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: true });
  const { people, grants, schedules, wholePeople } = world.peopleServices;
  const touched: (readonly LockId[])[] = [];
  world.events.subscribe('wanted-changed', ({ lockIds }) => void touched.push([...lockIds].sort((a, b) => a - b)));
  const create = (name: string, externalId: string | null = null) => people.create(clerk, { name, externalId, note: '' });
  const put = (externalId: string, given: object) =>
    people.putExternal(clerk, externalId, { name: 'Erika', credentials: [], grants: [], ...given });
  return { ...world, service: people, grants, weekly: schedules, wholePeople, create, put, wanted: () => touched.splice(0) };
}

test('people are for access managers alone', async () => {
  const { service, create, grants } = await site();
  const { personId } = await create('Erika');
  for (const caller of [nobody, callers.admin, callers.administrator]) {
    expect(await codeOf(() => service.list(caller, '', page))).toBe('forbidden');
    expect(await codeOf(() => service.get(caller, personId))).toBe('forbidden');
    expect(await codeOf(() => service.change(caller, personId, { name: 'x' }))).toBe('forbidden');
    expect(await codeOf(() => grants.list(caller, {}, page))).toBe('forbidden');
    expect(await codeOf(() => service.addCredential(caller, personId, fob))).toBe('forbidden');
  }
  expect(service.get(clerk, personId).credentials).toEqual([]);
});

test('a grant needs the role manager of every lock that it reaches, and so does a card or an end of suspension of who has it', async () => {
  const { service, grants, create, locks } = await site();
  const { personId } = await create('Erika');
  const refused = await codeOf(() => grants.add(clerk, personId, { ...always, lockIds: [lockId, otherLockId] }));
  expect([refused, service.get(clerk, personId).grants]).toEqual(['forbidden', []]);
  await locks.update(otherLockId, (lock) => ({ ...lock, roles: [...lock.roles, { accountId: clerk.accountId, role: 'manager' }] }));
  const { grantId } = await grants.add(clerk, personId, { ...always, lockIds: [lockId, otherLockId] });
  await service.addCredential(clerk, personId, fob);
  await locks.update(otherLockId, (lock) => ({ ...lock, roles: [] }));
  expect(await codeOf(() => service.addCredential(clerk, personId, { kind: 'passcode', name: '', startDate: 0, endDate: 0 }))).toBe(
    'forbidden',
  );
  await service.change(clerk, personId, { suspended: true });
  expect(await codeOf(() => service.change(clerk, personId, { suspended: false }))).toBe('forbidden');
  expect(await codeOf(() => grants.change(clerk, grantId, { scheduleId: null, startDate: 0, endDate: 0 }))).toBe('done');
  await grants.change(clerk, grantId, { endDate: 9e12 });
  expect(await codeOf(() => grants.change(clerk, grantId, { endDate: 0 }))).toBe('forbidden');
  await grants.end(clerk, grantId);
});

test('a role or a right that goes while the change waits for its turn is asked for again when it is written', async () => {
  const { grants, create, locks, accounts, storage, service } = await site();
  const { personId } = await create('Erika');
  for (const takeAway of [
    () => locks.update(lockId, (lock) => ({ ...lock, roles: [] })),
    () => accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: false }),
  ]) {
    const release = storage.hold('people.update');
    const added = codeOf(() => grants.add(clerk, personId, { ...always, lockIds: [lockId] }));
    await takeAway();
    release();
    expect(await added).toBe('forbidden');
  }
  await accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: true });
  expect(service.get(clerk, personId).grants).toEqual([]);
});

test('no two people have a card, whatever the order of its bytes, and of two at once one gets it', async () => {
  const { service, create } = await site();
  const [first, second] = [await create('Erika'), await create('Ole')];
  const give = (personId: PersonId, number: string) => codeOf(() => service.addCredential(clerk, personId, { ...fob, number }));
  expect(await Promise.all([give(first.personId, '170'), give(second.personId, '00170')])).toEqual(['done', 'card-exists']);
  // 4, 7 and 8 bytes reversed.
  for (const number of ['2852126720', '47850746040811520', '12249790986447749120', '170']) {
    expect([number, await give(second.personId, number), await give(first.personId, number)]).toEqual([
      number,
      'card-exists',
      'card-exists',
    ]);
  }
  expect(service.get(clerk, first.personId).credentials[0]?.number).toBe('170');
  await service.remove(clerk, first.personId);
  expect(await give(second.personId, '2852126720')).toBe('done');
});

test('a passcode is made by the gateway, is not weak, and is shown by the answer that makes it', async () => {
  const { service, create } = await site();
  const { personId } = await create('Erika');
  const { passcode, credentialId } = await service.addCredential(clerk, personId, {
    kind: 'passcode',
    digits: 8,
    name: '',
    startDate: 0,
    endDate: 0,
  });
  expect(passcode).toMatch(/^\d{8}$/);
  expect(service.get(clerk, personId).credentials).toMatchObject([{ credentialId, kind: 'passcode', once: false }]);
  await service.removeCredential(clerk, personId, credentialId);
  expect(await codeOf(() => service.removeCredential(clerk, personId, credentialId))).toBe('not-found');
});

test('a removed person is shown until no lock holds anything of theirs, and is forgotten then', async () => {
  const { service, create, entries } = await site();
  const { personId } = await create('Erika');
  const { credentialId } = await service.addCredential(clerk, personId, fob);
  const held = { window: always, sure: true, since: 1, basis: 'reply', basisDate: 1 } as const;
  const entry = {
    ...({
      entryId: 41 as never,
      lockId,
      kind: 'card',
      number: fob.number,
      name: '',
      createdAt: 1,
      createdBy: 'max',
      managed: true,
    } as const),
    ...{ direct: null, credentialId, held: { ...held, window: { startDate: 0, endDate: 0, hours: '', once: false } } },
    ...{ missing: false, used: false, accepted: null, scheduleId: null },
  };
  await entries.update(lockId, () => ({ put: [entry] }));
  await service.remove(clerk, personId);
  await new Promise(setImmediate);
  expect(service.get(clerk, personId).removed).toBe(true);
  expect(await codeOf(() => service.change(clerk, personId, { name: 'x' }))).toBe('not-found');
  await entries.update(lockId, () => ({ put: [{ ...entry, held: { ...held, window: null, sure: false } }] }));
  await new Promise(setImmediate);
  expect(service.list(clerk, '', page).total).toBe(1);
  await entries.update(lockId, () => ({ remove: [entry.entryId] }));
  await new Promise(setImmediate);
  expect(service.list(clerk, '', page).total).toBe(0);
  const { personId: other } = await create('Ole');
  await service.remove(clerk, other);
  await new Promise(setImmediate);
  expect(await codeOf(() => service.get(clerk, other))).toBe('not-found');
});

test('people are found by a part of name or externalId, and by a card in any byte order', async () => {
  const { service, create } = await site();
  const erika = await create('Erika M.', 'HR-4711');
  await create('Ole', 'HR-12');
  await service.addCredential(clerk, erika.personId, { ...fob, number: '1000170' });
  const found = (search: string) => service.list(clerk, search, page).list.map(({ name }) => name);
  expect([found(''), found('hr-47'), found('OLE'), found('x')]).toEqual([['Erika M.', 'Ole'], ['Erika M.'], ['Ole'], []]);
  expect([found('0001000170'), found('3930197760')]).toEqual([['Erika M.'], ['Erika M.']]);
  expect(await codeOf(() => create('Other', 'HR-12'))).toBe('conflict');
});

test('the limits hold: an eleventh credential and a twenty-first grant are conflicts', async () => {
  const { service, grants, create } = await site();
  const { personId } = await create('Erika');
  for (let n = 0; n < 10; n++) await service.addCredential(clerk, personId, { ...fob, number: `77000${n}` });
  expect(await codeOf(() => service.addCredential(clerk, personId, { ...fob, number: '88' }))).toBe('conflict');
  for (let n = 0; n < 20; n++) await grants.add(clerk, personId, { ...always, lockIds: [lockId] });
  expect(await codeOf(() => grants.add(clerk, personId, { ...always, lockIds: [lockId] }))).toBe('conflict');
});

test('an external system says the whole person; the same call again writes nothing, and what it leaves out is ended', async () => {
  const { put, service, storage, clock } = await site();
  const credentials = [fob, { kind: 'passcode', name: 'door', startDate: 0, endDate: 0 }];
  const stay = { ...always, lockIds: [lockId], endDate: clock.now() + 1_000_000 };
  const first = await put('R-1', { credentials, grants: [stay] });
  expect([first.isNew, [...first.made.keys()]]).toEqual([true, [first.person.credentials[1]?.credentialId]]);
  const writes = storage.writes.length;
  const again = await put('R-1', { credentials, grants: [stay] });
  expect([again.isNew, again.person, again.made.size]).toEqual([false, first.person, 0]);
  expect(storage.writes.slice(writes).filter((name) => name !== 'people.update')).toEqual([]);
  const longer = await put('R-1', { credentials: [fob], grants: [{ ...stay, endDate: stay.endDate + 5 }] });
  expect(longer.person.credentials).toEqual(first.person.credentials.slice(0, 1));
  expect(longer.person.grants).toEqual([{ ...first.person.grants[0], endDate: stay.endDate + 5 }]);
  await service.change(clerk, first.person.personId, { suspended: true });
  const out = await put('R-1', {});
  expect(out.person).toMatchObject({ personId: first.person.personId, suspended: true, credentials: [], grants: [] });
});

test('an external system that says a card or the name of a passcode twice is refused at its first call, not at the second', async () => {
  const { put, service } = await site();
  const code = { kind: 'passcode', name: '', startDate: 0, endDate: 0 };
  for (const credentials of [
    [code, code],
    [fob, { ...fob, number: `00${fob.number}` }],
  ])
    expect(await codeOf(() => put('R-1', { credentials }))).toBe('invalid-parameter');
  expect(service.list(clerk, '', page).total).toBe(0);
  const two = [code, { ...code, name: 'door' }];
  const { person, made } = await put('R-1', { credentials: two });
  expect([made.size, (await put('R-1', { credentials: two })).person]).toEqual([2, person]);
});

test('a lost credential stays with the person, and stays lost, whatever an external system says', async () => {
  const { put, people } = await site();
  const { person } = await put('R-1', { credentials: [fob] });
  const lost = { at: 5, reason: 'in town', by: 'max' };
  await people.update(person.personId, (one) => ({ ...one, credentials: one.credentials.map((card) => ({ ...card, lost })) }));
  for (const credentials of [[fob], []]) expect((await put('R-1', { credentials })).person.credentials).toMatchObject([{ lost }]);
  expect(await codeOf(() => put('R-1', { credentials: [fob, fob] }))).toBe('invalid-parameter');
});

test('what is not there is named, and a grant that has ended is refused', async () => {
  const { grants, create, clock, put } = await site();
  const { personId } = await create('Erika');
  const wrong = async (changes: object) => {
    const error = await grants.add(clerk, personId, { ...always, lockIds: [], ...changes }).catch((one: unknown) => one);
    return (error as { readonly parameters?: readonly { readonly parameter: string }[] }).parameters?.[0]?.parameter;
  };
  expect(await wrong({ lockIds: [99] })).toBe('lockIds');
  expect(await wrong({})).toBe('lockIds');
  expect(await wrong({ groupIds: [9] })).toBe('groupIds');
  expect(await wrong({ lockIds: [lockId], scheduleId: 4 })).toBe('scheduleId');
  expect(await wrong({ lockIds: [lockId], endDate: clock.now() - 1 })).toBe('endDate');
  expect(await codeOf(() => put('R-1', { grants: [{ ...always, lockIds: [lockId], endDate: 5 }] }))).toBe('invalid-parameter');
  expect(await codeOf(() => grants.add(clerk, 99 as PersonId, { ...always, lockIds: [lockId] }))).toBe('not-found');
});

test('exactly the locks that a change touches may want something else, once it is stored', async () => {
  const { service, grants, create, locks, wanted, weekly } = await site();
  const { personId } = await create('Erika');
  await locks.update(lockId, (lock) => ({ ...lock, groupId: 2 }));
  wanted();
  // Those who have a schedule are looked for in the turn after its change.
  const looked = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const schedule = await weekly.create(callers.admin, { name: 'Office', hours: [{ days: [1], from: 0, to: 60 }] });
  await looked();
  wanted();
  const { grantId } = await grants.add(clerk, personId, { ...always, lockIds: [], groupIds: [2], scheduleId: schedule.scheduleId });
  expect(wanted()).toEqual([[lockId]]);
  await service.addCredential(clerk, personId, fob);
  expect(wanted()).toEqual([[lockId]]);
  await service.change(clerk, personId, { note: 'night shift' });
  expect(wanted()).toEqual([]);
  await weekly.change(callers.admin, schedule.scheduleId, { hours: [{ days: [2], from: 0, to: 60 }] });
  await looked();
  expect(wanted()).toEqual([[lockId]]);
  await weekly.setHolidays(callers.admin, ['2026-12-25']);
  await looked();
  expect(wanted()).toEqual([]);
  await locks.update(otherLockId, (lock) => ({ ...lock, groupId: 2 }));
  await locks.update(otherLockId, (lock) => ({ ...lock, alias: 'new' }));
  expect(wanted()).toEqual([[otherLockId]]);
  await grants.end(clerk, grantId);
  expect(wanted()).toEqual([[lockId, otherLockId]]);
  expect(await codeOf(() => weekly.remove(callers.admin, schedule.scheduleId))).toBe('done');
});

test('a schedule that a grant has is not deleted, and only gateway administrators change schedules', async () => {
  const { grants, create, weekly } = await site();
  const { personId } = await create('Erika');
  const { scheduleId } = await weekly.create(callers.admin, { name: 'Office', hours: [{ days: [1], from: 0, to: 60 }] });
  await grants.add(clerk, personId, { ...always, lockIds: [lockId], scheduleId });
  expect(await codeOf(() => weekly.remove(callers.admin, scheduleId))).toBe('conflict');
  expect(await codeOf(() => weekly.create(clerk, { name: 'x', hours: [] }))).toBe('forbidden');
  expect(await codeOf(() => weekly.setHolidays(clerk, []))).toBe('forbidden');
  expect(weekly.list(nobody, page).total).toBe(1);
});

test('another group of a lock needs its manager when a grant names the old or the new group, and says what it changes', async () => {
  const { registrationService, grants, create, locks, counters } = await site();
  const groupId = await counters.groupId('Floor');
  const { personId } = await create('Erika');
  await locks.update(lockId, (lock) => ({ ...lock, groupId, groupName: 'Floor' }));
  // No grant names a group yet.
  await registrationService.change(callers.admin, otherLockId, { groupName: 'Attic' });
  await grants.add(clerk, personId, { ...always, lockIds: [], groupIds: [groupId] });
  const refused = () => codeOf(() => registrationService.change(callers.admin, otherLockId, { groupName: 'Floor' }));
  expect([await refused(), locks.get(otherLockId)?.groupName]).toEqual(['forbidden', 'Attic']);
  expect(await codeOf(() => registrationService.change(callers.admin, lockId, { groupName: '' }))).toBe('forbidden');
  await locks.update(otherLockId, (lock) => ({ ...lock, roles: [{ accountId: callers.admin.accountId as AccountId, role: 'manager' }] }));
  expect((await registrationService.change(callers.admin, otherLockId, { groupName: 'Floor' })).access).toEqual({ gained: 1, lost: 0 });
  expect((await registrationService.change(callers.admin, otherLockId, { groupName: '' })).access).toEqual({ gained: 0, lost: 1 });
  expect((await registrationService.change(callers.admin, otherLockId, { alias: 'x' })).access).toBeUndefined();
});

test('an import makes a person of what it planned, unless the person has changed meanwhile', async () => {
  const { wholePeople, create, service } = await site();
  const { personId } = await create('Erika');
  const { credentialId } = await service.addCredential(clerk, personId, fob);
  const target = { externalId: 'HR-1', name: 'Erika M.', credentials: [credentialId, { ...fob, number: '5550001' }], grants: [] };
  expect(await codeOf(() => wholePeople.become(clerk, personId, target, () => false))).toBe('conflict');
  const made = await wholePeople.become(clerk, personId, target);
  expect(made).toMatchObject({ personId, externalId: 'HR-1', credentials: [{ credentialId }, { number: '5550001' }] });
  expect(await codeOf(() => wholePeople.become(clerk, null, target))).toBe('conflict');
  expect(await codeOf(() => wholePeople.become(clerk, personId, { ...target, credentials: [99 as CredentialId] }))).toBe('conflict');
});
