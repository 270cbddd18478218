// Many locks at a time: how many are served, and what a start finds in the log when much of it is new.
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { WebhookPost } from '../../../src/domain/webhooks/webhook-ports.ts';
import { callers, codeOf, createDomain, someLock } from '../../support/domain.ts';
import { refused, taken } from '../../support/fake-receiver.ts';
import { settled } from '../../support/settable-clock.ts';

const lockIds = Array.from({ length: 12 }, (_, n) => (11 + n) as LockId);
const [first] = lockIds as [LockId];

/** Each at its first coming. */
const once = (recordIds: readonly number[]): number[] => [...new Set(recordIds)];

/** A domain with twelve locks and one webhook, which gets their records. */
async function setUp() {
  const world = await createDomain();
  const { locks, webhooks, records, clock } = world;
  for (const lockId of lockIds) await locks.add(someLock({ lockId }));
  await webhooks.start();
  const create = () => webhooks.create(callers.administrator, { name: 'x', url: 'http://10.0.0.7/', eventTypes: ['record'], lockIds });
  const { webhookId } = await create();
  let seq = 0;
  async function append(lockId: LockId, count = 1): Promise<void> {
    for (let n = 0; n < count; n++) {
      const event = {
        seq: ++seq,
        type: 'tamper',
        success: true,
        credential: '',
        username: '',
        lockDate: clock.now(),
        serverDate: clock.now(),
      };
      await records.append(lockId, 'e', [event]);
    }
  }
  const lockOf = ({ body }: WebhookPost): LockId => JSON.parse(body).lockId;
  /** What came of a lock to the webhook, in that order. */
  const cameOf = (lockId: LockId, to = webhookId): number[] =>
    world.receiver.posts
      .filter((post) => post.webhookId === to && lockOf(post) === lockId)
      .map(({ deliveryId }) => Number(deliveryId.replace('record-', '')));
  /** From now on the log is read when the returned function is called. */
  function holdLog(): () => void {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { since } = records;
    Object.assign(records, {
      since: async function* (...asked: Parameters<typeof since>) {
        await held;
        yield* since(...asked);
      },
    });
    return goOn;
  }
  return { ...world, webhookId, create, append, lockOf, cameOf, holdLog };
}

describe('a receiver', () => {
  test('has requests of four locks under way at most, of each lock one', async () => {
    const { append, receiver, lockOf } = await setUp();
    receiver.answer = () => new Promise(() => undefined);
    for (const lockId of lockIds) await append(lockId, 2);
    await settled();
    expect(receiver.posts.map(lockOf)).toEqual(lockIds.slice(0, 4));
  });

  test('that was away gets more than fits into memory once, and in the order of each lock; what is refused waits alone', async () => {
    const { append, receiver, webhooks, createWebhooks, clock, lockOf, cameOf } = await setUp();
    await webhooks.stop();
    for (let n = 0; n < 5; n++) for (const lockId of lockIds) await append(lockId, 25);
    receiver.answer = () => new Promise(() => undefined);
    const hanging = createWebhooks();
    await hanging.start();
    await settled();
    expect(hanging.stats().waiting).toBe(1_000);
    await hanging.stop();
    receiver.answer = (post) => (lockOf(post) === first ? refused : taken);
    const before = receiver.posts.length;
    const next = createWebhooks();
    await next.start();
    await clock.advance(20_000);
    expect(new Set(cameOf(first)).size).toBe(1);
    for (const lockId of lockIds.slice(1)) expect(once(cameOf(lockId))).toHaveLength(125);
    // Four were under way when the gateway stopped.
    expect(receiver.posts.length - before).toBe(11 * 125 + cameOf(first).length - 1);
    receiver.answer = () => taken;
    await clock.advance(60_000);
    for (const lockId of lockIds) {
      const came = once(cameOf(lockId));
      expect([came.length, came]).toEqual([125, came.toSorted((a, b) => a - b)]);
    }
    expect([next.stats().waiting, next.stats().failed]).toEqual([0, 0]);
    await next.stop();
  });

  test('gets what happens while a start still reads the log once, after what it has missed', async () => {
    const { append, webhooks, createWebhooks, cameOf, receiver, holdLog } = await setUp();
    await webhooks.stop();
    for (const lockId of lockIds) await append(lockId, 2);
    const goOn = holdLog();
    const next = createWebhooks();
    await next.start();
    for (const lockId of lockIds) await append(lockId);
    await settled();
    expect(receiver.posts).toEqual([]);
    goOn();
    await settled();
    for (const [n, lockId] of lockIds.entries()) expect(cameOf(lockId)).toEqual([2 * n + 1, 2 * n + 2, 25 + n]);
    await next.stop();
  });

  test('that missed what a slower one of its account has in memory gets that once', async () => {
    const { append, webhooks, webhookId, create, cameOf, receiver, holdLog, storage } = await setUp();
    const { webhookId: slow } = await create();
    receiver.answer = (post) => (post.webhookId === slow ? new Promise(() => undefined) : taken);
    for (const lockId of lockIds) await append(lockId);
    await settled();
    // It sends nothing while it is being removed, and goes on because it cannot be.
    storage.fails = (write) => write === 'webhooks.remove';
    const release = storage.hold('webhooks.remove');
    const removed = codeOf(() => webhooks.remove(callers.administrator, webhookId));
    await settled();
    for (const lockId of lockIds) await append(lockId);
    const goOn = holdLog();
    release();
    expect(await removed).toBe('storage-unavailable');
    for (const lockId of lockIds) await append(lockId);
    await settled();
    goOn();
    await settled();
    for (const [n, lockId] of lockIds.entries()) expect(cameOf(lockId)).toEqual([1 + n, 13 + n, 25 + n]);
    await webhooks.stop();
  });
});
