// A grant to a group, from the HTTP API to the memory of a lock and back, through the real daemon.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';

const access = '/api/v1/access';
const card = '1325672378';
let site: Site;

beforeAll(async () => {
  site = await openSite({ locks: [{ features: ['credentials', 'hours', 'once'] }, { features: ['credentials', 'hours', 'once'] }] });
});
afterAll(() => site.close());

/** The numbers that a simulated lock holds. */
function heldBy(index: number): readonly string[] {
  return site.lock(index).memory.cards.map(({ cardNumber }) => cardNumber);
}

async function put(path: string, body: object, status = 200) {
  const answer = await site.api('PUT', path, { body });
  expect([path, answer.status]).toEqual([path, status]);
  return answer.body;
}

test('a grant to a group is on its locks, in the hours of its schedule, follows the group, and is gone when it ends', async () => {
  const lock = (index: number) => `/api/v1/gateway/locks/${site.lockId(index)}`;
  const { groupId } = await put(lock(1), { groupName: 'Ground floor' });
  const office = { name: 'Office', hours: [{ days: [1, 2, 3, 4, 5, 6, 7, 8], from: 0, to: 1439 }] };
  const { body: schedule } = await site.api('POST', `${access}/schedules`, { body: office });
  const stay = { groupIds: [groupId], scheduleId: schedule['scheduleId'] };
  const guest = { name: 'Erika M.', credentials: [{ kind: 'card', cardNumber: `00${card}` }], grants: [stay] };
  const person = await put(`${access}/people/external/R-1`, guest, 201);
  const [{ grantId }] = person['grants'] as unknown as [{ readonly grantId: number }];
  const progress = async () => (await site.api('GET', `${access}/grants/${grantId}`)).body['progress'];

  await until(async () => heldBy(1).includes(card), 'the lock of the group holds the card');
  await until(async () => JSON.stringify(await progress()).includes('"on-lock":1'), 'the grant says so');
  expect(heldBy(2)).toEqual([]);
  expect(await put(`${access}/people/external/R-1`, guest)).toEqual(person);

  expect(await put(lock(2), { groupName: 'Ground floor' })).toMatchObject({ access: { gained: 1, lost: 0 } });
  await until(async () => heldBy(2).includes(card), 'a lock that joins the group holds it, too');
  await put(lock(1), { groupName: '' });
  await until(async () => !heldBy(1).includes(card), 'a lock that leaves the group does not hold it any more');

  await put(`${access}/people/${person['personId']}`, { suspended: true });
  await until(async () => heldBy(2).length === 0, 'nobody who is suspended has a card on a lock');
  await put(`${access}/people/${person['personId']}`, { suspended: false });
  await until(async () => heldBy(2).includes(card), 'it is back');
  expect((await site.api('DELETE', `${access}/grants/${grantId}`)).status).toBe(200);
  await until(async () => heldBy(2).length === 0, 'the grant has ended');
});

test('an access manager without the role manager of the lock gives nobody a door, by whatever way', async () => {
  const token = await site.account('clerk');
  await put('/api/v1/gateway/accounts/clerk', { gatewayAdministrator: false, accessManager: true });
  const { body: person } = await site.api('POST', `${access}/people`, { token, body: { name: 'Ole' } });
  const grants = `${access}/people/${person['personId']}/grants`;
  const body = { lockIds: [site.lockId(1)] };
  expect(await site.api('POST', grants, { token, body })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const whole = { name: 'Max', credentials: [], grants: [body] };
  expect(await site.api('PUT', `${access}/people/external/R-2`, { token, body: whole })).toMatchObject({ status: 403 });
  await put(`/api/v1/gateway/locks/${site.lockId(1)}/roles/clerk`, { role: 'manager' });
  expect(await site.api('POST', grants, { token, body })).toMatchObject({ status: 201, body: { locks: 1, warnings: [] } });
  await site.api('DELETE', `/api/v1/gateway/locks/${site.lockId(1)}/roles/clerk`);
  const given = { kind: 'card', cardNumber: '5550001' };
  expect(await site.api('POST', `${access}/people/${person['personId']}/credentials`, { token, body: given })).toMatchObject({
    status: 403,
  });
  expect(await site.api('DELETE', `${access}/people/${person['personId']}`, { token })).toMatchObject({ status: 200 });
});

test('a lock that a grant leaves out counts as removing until it has given the card up, also when it is away and nobody asked before', async () => {
  const { body: person } = await site.api('POST', `${access}/people`, { body: { name: 'Ida' } });
  const fob = { kind: 'card', cardNumber: '4440001' };
  expect((await site.api('POST', `${access}/people/${person['personId']}/credentials`, { body: fob })).status).toBe(201);
  const both = { lockIds: [site.lockId(1), site.lockId(2)] };
  const { body: made } = await site.api('POST', `${access}/people/${person['personId']}/grants`, { body: both });
  const path = `${access}/grants/${made['grantId']}`;
  const grant = async () => (await site.api('GET', path)).body;
  await until(async () => (await grant())['doneDate'] !== null, 'it is on both');
  site.lock(2).cutNetwork();
  await site.whenOnline(2, false);
  expect(await put(path, { lockIds: [site.lockId(1)] })).toMatchObject({
    progress: { wanted: 1, 'on-lock': 1, removing: 1 },
    doneDate: null,
  });
  expect(await grant()).toMatchObject({ progress: { wanted: 1, 'on-lock': 1, removing: 1 }, doneDate: null });
  site.lock(2).restoreNetwork();
  await until(async () => (await grant())['doneDate'] !== null, 'the lock that came back has given it up');
  expect([heldBy(1), heldBy(2)]).toEqual([['4440001'], []]);
});

test('a lock that was sent the removal of a card and does not answer counts as removing', async () => {
  const { body: person } = await site.api('POST', `${access}/people`, { body: { name: 'Jo' } });
  const fob = { kind: 'card', cardNumber: '4440002' };
  await site.api('POST', `${access}/people/${person['personId']}/credentials`, { body: fob });
  const both = { lockIds: [site.lockId(1), site.lockId(2)] };
  const { body: made } = await site.api('POST', `${access}/people/${person['personId']}/grants`, { body: both });
  const path = `${access}/grants/${made['grantId']}`;
  const grant = async () => (await site.api('GET', path)).body;
  await until(async () => (await grant())['doneDate'] !== null, 'it is on both');
  site.lock(2).setSilent(true);
  await put(path, { lockIds: [site.lockId(1)] });
  const unsure = async () => (await site.all(`${access}/locks/${site.lockId(2)}/entries`)).some(({ status }) => status === 'unsure');
  await until(unsure, 'the removal was sent');
  expect(await grant()).toMatchObject({ progress: { wanted: 1, 'on-lock': 1, removing: 1 }, doneDate: null });
  expect(heldBy(2)).toContain('4440002');
  site.lock(2).setSilent(false);
  site.lock(2).cutNetwork();
  site.lock(2).restoreNetwork();
  await until(async () => (await grant())['doneDate'] !== null, 'it has given it up');
  expect(heldBy(2)).not.toContain('4440002');
});
