// Webhooks over a receiver and a clock that the test sets: what comes, in which order, how often, for how long, and what is left of it.
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { NewWebhook } from '../../../src/domain/webhooks/webhook.ts';
import type { WebhookPost } from '../../../src/domain/webhooks/webhook-ports.ts';
import type { Webhooks } from '../../../src/domain/webhooks/webhook-service.ts';
import { callers, codeOf, createDomain, lockId, otherLockId, stays } from '../../support/domain.ts';
import { type FakeReceiver, refused, taken, unreachable } from '../../support/fake-receiver.ts';
import { settled } from '../../support/settable-clock.ts';

const hour = 3_600_000;
const url = 'http://10.0.0.7/doors';
const { administrator: ada } = callers;

/** A domain with one webhook of ada's, who administers both locks. */
async function setUp(options: Partial<NewWebhook> = {}) {
  const world = await createDomain();
  const { webhooks, receiver, clock } = world;
  await webhooks.start();
  const { webhookId } = await webhooks.create(ada, { name: 'x', url, eventTypes: ['record'], lockIds: [], ...options });
  const seqs = new Map<LockId, number>();
  /** Appends so many records and resolves with their delivery ids. */
  async function append(lock: LockId, count: number): Promise<string[]> {
    const first = world.records.newest() + 1;
    for (let n = 0; n < count; n++) {
      const seq = (seqs.get(lock) ?? 0) + 1;
      seqs.set(lock, seq);
      const event = { seq, type: 'tamper', success: true, credential: '', username: '', lockDate: clock.now(), serverDate: clock.now() };
      await world.records.append(lock, 'e', [event]);
    }
    await settled();
    return Array.from({ length: count }, (_, n) => `record-${first + n}`);
  }
  /** Nothing of what it has not kept is left. */
  async function kill(running: Webhooks): Promise<void> {
    world.storage.fails = (write) => write === 'webhooks.update';
    await running.stop();
    world.storage.fails = () => false;
  }
  const view = async () => (await webhooks.list(ada, { pageNo: 1, pageSize: 10 })).list[0];
  const deliveries = async () => (await webhooks.deliveries(ada, webhookId, { pageNo: 1, pageSize: 1_000 })).list;
  const lockOf = ({ body }: WebhookPost): unknown => JSON.parse(body).lockId;
  return { ...world, webhookId, append, kill, view, deliveries, lockOf, receiver };
}

/** The types of what was taken, each once. */
const typesTaken = ({ posts, taken: ids }: FakeReceiver): string[] => {
  const types = new Map(posts.map(({ deliveryId, type }) => [deliveryId, type]));
  return once(ids()).map((id) => types.get(id) ?? '');
};
/** In the order in which each came first. */
const once = (ids: readonly string[]): string[] => [...new Set(ids)];

describe('deliveries', () => {
  test('come in the order of each lock; what is refused holds up its own lock alone', async () => {
    const { append, receiver, clock, lockOf } = await setUp();
    receiver.answer = (post) => (lockOf(post) === lockId ? refused : taken);
    const [held, passed] = [await append(lockId, 3), await append(otherLockId, 3)];
    await clock.advance(60_000);
    expect(receiver.taken()).toEqual(passed);
    expect(once(receiver.posts.filter((post) => lockOf(post) === lockId).map(({ deliveryId }) => deliveryId))).toEqual(held.slice(0, 1));
    receiver.answer = () => taken;
    held.push(...(await append(lockId, 2)));
    await clock.advance(hour);
    expect(receiver.taken()).toEqual([...passed, ...held]);
  });

  test('are tried after 5 s, 10 s, 20 s and so on, at most half an hour, for 24 hours; then kept, and the next one goes on', async () => {
    const { append, receiver, clock, view, deliveries, webhooks, webhookId, notices } = await setUp();
    const begun = clock.now();
    const times: number[] = [];
    receiver.answer = ({ deliveryId }) => {
      if (deliveryId !== 'record-1') return taken;
      times.push((clock.now() - begun) / 1_000);
      return refused;
    };
    const [first, second] = await append(lockId, 2);
    await clock.advance(23 * hour);
    expect(times.slice(0, 11)).toEqual([0, 5, 15, 35, 75, 155, 315, 635, 1_275, 2_555, 4_355]);
    expect(receiver.taken()).toEqual([]);
    expect(await deliveries()).toMatchObject([{ id: first, progress: 'waiting', status: 500, attempts: times.length }]);
    expect(await view()).toMatchObject({ waiting: 2, failed: 0, failingSince: begun });
    await clock.advance(2 * hour);
    expect(times.at(-1)).toBeGreaterThanOrEqual(86_400);
    expect(times.at(-1)).toBeLessThan(86_400 + 1_801);
    expect(receiver.taken()).toEqual([second]);
    await clock.advance(5_000);
    expect(await view()).toMatchObject({ waiting: 0, failed: 1, failingSince: null });
    expect((await deliveries()).map(({ id, progress }) => [id, progress])).toEqual([
      [second, 'delivered'],
      [first, 'failed'],
    ]);
    expect(notices.filter(({ kind }) => /webhook|deliveries/.test(kind))).toMatchObject([
      { kind: 'webhook-failing', webhookId, status: 500, reason: 'answered 500' },
      { kind: 'webhook-works' },
      { kind: 'deliveries-failed', count: 1 },
    ]);

    expect(await webhooks.replay(ada, webhookId, 'record-1')).toEqual(refused);
    expect(await view()).toMatchObject({ failed: 1 });
    receiver.answer = () => taken;
    expect(await webhooks.replay(ada, webhookId, 'record-1')).toEqual(taken);
    expect(receiver.taken()).toEqual([second, first]);
    expect(await view()).toMatchObject({ failed: 0 });
    expect(await codeOf(() => webhooks.replay(ada, webhookId, 'record-1'))).toBe('not-found');
  });

  test('that waited for more than a day are given up with one attempt, the last 200 of them are stored, and those of the last day come in order', async () => {
    const { append, receiver, clock, view } = await setUp();
    receiver.answer = () => unreachable;
    await append(lockId, 350);
    await clock.advance(30 * hour);
    const late = await append(lockId, 250);
    await clock.advance(hour);
    expect(await view()).toMatchObject({ failed: 200, forgotten: 150 });
    expect(receiver.posts.length).toBeLessThan(90);
    receiver.answer = () => taken;
    await clock.advance(hour);
    expect(receiver.taken()).toEqual(late);
  });

  test('are not given up while the clock is suspect', async () => {
    const { append, receiver, clock, view, gatewayClock } = await setUp();
    receiver.answer = () => refused;
    const [id] = await append(lockId, 1);
    gatewayClock.isSuspect = true;
    clock.setNow(clock.now() + 400 * 24 * hour);
    await clock.advance(hour);
    gatewayClock.isSuspect = false;
    expect(await view()).toMatchObject({ waiting: 1, failed: 0 });
    receiver.answer = () => taken;
    await clock.advance(hour);
    expect(receiver.taken()).toEqual([id]);
  });

  test('that wait because nobody was there come as soon as one has got through', async () => {
    const { append, receiver, clock } = await setUp();
    receiver.answer = () => unreachable;
    const first = await append(lockId, 2);
    await clock.advance(3 * hour);
    receiver.answer = () => taken;
    const second = await append(otherLockId, 1);
    expect(receiver.taken()).toEqual([...second, ...first]);
  });

  test('wait in the record log: what a receiver that is away costs in memory is bounded', async () => {
    const { append, receiver, view } = await setUp();
    await settled();
    receiver.answer = () => new Promise(() => undefined);
    const ids = await append(lockId, 400);
    expect((await view())?.waiting).toBe(100);
    expect(receiver.posts).toHaveLength(1);
    expect(ids).toHaveLength(400);
  });

  test('of a receiver that hangs hold up nothing of another one of the same account, which has all in order', async () => {
    const { append, receiver, webhooks, reports, clock } = await setUp({ eventTypes: ['record', 'battery'] });
    const { webhookId } = await webhooks.create(ada, { name: 'quick', url, eventTypes: ['record', 'battery'], lockIds: [] });
    receiver.answer = (post) => (post.webhookId === webhookId ? taken : new Promise(() => undefined));
    const expected: string[] = [];
    for (const count of [1, 150, 3]) {
      expected.push(...(await append(lockId, count)));
      reports.battery(lockId, { level: count % 100 });
      await clock.advance(10_000);
    }
    expect(receiver.taken().filter((id) => id.startsWith('record'))).toEqual(expected);
    expect(receiver.taken()).toHaveLength(expected.length + 3);
    await webhooks.stop();
  });

  test('of alarms of the gateway end for an account that administers it no more', async () => {
    const { webhooks, receiver, alarms, accountService, clock } = await setUp();
    const eve = await accountService.createAccount(callers.admin, 'eve', { gatewayAdministrator: true, accessManager: false });
    await webhooks.create(eve, { name: 'x', url, eventTypes: ['alarm'], lockIds: [] });
    alarms.raise('backup-failing', null, { reason: 'x' });
    await clock.advance(10_000);
    expect(receiver.posts).toHaveLength(1);
    await accountService.setRights(callers.admin, 'eve', { gatewayAdministrator: false, accessManager: false });
    alarms.raise('clock-suspect', null, { reason: 'x' });
    await clock.advance(10_000);
    expect(receiver.posts).toHaveLength(1);
    await webhooks.stop();
  });

  test('at most four are under way at a time, and one of each lock', async () => {
    const { append, receiver } = await setUp();
    receiver.answer = () => new Promise(() => undefined);
    await append(lockId, 3);
    await append(otherLockId, 3);
    expect(receiver.posts.map(({ deliveryId }) => deliveryId)).toEqual(['record-1', 'record-4']);
  });

  test('of states are replaced by newer ones while they wait; those of records, alarms and cards are all sent', async () => {
    const { reports, receiver, clock, alarms, webhooks, webhookId } = await setUp({ eventTypes: [] });
    receiver.answer = () => refused;
    await settled();
    reports.battery(lockId, { level: 90 });
    for (const level of [80, 70, 60]) reports.battery(lockId, { level });
    alarms.raise('jammed', lockId, { reason: 'its bolt is jammed' });
    alarms.clear('jammed', lockId);
    await clock.advance(120_000);
    alarms.endGone();
    receiver.answer = () => taken;
    await clock.advance(hour);
    const types = receiver.posts.filter(({ deliveryId }) => receiver.taken().includes(deliveryId)).map(({ type }) => type);
    // The first one was refused, so it waited when the next one came.
    expect(once(receiver.taken())).toHaveLength(3);
    expect(once(types)).toEqual(['battery', 'alarm', 'alarm-ended']);
    await webhooks.remove(ada, webhookId);
  });

  test('that failed for good are kept although the disk took nothing when they did', async () => {
    const { append, receiver, clock, view, storage } = await setUp();
    receiver.answer = () => refused;
    await append(lockId, 1);
    storage.fails = (write) => write === 'webhooks.update';
    await clock.advance(25 * hour);
    expect(await view()).toMatchObject({ waiting: 0, failed: 0 });
    storage.fails = () => false;
    await clock.advance(10_000);
    expect(await view()).toMatchObject({ failed: 1 });
  });

  test('are not sent when the right has gone, or the filter has changed, while they wait', async () => {
    const { append, receiver, clock, webhooks, webhookId, locks } = await setUp();
    receiver.answer = () => refused;
    await append(lockId, 2);
    await append(otherLockId, 2);
    await locks.update(lockId, (lock) => ({ ...lock, administrator: callers.manager.accountId }));
    await webhooks.change(ada, webhookId, { eventTypes: ['alarm'], lockIds: [] });
    receiver.answer = () => taken;
    await clock.advance(hour);
    expect(receiver.taken()).toEqual([]);
  });

  test('of what another filter wants, and the one before did not, begin with its change', async () => {
    const { append, receiver, clock, webhooks, webhookId, alarms, records } = await setUp({
      eventTypes: ['alarm', 'record'],
      lockIds: [lockId],
    });
    receiver.answer = () => refused;
    const [first] = await append(lockId, 2);
    await append(otherLockId, 1);
    await webhooks.change(ada, webhookId, { eventTypes: ['alarm'], lockIds: [] });
    for (const lock of [lockId, otherLockId]) alarms.raise('jammed', lock, { reason: 'its bolt is jammed' });
    await clock.advance(10_000);
    await append(lockId, 150);
    await append(otherLockId, 1);
    await webhooks.change(ada, webhookId, { eventTypes: ['alarm', 'record'] });
    const late = [...(await append(lockId, 2)), ...(await append(otherLockId, 1))];
    receiver.answer = () => taken;
    await clock.advance(hour);
    expect(first).toBe('record-1');
    expect(records.newest()).toBe(157);
    expect(typesTaken(receiver).filter((type) => type === 'alarm')).toHaveLength(2);
    expect(
      receiver
        .taken()
        .filter((id) => id.startsWith('record-'))
        .sort(),
    ).toEqual(late.sort());
  });

  test('of states that another filter wants begin with its change, and those that both want are sent', async () => {
    const { reports, receiver, clock, webhooks, webhookId } = await setUp({ eventTypes: ['battery'] });
    receiver.answer = () => refused;
    for (const level of [90, 80]) reports.battery(lockId, { level });
    reports.state(lockId, { state: 'unlocked' });
    await clock.advance(10_000);
    await webhooks.change(ada, webhookId, { eventTypes: ['battery', 'state'] });
    receiver.answer = () => taken;
    await clock.advance(hour);
    expect(typesTaken(receiver)).toEqual(['battery']);
  });

  test('go on while the disk takes nothing, and a new URL and secret hold from the next attempt on', async () => {
    const { append, receiver, clock, storage, webhooks, webhookId } = await setUp();
    storage.fails = (write) => write === 'webhooks.update';
    const ids = await append(lockId, 3);
    await clock.advance(60_000);
    expect(receiver.taken()).toEqual(ids);
    storage.fails = () => false;
    receiver.answer = () => refused;
    await append(lockId, 1);
    await webhooks.change(ada, webhookId, { url: 'http://10.0.0.8/' });
    const { secret } = await webhooks.renewSecret(ada, webhookId);
    receiver.answer = () => taken;
    await clock.advance(60_000);
    expect(receiver.posts.at(-1)).toMatchObject({ url: 'http://10.0.0.8/', secret, attempt: expect.any(Number) });
  });
});

describe('over restarts', () => {
  test('an alarm that began, and one that ended, in a crash are told after the next start; others are not told again', async () => {
    const world = await setUp({ eventTypes: ['alarm', 'alarm-ended'] });
    const { receiver, clock, alarms, webhooks, createWebhooks, kill } = world;
    alarms.raise('tampered', lockId, { reason: 'x' });
    alarms.raise('jammed', otherLockId, { reason: 'x' });
    await clock.advance(10_000);
    const before = receiver.taken().length;
    expect(before).toBe(2);
    await kill(webhooks);
    alarms.raise('duress', lockId, { reason: 'x' });
    alarms.clear('jammed', otherLockId);
    await clock.advance(120_000);
    alarms.endGone();
    const next = createWebhooks();
    await next.start();
    await clock.advance(10_000);
    expect(receiver.posts.slice(before).map(({ type, body }) => [type, JSON.parse(body).lockId])).toEqual(
      expect.arrayContaining([
        ['alarm', lockId],
        ['alarm-ended', otherLockId],
      ]),
    );
    expect(receiver.posts).toHaveLength(before + 2);
    await next.stop();
  });

  test('a card that was changed is told after a crash, in its place among the records', async () => {
    const { append, receiver, webhooks, createWebhooks, cardService, kill } = await setUp({ eventTypes: ['record', 'card'] });
    receiver.answer = () => new Promise(() => undefined);
    const [before] = await append(lockId, 1);
    const card = { cardNumber: '4711', byteOrder: 'regular', name: 'fob', startDate: 0, endDate: 0 } as const;
    await cardService.add(ada, lockId, card, 'phone', stays());
    await settled();
    const [after] = await append(lockId, 1);
    await kill(webhooks);
    receiver.answer = () => taken;
    const next = createWebhooks();
    await next.start();
    await settled();
    expect(receiver.posts.slice(1).map(({ type }) => type)).toEqual(['record', 'card', 'record']);
    expect(receiver.taken()).toEqual([before, expect.any(String), after]);
    await next.stop();
  });

  test('a card is changed for whoever asked when that it is to be told is written, or cannot be', async () => {
    const { cardService, storage, receiver } = await setUp({ eventTypes: ['card'] });
    receiver.answer = () => new Promise(() => undefined);
    const add = (cardNumber: string) =>
      cardService.add(ada, lockId, { cardNumber, byteOrder: 'regular', name: '', startDate: 0, endDate: 0 }, 'phone', stays());
    let done = 0;
    const count = (): void => void done++;
    const release = storage.hold('webhooks.update');
    const both = ['4711', '4712'].map((cardNumber) => add(cardNumber).then(count));
    await settled();
    expect([done, (await cardService.list(ada, lockId, { pageNo: 1, pageSize: 10 })).total]).toEqual([0, 2]);
    release();
    await Promise.all(both);
    storage.fails = (write) => write === 'webhooks.update';
    await add('4713');
  });

  test('what could not be read from the disk before a stop is read after the next start', async () => {
    const { append, receiver, webhooks, createWebhooks, storage, clock } = await setUp();
    await webhooks.stop();
    const ids = await append(lockId, 3);
    storage.fails = (what) => what === 'records.since';
    const second = createWebhooks();
    await second.start();
    await clock.advance(60_000);
    await second.stop();
    storage.fails = () => false;
    const third = createWebhooks();
    await third.start();
    await settled();
    expect(receiver.taken()).toEqual(ids);
    await third.stop();
  });

  test('what happens while the log cannot be read comes after the records that were missed before it', async () => {
    const { append, receiver, webhooks, createWebhooks, storage, clock, alarms } = await setUp({ eventTypes: ['record', 'alarm'] });
    await webhooks.stop();
    const [missed] = await append(lockId, 1);
    storage.fails = (what) => what === 'records.since';
    const next = createWebhooks();
    await next.start();
    alarms.raise('tampered', lockId, { reason: 'x' });
    await clock.advance(3_000);
    const [later] = await append(lockId, 1);
    expect(receiver.posts).toEqual([]);
    storage.fails = () => false;
    await clock.advance(5_000);
    expect(receiver.posts.map(({ type }) => type)).toEqual(['record', 'alarm', 'record']);
    expect(receiver.taken()).toEqual([missed, expect.any(String), later]);
    await next.stop();
  });

  test('an answer that comes after the stop changes nothing any more', async () => {
    const { append, receiver, webhooks, webhookStore, clock } = await setUp();
    let give = (): void => undefined;
    receiver.answer = () =>
      new Promise((resolve) => {
        give = () => resolve(refused);
      });
    await append(lockId, 1);
    await webhooks.stop();
    const stored = await webhookStore.all();
    give();
    await settled();
    expect(clock.timers()).toBe(0);
    expect(await webhookStore.all()).toEqual(stored);
    expect(stored[0]?.progress.behind).toEqual([{ lockId, done: 0 }]);
  });

  test('whatever is refused, killed and restarted, every record comes, and of each lock for the first time in order', async () => {
    const step = fc.oneof(
      fc.record({
        what: fc.constant('append' as const),
        lock: fc.constantFrom(lockId, otherLockId),
        count: fc.constantFrom(1, 2, 3, 110),
      }),
      fc.record({
        what: fc.constant('answer' as const),
        lock: fc.constantFrom(lockId, otherLockId, undefined),
        how: fc.constantFrom(taken, refused, unreachable, 'hang' as const),
      }),
      fc.record({ what: fc.constant('pass' as const), ms: fc.constantFrom(0, 1_000, 6_000, 60_000, hour) }),
      fc.record({ what: fc.constantFrom('kill' as const, 'restart' as const, 'disk' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }), async (steps) => {
        const world = await setUp();
        const { append, receiver, clock, lockOf, kill, createWebhooks, storage } = world;
        let running: Webhooks = world.webhooks;
        const expected = new Map<LockId, string[]>([lockId, otherLockId].map((lock) => [lock, []]));
        for (const one of steps) {
          if (one.what === 'append') expected.get(one.lock)?.push(...(await append(one.lock, one.count)));
          if (one.what === 'answer')
            receiver.answer = (post) => {
              if (one.lock !== undefined && lockOf(post) !== one.lock) return taken;
              return one.how === 'hang' ? new Promise(() => undefined) : one.how;
            };
          if (one.what === 'pass') await clock.advance(one.ms);
          if (one.what === 'disk') storage.fails = (write) => write === 'webhooks.update';
          if (one.what === 'kill' || one.what === 'restart') {
            storage.fails = () => false;
            await (one.what === 'kill' ? kill(running) : running.stop());
            running = createWebhooks();
            await running.start();
            await settled();
          }
        }
        storage.fails = () => false;
        // Whatever hangs is over with the process.
        receiver.answer = () => taken;
        await running.stop();
        running = createWebhooks();
        await running.start();
        await clock.advance(hour);
        for (const [lock, ids] of expected) {
          const came = receiver.posts.filter((post) => lockOf(post) === lock && receiver.taken().includes(post.deliveryId));
          expect(once(came.map(({ deliveryId }) => deliveryId))).toEqual(ids);
        }
        await running.stop();
        expect(clock.timers()).toBe(0);
      }),
      { seed: 20_261_121, numRuns: 40 },
    );
  });
});

describe('management', () => {
  test('is bounded, for known locks and URLs, and goes with the account', async () => {
    const { webhooks, accountService, webhookStore } = await setUp();
    const make = (changes: Partial<NewWebhook>) =>
      codeOf(() => webhooks.create(callers.operator, { name: 'x', url, eventTypes: [], lockIds: [], ...changes }));
    expect(await make({ url: 'ftp://x' })).toBe('invalid-parameter');
    expect(await make({ lockIds: [99 as LockId] })).toBe('lock-not-found');
    expect(await make({ lockIds: [otherLockId] })).toBe('forbidden');
    for (let n = 0; n < 10; n++) expect(await make({ lockIds: [lockId] })).toBe('done');
    expect(await make({})).toBe('conflict');
    await accountService.removeAccount(callers.admin, 'ole');
    await settled();
    expect(await webhookStore.all()).toHaveLength(1);
    expect(await make({})).toBe('not-found');
  });

  test('what waits is forgotten when it is switched off, and nothing of the time in between is told', async () => {
    const { webhooks, webhookId, append, receiver, clock, createWebhooks } = await setUp();
    receiver.answer = () => refused;
    await append(lockId, 2);
    await webhooks.change(ada, webhookId, { enabled: false });
    receiver.answer = () => taken;
    await append(lockId, 2);
    await webhooks.stop();
    const next = createWebhooks();
    await next.start();
    await next.change(ada, webhookId, { enabled: true });
    const [id] = await append(lockId, 1);
    await clock.advance(hour);
    expect(receiver.taken()).toEqual([id]);
    await next.stop();
  });

  test.each(['change, remove', 'remove, change', 'change, change, remove'])('%s at a time: nothing more is sent', async (order) => {
    const { webhooks, webhookId, append, receiver, clock, live, webhookStore } = await setUp();
    receiver.answer = () => refused;
    await append(lockId, 1);
    const subscribe = jest.spyOn(live, 'subscribe');
    const asked = order.split(', ').map(async (what) => {
      if (what === 'remove') await webhooks.remove(ada, webhookId);
      else await webhooks.change(ada, webhookId, { name: 'y', enabled: true });
    });
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(
      order === 'remove, change' ? ['fulfilled', 'rejected'] : outcomes.map(() => 'fulfilled'),
    );
    const sent = receiver.posts.length;
    await append(lockId, 2);
    await clock.advance(hour);
    expect(receiver.posts).toHaveLength(sent);
    expect(await webhookStore.all()).toEqual([]);
    expect(subscribe).not.toHaveBeenCalled();
    expect(clock.timers()).toBe(0);
  });

  test('of two simultaneous changes the last one holds', async () => {
    const { webhooks, webhookId, append, receiver, clock } = await setUp();
    const change = (enabled: boolean) => webhooks.change(ada, webhookId, { enabled });
    await Promise.all([change(false), change(true), webhooks.renewSecret(ada, webhookId)]);
    const ids = await append(lockId, 2);
    await clock.advance(hour);
    expect(receiver.posts.map(({ deliveryId }) => deliveryId)).toEqual(ids);
    await Promise.all([change(true), change(false)]);
    await append(lockId, 2);
    await clock.advance(hour);
    expect(receiver.posts).toHaveLength(ids.length);
    expect(clock.timers()).toBe(0);
  });

  test('that answers 410 while the disk takes nothing is switched off as soon as it takes something, and is asked once', async () => {
    const { append, receiver, clock, storage, view, webhooks } = await setUp();
    receiver.answer = () => ({ ...refused, status: 410 });
    storage.fails = (write) => write === 'webhooks.update';
    await append(lockId, 2);
    await clock.advance(60_000);
    expect(await view()).toMatchObject({ webhook: { enabled: true } });
    storage.fails = () => false;
    await clock.advance(5_000);
    expect(await view()).toMatchObject({ webhook: { enabled: false } });
    expect([receiver.posts.length, clock.timers()]).toEqual([1, 0]);
    await webhooks.stop();
  });

  test.each(['before', 'after'])('a change just %s an answer 410: it is switched off, and asked once', async (when) => {
    const { webhooks, webhookId, append, receiver, clock, storage, view, notices } = await setUp();
    let give = (): void => undefined;
    receiver.answer = () =>
      new Promise((resolve) => {
        give = () => resolve({ ...refused, status: 410 });
      });
    await append(lockId, 2);
    const release = storage.hold();
    const change = () => webhooks.change(ada, webhookId, { name: 'y' });
    let changed = when === 'before' ? change() : undefined;
    give();
    await settled();
    changed ??= change();
    await settled();
    release();
    await changed;
    await append(lockId, 2);
    await clock.advance(hour);
    expect(receiver.posts).toHaveLength(1);
    expect(await view()).toMatchObject({ webhook: { name: 'y', enabled: false } });
    expect(notices.filter(({ kind }) => kind === 'webhook-gone')).toHaveLength(1);
    expect(clock.timers()).toBe(0);
  });

  test('one that was switched off and on again meanwhile is not switched off by the answer to an earlier attempt', async () => {
    const { webhooks, webhookId, append, receiver, storage, view } = await setUp();
    let give = (): void => undefined;
    receiver.answer = () =>
      new Promise((resolve) => {
        give = () => resolve({ ...refused, status: 410 });
      });
    await append(lockId, 1);
    const release = storage.hold();
    const changes = [{ name: 'y' }, { enabled: false }, { enabled: true }].map((one) => webhooks.change(ada, webhookId, one));
    give();
    await settled();
    release();
    await Promise.all(changes);
    await settled();
    receiver.answer = () => taken;
    const ids = await append(lockId, 1);
    expect(await view()).toMatchObject({ webhook: { enabled: true } });
    expect(receiver.taken()).toEqual(ids);
    await webhooks.stop();
  });

  test('one that is switched off ends with its account, too, whoever else has one', async () => {
    const { webhooks, webhookId, accountService, webhookStore } = await setUp();
    const own = await webhooks.create(callers.operator, { name: 'x', url, eventTypes: [], lockIds: [] });
    await webhooks.change(callers.operator, own.webhookId, { enabled: false });
    await webhooks.change(ada, webhookId, { enabled: false });
    await accountService.removeAccount(callers.admin, 'ole');
    await settled();
    expect((await webhookStore.all()).map(({ webhook }) => webhook.webhookId)).toEqual([webhookId]);
  });

  test.each(['switched off', 'removed'])('one that could not be %s goes on', async (what) => {
    const { webhooks, webhookId, append, receiver, clock, storage, view } = await setUp();
    storage.fails = (write) => write.startsWith('webhooks.');
    const ask = () => (what === 'removed' ? webhooks.remove(ada, webhookId) : webhooks.change(ada, webhookId, { enabled: false }));
    expect(await codeOf(ask)).toBe('storage-unavailable');
    storage.fails = () => false;
    const ids = await append(lockId, 2);
    await clock.advance(10_000);
    expect(await view()).toMatchObject({ webhook: { enabled: true } });
    expect(receiver.taken()).toEqual(ids);
    await webhooks.stop();
  });
});

test('the last 10 of 50 webhooks are for gateway administrators, however many accounts the others have', async () => {
  const { webhooks } = await createDomain();
  await webhooks.start();
  const create = (caller: Caller) => webhooks.create(caller, { name: 'x', url, eventTypes: ['record'], lockIds: [] });
  const { admin, administrator, manager, operator, stranger } = callers;
  for (const caller of [administrator, manager, operator]) for (let n = 0; n < 10; n++) await create(caller);
  for (let n = 0; n < 9; n++) await create(admin);
  await create(stranger);
  await expect(create(stranger)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('40 in all') });
  await create(admin);
  await webhooks.stop();
});
