// What accounts are told, over receivers and a clock that the test sets: whom, of what, how often, for how long, and what is left of it.
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { ChannelChoice } from '../../../src/domain/notifications/notification.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { arrived, nobody } from '../../support/fake-messages.ts';
import { settled } from '../../support/settable-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const { administrator: ada } = callers;
const topic: ChannelChoice = { to: 'doors', alarms: true, events: ['unlock', 'refused'], lockIds: [], groupIds: [] };

/** A domain in which ada, who administers both locks, is told by ntfy. */
async function setUp(choice: Partial<ChannelChoice> = {}) {
  const world = await createDomain();
  const { notifications, messages, clock, records } = world;
  await notifications.start();
  await notifications.change(ada, { ntfy: { ...topic, ...choice } });
  let seq = 0;
  async function swipe(lock: LockId, username: string, success = true): Promise<void> {
    seq += 1;
    const event = { seq, type: 'card-unlock', success, credential: '4711', username, lockDate: clock.now(), serverDate: clock.now() };
    await records.append(lock, 'e', [event]);
    await settled();
  }
  const titles = () => messages.all.map(({ title }) => title);
  const view = () => notifications.get(ada).ntfy;
  const failures = (caller: Caller = ada, whose: 'own' | 'all' = 'own') =>
    notifications.failures(caller, whose, { pageNo: 1, pageSize: 10 }).list;
  return { ...world, swipe, titles, view, failures };
}

describe('an account', () => {
  test('is told at once, and then once a minute of each kind: the rest in one message with a count', async () => {
    const { swipe, titles, clock, messages, alarms } = await setUp();
    await swipe(lockId, 'Maria');
    expect(titles()).toEqual([expect.stringMatching(/: unlocked by Maria$/)]);
    for (let n = 0; n < 9; n++) await swipe(lockId, `P${n}`);
    await swipe(otherLockId, 'Eve', false);
    alarms.raise('tampered', lockId, { reason: 'x' });
    await clock.advance(10_000);
    expect(titles().slice(1)).toEqual([
      expect.stringMatching(/: refused somebody by Eve$/),
      expect.stringMatching(/: somebody tampered with it$/),
    ]);
    expect(messages.all.map(({ isUrgent }) => isUrgent)).toEqual([false, false, true]);
    await clock.advance(minute);
    expect(messages.all).toHaveLength(4);
    expect(messages.all[3]).toMatchObject({ to: 'doors', title: expect.stringMatching(/by P0 \(\+8\)$/) });
    expect(messages.all[3]?.text).toContain('and 4 more: unlocked');
    expect(JSON.stringify(messages.all)).not.toContain('4711');
  });

  test('is told of nothing that it has not chosen, or may not hear of when the message is sent', async () => {
    const { swipe, titles, clock, locks, messages } = await setUp({ events: ['refused'], lockIds: [lockId] });
    await swipe(lockId, 'Maria');
    await swipe(otherLockId, 'Eve', false);
    expect(titles()).toEqual([]);
    messages.answer = () => nobody;
    await swipe(lockId, 'Eve', false);
    expect(titles()).toHaveLength(1);
    await locks.update(lockId, (lock) => ({ ...lock, administrator: callers.manager.accountId }));
    messages.answer = () => arrived;
    await clock.advance(hour);
    expect(titles()).toHaveLength(1);
  });

  test('that is removed is told nothing more', async () => {
    const { notifications, accountService, alarms, clock, messages } = await setUp();
    const eve = await accountService.createAccount(callers.admin, 'eve', { gatewayAdministrator: true, accessManager: false });
    await notifications.change(eve, { ntfy: { ...topic, to: 'eve' } });
    await accountService.removeAccount(callers.admin, 'eve');
    alarms.raise('backup-failing', null, { reason: 'x' });
    await clock.advance(hour);
    expect(messages.all.filter(({ to }) => to === 'eve')).toEqual([]);
    expect(notifications.stats().accounts).toBe(1);
  });

  test('is told nothing more once a gateway administrator has ended it, by whatever channel, and chooses anew', async () => {
    const { notifications, swipe, titles, clock } = await setUp();
    await notifications.change(ada, { email: { ...topic, to: 'thief@example.org' } });
    const before = titles().length;
    expect(await codeOf(() => notifications.endOf(ada, ada.username))).toBe('forbidden');
    expect(await codeOf(() => notifications.endOf(callers.admin, 'nobody'))).toBe('not-found');
    await notifications.endOf(callers.admin, ada.username);
    expect(notifications.get(ada)).toMatchObject({ email: null, ntfy: null });
    await swipe(lockId, 'Maria');
    await clock.advance(hour);
    expect(titles()).toHaveLength(before);
    await notifications.change(ada, { ntfy: topic });
    await swipe(lockId, 'Later');
    expect(titles().at(-1)).toMatch(/by Later$/);
  });

  test('sees its own failures; administrators of the gateway see all of them', async () => {
    const { swipe, messages, clock, failures, view } = await setUp();
    messages.answer = () => nobody;
    await swipe(lockId, 'Maria');
    const begun = clock.now();
    await clock.advance(25 * hour);
    expect(failures()).toMatchObject([
      { username: ada.username, channel: 'ntfy', kind: 'unlock', at: begun, count: 1, reason: nobody.reason },
    ]);
    expect(failures(callers.admin, 'all')).toEqual(failures());
    expect(failures(callers.admin)).toEqual([]);
    expect(await codeOf(async () => failures(ada, 'all'))).toBe('forbidden');
    expect(view()).toMatchObject({ waiting: 0, failure: nobody.reason });
    messages.answer = () => arrived;
    await swipe(lockId, 'Later');
    expect(messages.all.at(-1)?.title).toMatch(/by Later$/);
    expect(view()).toMatchObject({ failure: '' });
  });

  test('is not told where the operator keeps a secret; gateway administrators and the log are', async () => {
    const { swipe, messages, clock, events, failures, view, notifications } = await setUp();
    const logged: string[] = [];
    events.subscribe('notifications-failing', ({ reason }) => void logged.push(reason));
    const operatorReason = 'not sent: the token file /etc/latchd/ntfy.token cannot be read (EACCES)';
    messages.answer = () => ({ ...nobody, operatorReason });
    await swipe(lockId, 'Maria');
    expect(view()).toMatchObject({ failure: nobody.reason });
    expect(logged).toEqual([operatorReason]);
    expect(await notifications.test(ada, 'ntfy')).toMatchObject({ reason: nobody.reason });
    await clock.advance(25 * hour);
    expect(failures()).toMatchObject([{ reason: nobody.reason }]);
    await notifications.change(callers.admin, { ntfy: { ...topic, to: 'gateway' } });
    expect(await notifications.test(callers.admin, 'ntfy')).toMatchObject({ reason: operatorReason });
    expect(notifications.get(callers.admin).ntfy).toMatchObject({ failure: operatorReason });
  });
});

describe('an e-mail address', () => {
  const choice = { ...topic, to: 'erika@example.org' };
  const secretIn = (text: string | undefined): string => /notifications\/(\S+)/.exec(text ?? '')?.[1] ?? '';

  test('counts after its link was confirmed by the account that gave it, once, within a day', async () => {
    const { notifications, messages, swipe, clock } = await setUp({ events: [] });
    await notifications.change(ada, { email: choice });
    expect(messages.all).toMatchObject([{ to: choice.to, title: 'Confirm this address' }]);
    const secret = secretIn(messages.all[0]?.text);
    await swipe(lockId, 'Maria');
    await clock.advance(hour);
    expect(await codeOf(() => notifications.test(ada, 'email'))).toBe('conflict');
    expect(messages.all).toHaveLength(1);
    expect(await codeOf(() => notifications.confirm(callers.manager, secret))).toBe('not-found');
    expect(await codeOf(() => notifications.confirm(ada, `${secret}x`))).toBe('not-found');
    expect((await notifications.confirm(ada, secret)).email).toMatchObject({ isConfirmed: true });
    expect(await codeOf(() => notifications.confirm(ada, secret))).toBe('not-found');
    await swipe(lockId, 'Later');
    expect(messages.all.slice(1)).toMatchObject([{ to: choice.to, title: expect.stringMatching(/by Later$/) }]);

    // Other locks of the same address need no new confirmation, another address does.
    expect((await notifications.change(ada, { email: { ...choice, lockIds: [lockId] } })).email?.isConfirmed).toBe(true);
    expect((await notifications.change(ada, { email: { ...choice, to: 'other@example.org' } })).email?.isConfirmed).toBe(false);
    await clock.advance(25 * hour);
    expect(await codeOf(() => notifications.confirm(ada, secretIn(messages.all.at(-1)?.text)))).toBe('not-found');
  });

  test('cannot be used to flood a stranger', async () => {
    const { notifications, clock } = await setUp();
    const ask = (n: number) => codeOf(() => notifications.change(ada, { email: { ...choice, to: `x${n}@example.org` } }));
    for (let n = 0; n < 5; n++) expect(await ask(n)).toBe('done');
    expect(await ask(5)).toBe('rate-limited');
    await clock.advance(minute + 1_000);
    expect(await ask(6)).toBe('done');
  });
});

test('a mail server that does not answer holds up what one account chooses, and no other account', async () => {
  const { notifications, messages } = await setUp();
  let answer: (attempt: typeof arrived) => void = () => undefined;
  messages.answer = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const slow = notifications.change(ada, { email: { ...topic, to: 'erika@example.org' } });
  await settled();
  let isDone = false;
  const other = notifications.change(callers.manager, { ntfy: { ...topic, to: 'other' } }).then(() => {
    isDone = true;
  });
  await settled();
  expect(isDone).toBe(true);
  answer(arrived);
  await Promise.all([slow, other]);
});

describe('over restarts', () => {
  test('each of those who are told begins in a turn of its own: all active alarms are looked at for each', async () => {
    const { notifications, createNotifications } = await setUp();
    await notifications.change(callers.manager, { ntfy: { ...topic, to: 'other' } });
    await notifications.stop();
    const begun: number[] = [];
    const next = createNotifications(async () => void begun.push(next.stats().accounts));
    await next.start();
    expect(begun).toEqual([1, 2]);
    await next.stop();
  });

  test('what happened before a crash and while the gateway was off is told after the next start, alarms too', async () => {
    const { swipe, messages, notifications, createNotifications, clock, alarms, titles } = await setUp();
    messages.answer = () => new Promise(() => undefined);
    await swipe(lockId, 'Maria');
    alarms.raise('tampered', lockId, { reason: 'x' });
    await clock.advance(10_000);
    const before = titles().length;
    expect(before).toBe(2);
    await notifications.stop();
    await swipe(lockId, 'Meanwhile');
    alarms.raise('jammed', otherLockId, { reason: 'x' });
    await clock.advance(10_000);
    messages.answer = () => arrived;
    const next = createNotifications();
    await next.start();
    await clock.advance(2 * minute);
    const after = messages.all.slice(before);
    expect(after.find(({ title }) => title.includes('Maria'))?.text).toContain('Meanwhile');
    // The same message again has the same id.
    expect(after.find(({ title }) => title.includes('Maria'))?.id).toBe(messages.all[0]?.id);
    expect(after.map(({ text }) => text).join()).toContain('somebody tampered with it');
    expect(after.map(({ text }) => text).join()).toContain('bolt is jammed');
    const told = messages.all.length;
    await next.stop();
    const third = createNotifications();
    await third.start();
    await clock.advance(hour);
    expect(messages.all).toHaveLength(told);
    await third.stop();
    expect(clock.timers()).toBe(0);
  });

  test('what cannot be read from the log is told when it can be read', async () => {
    const { swipe, notifications, createNotifications, storage, clock, titles } = await setUp();
    await notifications.stop();
    await swipe(lockId, 'Maria');
    storage.fails = (what) => what === 'records.since';
    const next = createNotifications();
    await next.start();
    await clock.advance(4_000);
    expect(titles()).toEqual([]);
    storage.fails = () => false;
    await clock.advance(5_000);
    expect(titles()).toEqual([expect.stringMatching(/by Maria$/)]);
    await next.stop();
  });
});

test('a lock on which the account has no role cannot be chosen', async () => {
  const { notifications } = await setUp();
  const choose = (caller: Caller, lock: LockId) => codeOf(() => notifications.change(caller, { ntfy: { ...topic, lockIds: [lock] } }));
  expect(await choose(ada, 99 as LockId)).toBe('lock-not-found');
  expect(await choose(callers.stranger, lockId)).toBe('forbidden');
});
