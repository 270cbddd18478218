// The callback of a TTLock login: it has a webhook exactly while its login says so, and gets forms of records, in order.
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { CallbackOfLogin } from '../../../src/domain/webhooks/ttlock-callbacks.ts';
import type { WebhookPost } from '../../../src/domain/webhooks/webhook-ports.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { refused, taken, unreachable } from '../../support/fake-receiver.ts';
import { settled } from '../../support/settable-clock.ts';

const url = 'http://10.0.0.7/callback';
const hour = 3_600_000;
const { administrator: ada } = callers;
const login: CallbackOfLogin = { loginId: 3, accountId: ada.accountId, name: 'Home', callback: url };

async function setUp() {
  const world = await createDomain();
  const { webhooks, logins, receiver, clock, records } = world;
  await webhooks.start();
  /** Stores the login as a store would, unless `fails`. */
  async function decide(changes: Partial<CallbackOfLogin> = {}, fails = false): Promise<void> {
    const next = { ...login, ...changes };
    await webhooks.setCallback(next, async () => {
      if (fails) throw new Error('the disk is full');
      const others = logins.filter(({ loginId }) => loginId !== next.loginId);
      logins.splice(0, logins.length, ...others, next);
    });
  }
  const seqs = new Map<LockId, number>();
  async function append(lock: LockId, types: readonly string[]): Promise<void> {
    for (const type of types) {
      const seq = (seqs.get(lock) ?? 0) + 1;
      seqs.set(lock, seq);
      const event = { seq, type, success: true, credential: '4711', username: '', lockDate: clock.now(), serverDate: clock.now() };
      await records.append(lock, 'e', [event]);
    }
    await settled();
  }
  const listed = async () => (await webhooks.list(ada, { pageNo: 1, pageSize: 60 })).list;
  const recordsIn = ({ body }: WebhookPost) => JSON.parse(new URLSearchParams(body).get('records') ?? '');
  /** The ids of the records in each request of a lock. */
  const sent = (lock: LockId = lockId): number[][] =>
    receiver.posts
      .filter(({ body }) => new URLSearchParams(body).get('lockId') === String(lock))
      .map((post) => recordsIn(post).map(({ recordId }: { recordId: number }) => recordId));
  return { ...world, decide, append, listed, recordsIn, sent };
}

const many = (count: number): string[] => Array.from({ length: count }, () => 'card-unlock');
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('a callback', () => {
  test('gets a form with what programs of the cloud read, with no passcode, and nothing of what has no number', async () => {
    const { decide, append, receiver, statuses, recordsIn } = await setUp();
    await decide();
    statuses.patch(lockId, { batteryPercent: 83 });
    await settled();
    expect(receiver.posts).toEqual([]);
    await append(lockId, ['low-battery', 'duress', 'a word of its own']);
    expect(receiver.posts).toEqual([]);
    await append(lockId, ['passcode-unlock']);
    const [post] = receiver.posts as [WebhookPost];
    expect(post).toMatchObject({ url, secret: '', type: 'record', deliveryId: 'record-4' });
    expect(Object.fromEntries(new URLSearchParams(post.body))).toEqual({
      ...{ lockId: '7', notifyType: '1', admin: 'ada', lockMac: 'A4:C1:38:7F:02:E7' },
      records: expect.any(String),
    });
    const dates = { lockDate: expect.any(Number), serverDate: expect.any(Number) };
    expect(recordsIn(post)).toEqual([
      {
        ...{ recordId: 4, lockId: 7, lockMac: 'A4:C1:38:7F:02:E7', electricQuantity: 83, ...dates },
        ...{ recordTypeFromLock: 4, recordType: 4, success: 1, keyboardPwd: '****', username: null },
      },
    ]);
  });

  test('gets the records of a lock in order, at most 20 in a request, and a jam only as the last in one', async () => {
    const { decide, append, receiver, sent } = await setUp();
    await decide();
    const release: (() => void)[] = [];
    receiver.answer = () => new Promise((resolve) => release.push(() => resolve(taken)));
    await append(lockId, many(48));
    await append(otherLockId, ['door-open', 'low-battery', 'door-close', 'jammed', 'low-battery', 'door-open', 'jammed', 'low-battery']);
    receiver.answer = () => taken;
    for (const one of release) one();
    await settled();
    expect(sent()).toEqual([[1], range(2, 21), range(22, 41), range(42, 48)]);
    expect(sent(otherLockId)).toEqual([[49], [51, 52], [54, 55]]);
  });

  test('that was away gets all that it missed, the oldest first, and holds up no other lock', async () => {
    const { decide, append, receiver, clock, sent } = await setUp();
    await decide();
    receiver.answer = ({ body }) => (body.startsWith('lockId=7') ? unreachable : taken);
    await append(lockId, ['card-unlock', 'jammed', 'low-battery', ...many(150)]);
    await append(otherLockId, many(3));
    expect(sent(otherLockId).flat()).toEqual([154, 155, 156]);
    receiver.answer = () => taken;
    await clock.advance(hour);
    const ids = [...new Set(sent().flat())];
    expect(ids).toEqual([1, 2, ...range(4, 153)]);
    expect(sent().every((some) => some.length <= 20 && (!some.includes(2) || some.at(-1) === 2))).toBe(true);
  });

  test('fails as a webhook does: what was given up after a day is kept record by record, and each can be sent again', async () => {
    const { decide, append, receiver, clock, webhooks, listed, recordsIn, sent } = await setUp();
    await decide();
    receiver.answer = () => refused;
    await append(lockId, ['card-unlock', 'low-battery', ...many(4)]);
    await clock.advance(20 * hour);
    await append(lockId, many(2));
    await clock.advance(5 * hour);
    const [view] = await listed();
    expect(view).toMatchObject({ failed: 5, webhook: { name: 'Home', loginId: 3 } });
    const webhookId = view?.webhook.webhookId as never;
    const failed = (await webhooks.deliveries(ada, webhookId, { pageNo: 1, pageSize: 50 })).list.filter(
      ({ progress }) => progress === 'failed',
    );
    expect(failed.map(({ id }) => id).sort()).toEqual(['record-1', 'record-3', 'record-4', 'record-5', 'record-6']);
    receiver.answer = () => taken;
    await clock.advance(hour);
    expect(sent().at(-1)).toEqual([7, 8]);
    expect(await webhooks.replay(ada, webhookId, 'record-3')).toEqual(taken);
    expect(recordsIn(receiver.posts.at(-1) as WebhookPost)).toMatchObject([{ recordId: 3, recordType: 7 }]);
    expect(await listed()).toMatchObject([{ failed: 4 }]);
    expect(await webhooks.test(ada, webhookId)).toEqual(taken);
    expect(Object.fromEntries(new URLSearchParams(receiver.posts.at(-1)?.body))).toEqual({
      ...{ lockId: '0', notifyType: '1', admin: 'ada', lockMac: '', records: '[]' },
    });
  });

  test('gets what its account may hear at the moment of sending', async () => {
    const { decide, append, receiver, locks, clock, sent } = await setUp();
    await decide({ accountId: callers.manager.accountId });
    receiver.answer = () => refused;
    await append(lockId, many(3));
    await locks.update(lockId, (lock) => ({ ...lock, roles: [] }));
    receiver.answer = () => taken;
    await clock.advance(hour);
    expect(receiver.taken()).toEqual([]);
    await locks.update(lockId, (lock) => ({ ...lock, roles: [{ accountId: callers.manager.accountId, role: 'manager' }] }));
    await append(lockId, many(1));
    expect(sent().at(-1)).toEqual([4]);
    await locks.update(lockId, (lock) => ({ ...lock, roles: [{ accountId: callers.manager.accountId, role: 'operator' }] }));
    await append(lockId, many(1));
    expect(sent().at(-1)).toEqual([4]);
  });
});

describe('the webhook of a login', () => {
  test('comes, changes and ends with the login, and can be nothing else', async () => {
    const { decide, append, receiver, webhooks, listed } = await setUp();
    await decide({ callback: null });
    expect(await listed()).toEqual([]);
    await decide();
    const [{ webhook }] = (await listed()) as [Awaited<ReturnType<typeof listed>>[number]];
    const { webhookId } = webhook;
    await decide({ name: 'Other', callback: `${url}/2` });
    expect(await listed()).toMatchObject([{ webhook: { webhookId, name: 'Other', url: `${url}/2` } }]);
    await append(lockId, many(1));
    expect(receiver.posts.map((post) => post.url)).toEqual([`${url}/2`]);
    for (const work of [
      () => webhooks.change(ada, webhookId, { url }),
      () => webhooks.change(ada, webhookId, { enabled: true, eventTypes: [] }),
      () => webhooks.change(ada, webhookId, { lockIds: [] }),
      () => webhooks.renewSecret(ada, webhookId),
      () => webhooks.remove(callers.admin, webhookId),
    ])
      expect(await codeOf(work)).toBe('conflict');
    expect((await webhooks.change(ada, webhookId, { enabled: false })).webhook.enabled).toBe(false);
    await append(lockId, many(1));
    // The callback is set again, so it is wanted again.
    await decide();
    await append(lockId, many(1));
    expect(receiver.posts.map((post) => [post.url, post.deliveryId])).toEqual([
      [`${url}/2`, 'record-1'],
      [url, 'record-3'],
    ]);
    await decide({ callback: null });
    await append(lockId, many(1));
    expect([await listed(), receiver.posts.length]).toEqual([[], 2]);
  });

  test('is as before when the login could not be stored, and when there is no place or no way', async () => {
    const { decide, append, listed, receiver, storage, webhooks, logins } = await setUp();
    await expect(decide({}, true)).rejects.toThrow('the disk is full');
    expect(await listed()).toEqual([]);
    await decide();
    const before = (await listed()).map(({ webhook }) => webhook);
    for (const changes of [{ callback: `${url}/2` }, { callback: null }]) {
      await expect(decide(changes, true)).rejects.toThrow('the disk is full');
      expect((await listed()).map(({ webhook }) => webhook)).toEqual(before);
    }
    storage.fails = (write) => write === 'webhooks.add';
    expect(await codeOf(() => decide({ loginId: 4 }))).toBe('storage-unavailable');
    storage.fails = () => false;
    expect(logins.map(({ loginId }) => loginId)).toEqual([3]);
    expect(await codeOf(() => decide({ loginId: 4, callback: 'ftp://10.0.0.7/' }))).toBe('invalid-parameter');
    for (let n = 0; n < 9; n++) await webhooks.create(ada, { name: 'x', url, eventTypes: ['alarm'], lockIds: [] });
    expect(await codeOf(() => decide({ loginId: 4 }))).toBe('conflict');
    await append(lockId, many(1));
    expect(receiver.posts.map((post) => post.url)).toEqual([url]);
  });

  test('is what the login says after a crash in between, whichever was on the disk', async () => {
    const { decide, append, receiver, webhooks, webhookStore, createWebhooks, logins, accounts } = await setUp();
    await decide();
    await decide({ loginId: 4, callback: `${url}/4` });
    await decide({ loginId: 5, callback: `${url}/5` });
    await webhooks.stop();
    const idOf = async (loginId: number) =>
      (await webhookStore.all()).find(({ webhook }) => webhook.loginId === loginId)?.webhook.webhookId;
    // Of 3 the login was changed, of 4 removed; the webhook of 5 was set aside as damaged.
    logins.splice(0, 2, { ...login, callback: `${url}/new` });
    await webhookStore.remove((await idOf(5)) as never);
    const next = createWebhooks();
    await next.start();
    await append(lockId, many(1));
    expect(receiver.posts.map((post) => post.url).sort()).toEqual([`${url}/5`, `${url}/new`]);
    expect(await idOf(4)).toBeUndefined();
    await accounts.remove(ada.accountId, 1);
    await settled();
    expect(await webhookStore.all()).toEqual([]);
    await next.stop();
  });

  test('that a full disk kept from being corrected sends nothing', async () => {
    const { decide, append, receiver, webhooks, createWebhooks, logins, storage, webhookStore } = await setUp();
    await decide();
    await webhooks.stop();
    logins.splice(0, 1);
    storage.fails = (write) => write.startsWith('webhooks.');
    const next = createWebhooks();
    await next.start();
    await append(lockId, many(1));
    expect([receiver.posts, (await webhookStore.all()).length]).toEqual([[], 1]);
    await next.stop();
  });
});
