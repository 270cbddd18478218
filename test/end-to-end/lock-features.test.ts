// What a lock says that it can do, through the real daemon: shown to people, remembered, and answered with local time (Protocol 4.1, 5.1).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';

const said = {
  features: ['credentials', 'hours', 'once', 'a-word-of-tomorrow'],
  limits: { cards: 1000, passcodes: 150, passcodeDigits: [4, 9], hours: 8, holidays: 2 },
  credentials: { count: 0, digest: 'e3b0c44298fc1c14' },
};
const able = { cards: true, passcodes: true, hours: true, once: true };
const unable = { cards: true, passcodes: false, hours: false, once: false };

let site: Site;
const locks: { readonly lockId: number; readonly deviceId: string; readonly deviceKey: string }[] = [];
const open: HandLock[] = [];

beforeAll(async () => {
  site = await openSite({ flags: ['--time-zone', 'Australia/Lord_Howe'], locks: [{ features: ['credentials', 'hours', 'once'] }, {}] });
  for (const lockMac of ['02:CC:00:00:00:01', '02:CC:00:00:00:02']) {
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac, lockName: `hand ${lockMac}` } });
    locks.push(body);
  }
});
afterAll(async () => {
  for (const lock of open) await lock.end();
  await site.close();
});

async function connected(index: number): Promise<HandLock> {
  const { deviceId = '', deviceKey = '' } = locks[index] ?? {};
  const lock = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId, deviceKey });
  open.push(lock);
  // It answers what the gateway sends of its own accord, as any lock does.
  lock.client.on('message', (_topic, payload) => {
    const { id, op } = JSON.parse(payload.toString()) as { id: string; op: string };
    if (op.startsWith('set-')) void lock.publish('reply', { id, ok: true }).catch(() => undefined);
  });
  return lock;
}

async function capabilitiesOf(lockId: number | undefined): Promise<unknown> {
  const { body } = await site.api('GET', '/api/v1/gateway/locks', { query: { pageSize: 1000 } });
  return body.list.find((lock) => lock.lockId === lockId)?.['capabilities'];
}

async function whenAble(lockId: number | undefined, passcodes: boolean): Promise<void> {
  await until(async () => ((await capabilitiesOf(lockId)) as { passcodes: boolean }).passcodes === passcodes, `passcodes are ${passcodes}`);
}

/** The 4 next changes of the clock there, by its published rule: half an hour, at 2 in the morning of a Sunday in April and October. */
function nextChanges(now: number): { at: number; offset: number }[] {
  const firstSunday = (year: number, month: number) => {
    const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
    return Date.UTC(year, month, 1 + ((7 - first) % 7));
  };
  const thisYear = new Date(now).getUTCFullYear();
  return [0, 1, 2, 3]
    .flatMap((years) => [
      { at: firstSunday(thisYear + years, 3) + 2 * 3_600_000 - 11 * 3_600_000, offset: 37_800_000 },
      { at: firstSunday(thisYear + years, 9) + 2 * 3_600_000 - 10.5 * 3_600_000, offset: 39_600_000 },
    ])
    .filter(({ at }) => at > now)
    .slice(0, 4);
}

test('a lock that says what it can do is shown so, gets local time ahead, and is remembered over kill -9', async () => {
  const lockId = locks[0]?.lockId;
  expect(await capabilitiesOf(lockId)).toMatchObject(unable);
  const lock = await connected(0);
  await lock.hello(said);
  await whenAble(lockId, true);
  expect(await capabilitiesOf(lockId)).toMatchObject(able);
  await until(() => lock.commands.some(({ op }) => op === 'set-calendar'), 'the calendar comes');
  const { args } = lock.commands.find(({ op }) => op === 'set-calendar') ?? {};
  const transitions = nextChanges(Date.now());
  expect(args).toEqual({ offset: transitions[0]?.offset === 37_800_000 ? 39_600_000 : 37_800_000, transitions, holidays: [] });

  await site.kill9();
  await site.start();
  expect(await capabilitiesOf(lockId)).toMatchObject(able);

  // The same lock with the firmware of before.
  const older = await connected(0);
  await older.hello();
  await whenAble(lockId, false);
  expect(await capabilitiesOf(lockId)).toMatchObject(unable);
});

test('a lock of the first version is not sent what it does not know', async () => {
  const lock = await connected(1);
  await lock.hello({ date: 1 });
  await until(() => lock.commands.some(({ op }) => op === 'set-clock'), 'the time comes');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(lock.commands.filter(({ op }) => op === 'set-calendar' || op.endsWith('-credentials'))).toEqual([]);
});

test('a hello whose limits are none is set aside, and the lock is not online', async () => {
  const lock = await connected(1);
  await lock.hello({ ...said, limits: { passcodes: '150' } });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { body } = await site.api('GET', '/api/v1/gateway/locks', { query: { pageSize: 1000 } });
  expect(body.list.find(({ lockId }) => lockId === locks[1]?.lockId)?.online).toBe(false);
});

test('simulated locks of both kinds have the local time of the building, or what set-clock says', async () => {
  await until(() => site.lock(1).memory.calendar !== undefined, 'the lock has a calendar');
  expect(site.lock(1).memory.calendar).toMatchObject({ transitions: nextChanges(Date.now()) });
  expect(site.lock(2).memory.calendar).toBeUndefined();
  await whenAble(site.lockId(1), true);
  expect(await capabilitiesOf(site.lockId(2))).toMatchObject(unable);
});

test('holidays and hours that people decide are on the lock, and the lock shuts by them', async () => {
  const lock = site.lock(1);
  const daily = [{ days: [1, 2, 3, 4, 5, 6, 7], from: 0, to: 1440 }];
  const schedule = await site.api('POST', '/api/v1/access/schedules', { body: { name: 'Daily', hours: daily } });
  const person = await site.api('POST', '/api/v1/access/people', { body: { name: 'Erika M.' } });
  const { personId } = person.body as unknown as { personId: number };
  const made = await site.api('POST', `/api/v1/access/people/${personId}/credentials`, { body: { kind: 'passcode', digits: 6 } });
  const { passcode } = made.body as unknown as { passcode: string };
  const grant = {
    lockIds: [site.lockId(1), site.lockId(2)],
    groupIds: [],
    startDate: 0,
    endDate: 0,
    scheduleId: schedule.body['scheduleId'],
  };
  const { status, body } = await site.api('POST', `/api/v1/access/people/${personId}/grants`, { body: grant });
  const warned = (message: string) => ({ lockId: site.lockId(2), code: 'not-supported', message });
  expect([status, body['warnings']]).toEqual([201, [warned('has no keypad'), warned('has no schedules')]]);
  await until(() => lock.memory.passcodes.length === 1, 'the code is on the lock');
  expect(lock.memory.passcodes).toMatchObject([{ number: passcode, hours: '1234567:0-1440' }]);
  expect(await lock.enterPasscode(passcode)).toEqual({ done: true });

  const localDay = (inDays: number) => {
    const there = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Australia/Lord_Howe', dateStyle: 'short' });
    return there.format(Date.now() + inDays * 86_400_000);
  };
  const dates = [localDay(-30), localDay(0), localDay(1)];
  expect((await site.api('PUT', '/api/v1/access/holidays', { body: { dates } })).status).toBe(200);
  await until(() => lock.memory.calendar?.holidays.length === 2, 'the holidays are on the lock');
  expect(lock.memory.calendar?.holidays).toEqual(dates.slice(1));
  expect(await lock.enterPasscode(passcode)).toEqual({ done: false, reason: 'schedule' });
  expect(site.lock(2).memory.passcodes).toEqual([]);
});

test('an edited schedule reaches the passcodes that were put on a lock with it', async () => {
  const lock = site.lock(1);
  const office = { name: 'Office', hours: [{ days: [1, 2, 3, 4, 5], from: 480, to: 1080 }] };
  const { scheduleId } = (await site.api('POST', '/api/v1/access/schedules', { body: office })).body as unknown as { scheduleId: number };
  const given = { lockId: site.lockId(1), addType: 2, keyboardPwdType: 2, keyboardPwd: '482913', scheduleId };
  const { keyboardPwdId } = (await site.api('POST', '/api/v1/passcode/add', { query: given })).body as unknown as { keyboardPwdId: number };
  const hours = () => lock.memory.passcodes.find(({ number }) => number === '482913')?.hours;
  expect(hours()).toBe('12345:480-1080');
  const path = `/api/v1/access/schedules/${scheduleId}`;
  expect((await site.api('PUT', path, { body: { hours: [{ days: [1], from: 480, to: 720 }] } })).status).toBe(200);
  await until(() => hours() === '1:480-720', 'the lock has the new hours');
  expect((await site.api('DELETE', path)).body).toMatchObject({ code: 'conflict' });
  const gone = await site.api('DELETE', '/api/v1/passcode/delete', { query: { lockId: site.lockId(1), keyboardPwdId, deleteType: 2 } });
  expect([gone.status, (await site.api('DELETE', path)).status]).toEqual([200, 200]);
});
