// What people decide where a lock and what is wanted on it differ, over the real domain.
import { expect, test } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { callers, codeOf, createDomain, lockId } from '../../support/domain.ts';
import { someEntry, someStranger } from '../../support/entries.ts';
import { settled } from '../../support/settable-clock.ts';

const clerk = { ...callers.manager, accessManager: true };

test('a granted card that went missing is accepted by who may change its grant, and the grant says so; for others nothing is stored', async () => {
  const { accounts, entries, peopleServices } = await createDomain();
  await accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: true });
  const { people, grants, entries: service } = peopleServices;
  const { personId } = await people.create(clerk, { name: 'Erika', externalId: null, note: '' });
  const fob = { kind: 'card' as const, number: '7770001', width: null, name: 'fob', startDate: 0, endDate: 0 };
  const { credentialId } = await people.addCredential(clerk, personId, fob);
  const { grantId } = await grants.add(clerk, personId, { lockIds: [lockId], groupIds: [], startDate: 0, endDate: 0, scheduleId: null });
  await settled();
  const missing = someEntry(500, { number: fob.number, direct: null, credentialId, held: null, missing: true });
  await entries.update(lockId, (newest) => {
    const made = newest.byNumber('card', fob.number);
    return { put: [missing], remove: made === undefined || made.entryId === missing.entryId ? [] : [made.entryId] };
  });
  const accept = (caller: typeof clerk) => codeOf(() => service.decide(caller, lockId, 500 as CardId, { do: 'accept' }));
  const excluded = async () => (await grants.get(clerk, grantId)).grant.excluded;

  expect(await accept({ ...clerk, accessManager: false })).toBe('forbidden');
  expect([await excluded(), (await entries.of(lockId)).byId(500 as CardId)]).toEqual([[], missing]);
  expect(await accept(clerk)).toBe('done');
  expect(await excluded()).toEqual([{ lockId, credentialId }]);
  await settled();
  expect((await entries.of(lockId)).byId(500 as CardId)?.missing ?? false).toBe(false);
  expect((await grants.get(clerk, grantId)).progress.wanted).toBe(0);
});

test('a granted card that a phone narrowed is accepted as taken off: it goes, and does not stay there for a person who loses it', async () => {
  const { accounts, entries, peopleServices } = await createDomain();
  await accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: true });
  const { people, grants, entries: service } = peopleServices;
  const { personId } = await people.create(clerk, { name: 'Erika', externalId: null, note: '' });
  const fob = { kind: 'card' as const, number: '7770002', width: null, name: 'fob', startDate: 0, endDate: 0 };
  const { credentialId } = await people.addCredential(clerk, personId, fob);
  await grants.add(clerk, personId, { lockIds: [lockId], groupIds: [], startDate: 0, endDate: 0, scheduleId: null });
  await settled();
  const window = { startDate: 0, endDate: 2_000_000_000_000, hours: '', once: false };
  const held = { window, sure: true, since: 1, basis: 'list' as const, basisDate: 1 };
  const narrowed = someEntry(500, { number: fob.number, direct: null, credentialId, held, missing: true });
  await entries.update(lockId, (newest) => {
    const made = newest.byNumber('card', fob.number);
    return { put: [narrowed], remove: made === undefined || made.entryId === narrowed.entryId ? [] : [made.entryId] };
  });
  expect(await codeOf(() => service.decide(clerk, lockId, 500 as CardId, { do: 'accept' }))).toBe('done');
  expect((await entries.of(lockId)).byId(500 as CardId)).toMatchObject({ direct: null, missing: false });
  const [entry] = (await service.list(clerk, lockId, undefined, { pageNo: 1, pageSize: 10 })).list.filter(
    (one) => one.entry.entryId === 500,
  );
  expect(entry?.state.status).toBe('removing');
});

test('a one-time code that waited at the backup is not put on its lock after the restore: it may have been used since', async () => {
  const { entries, peopleServices, pause, clock } = await createDomain();
  const once = { startDate: 0, endDate: 0, hours: '', once: true };
  const code = (entryId: number, createdAt: number) =>
    someEntry(entryId, { kind: 'passcode', number: `48291${entryId % 10}`, direct: once, held: null, createdAt });
  const [old, held, fresh] = [code(501, clock.now() - 1_000), code(502, clock.now() - 1_000), code(503, clock.now() + 1_000)];
  const onLock = { ...held, held: { window: once, sure: true, since: 1, basis: 'reply' as const, basisDate: 1 } };
  await entries.update(lockId, () => ({ put: [old, onLock, fresh] }));
  pause.begin(clock.now());
  await peopleServices.entries.resume({ ...callers.admin, gatewayAdministrator: true });
  const used = [501, 502, 503].map((entryId) => entries.inMemory(lockId)?.byId(entryId as CardId)?.used);
  expect(used).toEqual([true, false, false]);
});

test.each(['regular', 'reverse'] as const)('a stranger that is adopted stays on its lock as its %s reader sees it', async (readerOrder) => {
  // Seven bytes at the reader, of which a person sees 170 when they are reversed.
  const seen = '47850746040811520';
  const { accounts, entries, locks, peopleServices } = await createDomain();
  await accounts.setRights(clerk.accountId, { gatewayAdministrator: false, accessManager: true });
  await locks.update(lockId, (lock) => ({ ...lock, readerOrder }));
  const { people, entries: service } = peopleServices;
  const { personId } = await people.create(clerk, { name: 'Erika', externalId: null, note: '' });
  await entries.update(lockId, () => ({ put: [someStranger(500, { number: seen })] }));
  const decide = (entryId: number, id: number) =>
    codeOf(() => service.decide(clerk, lockId, entryId as CardId, { do: 'adopt', personId: id as never }));
  expect([await decide(501, personId), await decide(500, 99)]).toEqual(['invalid-parameter', 'invalid-parameter']);
  expect(await decide(500, personId)).toBe('done');
  const [card] = people.get(clerk, personId).credentials;
  expect(card).toMatchObject(readerOrder === 'regular' ? { number: seen, width: null } : { number: '170', width: 7 });
  await settled();
  const { list } = await service.list(clerk, lockId, undefined, { pageNo: 1, pageSize: 10 });
  expect(list.map(({ entry, state }) => [entry.entryId, entry.number, state.status])).toEqual([[500, seen, 'on-lock']]);
});
