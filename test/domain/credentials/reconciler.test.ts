import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { lockId } from '../../support/domain.ts';
import { someEntry, someStranger, surely } from '../../support/entries.ts';
import { refusal } from '../../support/fake-link.ts';
import { createReconciled, someGranted } from './support/reconciled.ts';

const minuteMs = 60_000;
const many = (count: number) => Array.from({ length: count }, (_, at) => someEntry(at + 1));

describe('a lock that comes back', () => {
  it('is asked for nothing when its digest says that all is as it should be', async () => {
    const site = await createReconciled();
    await site.given(...many(3));
    await site.hello();
    expect(site.sent()).toEqual([]);
    expect(site.statuses()).toEqual(['on-lock', 'on-lock', 'on-lock']);
  });

  it('gets what was granted while it was away, in batches, and nothing that was taken back by then', async () => {
    const site = await createReconciled();
    site.grants.push(...Array.from({ length: 45 }, (_, at) => someGranted(at + 1)), someGranted(99));
    await site.wanted();
    expect(site.sent()).toEqual([]);
    expect(site.statuses().filter((status) => status === 'pending')).toHaveLength(46);
    site.grants.pop();
    await site.wanted();
    await site.hello();
    expect(site.sent()).toEqual(['put-credentials', 'put-credentials', 'put-credentials']);
    expect(site.memory.all()).toHaveLength(45);
    expect(new Set(site.statuses())).toEqual(new Set(['on-lock']));
    expect(site.notices.filter(({ kind }) => kind === 'follow-up-failed')).toEqual([]);
  });

  it('loses what nobody wants any more, and its entry is forgotten', async () => {
    const site = await createReconciled();
    site.grants.push(someGranted(1), someGranted(2));
    await site.hello();
    await site.wanted();
    expect(site.memory.all()).toHaveLength(2);
    site.grants.pop();
    await site.wanted();
    expect(site.memory.all()).toHaveLength(1);
    expect(site.statuses()).toEqual(['on-lock']);
  });

  it('with a foreign number has a stranger, which stays until somebody decides', async () => {
    const site = await createReconciled();
    await site.given(someEntry(1));
    site.memory.put({ kind: 'card', number: '42' });
    await site.hello();
    expect(site.sent()).toEqual(['list-credentials']);
    expect(site.statuses()).toEqual(['on-lock', 'stranger']);
    expect(site.alarms).toEqual(new Set(['credentials-differ']));
    await site.hello();
    expect(site.sent()).toEqual([]);
    expect(site.memory.all()).toHaveLength(2);
  });
});

describe('what somebody takes away at the lock', () => {
  it('is missing, and is never put back in a day with a hundred reconnections', async () => {
    const site = await createReconciled();
    const all = many(50);
    await site.given(...all);
    await site.hello();
    site.memory.remove(...all.slice(0, 1));
    for (let round = 0; round < 100; round++) {
      await site.hello();
      await site.clock.advance(14.4 * minuteMs);
    }
    expect(site.sent().filter((op) => op !== 'list-credentials')).toEqual([]);
    expect(site.memory.all()).toHaveLength(49);
    expect(site.statuses().filter((status) => status === 'missing')).toHaveLength(1);
    expect(site.alarms).toEqual(new Set(['credentials-differ']));
  });

  it('stays away when the memory is wiped, and everything else comes back', async () => {
    const site = await createReconciled();
    const all = many(50);
    await site.given(...all);
    await site.hello();
    site.memory.remove(...all.slice(0, 1));
    await site.hello();
    site.wipe();
    await site.hello();
    await site.idle();
    expect(site.memory.all()).toHaveLength(49);
    expect(site.memory.all().map(({ number }) => number)).not.toContain(all[0]?.number);
  });

  it('is not what a new memory lacks, also when the gateway was looking at the lock as it came back', async () => {
    const site = await createReconciled();
    await site.given(...many(3));
    await site.hello();
    site.link.lose(lockId);
    site.wipe();
    // Another look has begun when the lock says hello.
    site.grants.push(someGranted(1));
    void site.reconciler.reconcile(lockId);
    await site.hello();
    await site.idle();
    expect(new Set(site.statuses())).toEqual(new Set(['on-lock']));
    expect(site.memory.all()).toHaveLength(4);
  });

  it('is not what a new memory lacks, also when the look at it waited for looks at other locks', async () => {
    const site = await createReconciled();
    await site.given(...many(3));
    await site.hello();
    const end = await site.lookAtOthers();
    site.grants.push(someGranted(1));
    await site.wanted();
    site.wipe();
    await site.hello();
    end();
    await site.idle();
    expect(new Set(site.statuses())).toEqual(new Set(['on-lock']));
    expect(site.memory.all()).toHaveLength(4);
  });

  it('stays away when its person is suspended and is not any more', async () => {
    const site = await createReconciled();
    site.grants.push(someGranted(1), someGranted(2));
    await site.hello();
    await site.wanted();
    site.memory.remove({ kind: 'card', number: '7770001' });
    await site.hello();
    expect(site.statuses()).toEqual(['missing', 'on-lock']);
    const granted = site.grants.splice(0);
    for (const credentialId of [1, 2]) site.suspended.add(credentialId);
    await site.wanted();
    await site.hello();
    expect(site.memory.all()).toEqual([]);
    site.suspended.clear();
    site.grants.push(...granted);
    await site.wanted();
    expect(site.memory.all().map(({ number }) => number)).toEqual(['7770002']);
    expect(site.statuses()).toContain('missing');
    expect(site.alarms).toEqual(new Set(['credentials-differ']));
  });

  it('stays away when its card was lost and is found', async () => {
    const site = await createReconciled();
    site.grants.push(someGranted(1), someGranted(2));
    await site.wanted();
    await site.hello();
    site.memory.remove({ kind: 'card', number: '7770001' });
    await site.hello();
    const granted = site.grants.splice(0);
    for (const credentialId of [1, 2]) site.lostCredentials.add(credentialId);
    await site.wanted();
    await site.hello();
    expect(site.memory.all()).toEqual([]);
    site.lostCredentials.clear();
    site.grants.push(...granted);
    await site.wanted();
    await site.hello();
    expect(site.memory.all().map(({ number }) => number)).toEqual(['7770002']);
    expect(site.statuses()).toContain('missing');
  });

  it('stays away under the other number of its card when the reader is treated otherwise', async () => {
    const site = await createReconciled();
    site.grants.push(someGranted(1, { number: '1325672378', width: 4 }), someGranted(2, { number: '3661413478', width: 4 }));
    await site.wanted();
    await site.hello();
    site.memory.remove({ kind: 'card', number: '1325672378' });
    await site.hello();
    await site.locks.update(lockId, (lock) => ({ ...lock, readerOrder: 'reverse' }));
    await site.wanted();
    await site.hello();
    expect(site.memory.all().map(({ number }) => number)).toEqual([String(Buffer.from('da3cbc66', 'hex').readUInt32LE())]);
    expect(site.statuses().toSorted()).toEqual(['missing', 'on-lock']);
  });

  it('all at once but in the same memory is missing, too', async () => {
    const site = await createReconciled();
    await site.given(...many(3));
    await site.hello();
    site.memory.clear();
    await site.hello();
    expect(site.statuses()).toEqual(['missing', 'missing', 'missing']);
    expect(site.memory.all()).toEqual([]);
  });

  it('of which a phone said that it was there is missing after a reset', async () => {
    const site = await createReconciled();
    await site.given(someEntry(1, { held: { ...surely(), basis: 'phone' } }));
    await site.locks.update(someEntry(1).lockId, (lock) => ({ ...lock, memory: 'older' }));
    site.memory.clear();
    await site.hello();
    expect(site.memory.all()).toEqual([]);
  });
});

describe('a lock that fails', () => {
  it('by accepting and forgetting is tried three times, then once a minute at most', async () => {
    const site = await createReconciled();
    site.memory.fault = ({ op }) => (op === 'put-credentials' ? 'forgets' : undefined);
    site.grants.push(someGranted(1), someGranted(2));
    await site.hello();
    await site.clock.advance(1_000);
    await site.clock.advance(5_000);
    expect(site.sent()).toEqual(['put-credentials', 'put-credentials', 'put-credentials']);
    expect(site.statuses()).toEqual(['failed', 'failed']);
    expect(site.alarms).toEqual(new Set(['credentials-failing']));
    for (let minute = 0; minute < 180; minute++) {
      await site.clock.advance(minuteMs);
      expect(site.sent().length).toBeLessThanOrEqual(1);
    }
    site.memory.fault = () => undefined;
    await site.hello();
    expect(site.statuses()).toEqual(['on-lock', 'on-lock']);
    expect(site.alarms).toEqual(new Set());
  });

  it('by refusing one of a batch is told the others one by one', async () => {
    const site = await createReconciled();
    site.memory.fault = (command) => {
      const isBad = command.op === 'put-credentials' && command.items.some(({ number }) => number === '7770002');
      return isBad ? refusal('failed') : undefined;
    };
    site.grants.push(someGranted(1), someGranted(2), someGranted(3));
    await site.hello();
    await site.idle();
    expect(site.memory.all().map(({ number }) => number)).toEqual(['7770001', '7770003']);
  });

  it('by doing it without an answer is asked what it holds', async () => {
    const site = await createReconciled();
    let isSilent = true;
    site.memory.fault = ({ op }) => (op === 'put-credentials' && isSilent ? 'silent' : undefined);
    site.grants.push(someGranted(1));
    await site.hello();
    isSilent = false;
    expect(site.statuses()).toEqual(['unsure']);
    await site.clock.advance(3_000);
    await site.clock.advance(3_000);
    await site.idle();
    expect(site.sent()).toEqual(['put-credentials', 'list-credentials']);
    expect(site.statuses()).toEqual(['on-lock']);
  });

  it('by having no room gets what begins first, and the others when there is room', async () => {
    const site = await createReconciled();
    const dayMs = 86_400_000;
    const window = { startDate: 1, endDate: 0, hours: '', once: false };
    site.memory.fault = (command) => {
      if (command.op !== 'put-credentials' || site.memory.all().length + command.items.length <= 1) return undefined;
      return refusal('no-space');
    };
    site.grants.push(
      someGranted(1, { window: { ...window, startDate: 2 * dayMs } }),
      someGranted(2, { window: { ...window, startDate: dayMs } }),
    );
    await site.hello();
    await site.idle();
    expect(site.memory.all().map(({ number }) => number)).toEqual(['7770002']);
    expect(site.statuses()).toEqual(['pending', 'on-lock']);
  });
});

describe('a lock that does not know what time it is', () => {
  it('has what needs the time waiting for its clock, however often it was tried, and the rest at once', async () => {
    const site = await createReconciled();
    site.memory.fault = (command) => {
      const isTimed = command.op === 'put-credentials' && command.items.some(({ startDate }) => startDate !== 0);
      return isTimed ? refusal('clock-not-set') : undefined;
    };
    site.grants.push(someGranted(1, { window: { startDate: 5, endDate: 0, hours: '', once: false } }), someGranted(2));
    await site.hello();
    for (let second = 0; second < 8; second++) await site.clock.advance(1_000);
    expect(site.statuses()).toEqual(['pending', 'on-lock']);
    const lock = site.locks.get(lockId);
    const why = site.entries.inMemory(lockId)?.entries.map((entry) => lock && site.reconciler.statesOf(lock, site.view(lock))(entry).why);
    expect(why).toEqual(['no-clock', null]);
  });
});

describe('a lock that failed', () => {
  /** Fails once, by refusing a card. */
  async function setUp() {
    const site = await createReconciled();
    const looks: LockId[] = [];
    site.events.subscribe('entries-looked-at', ({ lockId: looked }) => void looks.push(looked));
    let failures = 1;
    site.link.reply(lockId, (command) =>
      command.op === 'put-credentials' && failures-- > 0 ? refusal('failed') : site.memory.replier(command),
    );
    return { ...site, looks };
  }

  it('is left alone while it is away, and gets what it refused when it comes back', async () => {
    const site = await setUp();
    site.link.connect(lockId);
    void site.reconciler.hello(lockId, { credentials: site.memory.said(), memory: 'first' });
    site.grants.push(someGranted(1));
    await site.wanted();
    expect(site.memory.all()).toEqual([]);
    site.link.lose(lockId);
    for (let minute = 0; minute < 10; minute++) await site.clock.advance(minuteMs);
    expect(site.looks.length).toBeLessThan(10);
    await site.hello();
    expect(site.statuses()).toEqual(['on-lock']);
  });

  it('is left alone when nobody wants any more what it refused, or it got that otherwise', async () => {
    const site = await setUp();
    site.link.connect(lockId);
    void site.reconciler.hello(lockId, { credentials: site.memory.said(), memory: 'first' });
    await site.given(someEntry(1, { held: null }));
    await site.wanted();
    await site.entries.update(lockId, () => ({ put: [someEntry(1)] }));
    for (let minute = 0; minute < 10; minute++) await site.clock.advance(minuteMs);
    expect(site.looks.length).toBeLessThan(10);
    expect(site.reconciler.stats()).toMatchObject({ failing: 0 });
  });

  it('by not telling what it holds is asked again within seconds', async () => {
    const site = await createReconciled();
    await site.given(...many(3));
    await site.hello();
    site.memory.remove(...many(1));
    let failures = 2;
    site.link.reply(lockId, (command) =>
      command.op === 'list-credentials' && failures-- > 0 ? refusal('failed') : site.memory.replier(command),
    );
    site.link.connect(lockId);
    void site.reconciler.hello(lockId, { credentials: site.memory.said(), memory: 'first' });
    void site.reconciler.reconcile(lockId);
    await site.clock.advance(10);
    expect(site.statuses()).toEqual(['on-lock', 'on-lock', 'on-lock']);
    for (let second = 0; second < 6; second++) await site.clock.advance(1_000);
    expect(site.statuses()).toEqual(['missing', 'on-lock', 'on-lock']);
  });
});

describe('a step', () => {
  it('is sent in the session in which it was planned, and unsure on the disk before', async () => {
    const site = await createReconciled();
    site.memory.fault = ({ op }) => (op === 'put-credentials' ? 'silent' : undefined);
    site.grants.push(someGranted(1));
    await site.hello();
    expect(site.entries.inMemory(someEntry(1).lockId)?.unsure).toHaveLength(1);
    site.memory.clear();
    site.memory.fault = () => undefined;
    await site.hello();
    await site.idle();
    expect(site.statuses()).toEqual(['on-lock']);
    const { sent } = site.link;
    expect(sent.every(({ session }) => sent.some((other) => other.session === session))).toBe(true);
  });

  it('is not sent when somebody decided otherwise after it was planned', async () => {
    const site = await createReconciled();
    await site.hello();
    // The entry of a grant is made in the same look, before its step is taken.
    const suspend = ({ after }: { after?: unknown }) => after !== undefined && site.grants.splice(0);
    site.events.subscribe('entry-changed', suspend);
    site.grants.push(someGranted(1), someGranted(2, { personId: 2 as never }));
    await site.wanted();
    expect(site.sent()).toEqual([]);
    await site.wanted();
    expect([site.memory.all(), site.statuses()]).toEqual([[], []]);
  });

  it('forgets nothing of what is missing when its grant came back meanwhile', async () => {
    const site = await createReconciled();
    site.grants.push(someGranted(1));
    await site.hello();
    await site.wanted();
    site.memory.clear();
    await site.hello();
    expect(site.statuses()).toEqual(['missing']);
    const [grant] = site.grants.splice(0);
    let slices = 0;
    // After what is wanted was computed, and before the entries are compared with it.
    site.turns[0] = async () => {
      slices += 1;
      if (slices === 2 && grant !== undefined) site.grants.push(grant);
    };
    await site.wanted();
    await site.wanted();
    expect([site.statuses(), site.memory.all()]).toEqual([['missing'], []]);
  });

  it('gives no one-time code a second time', async () => {
    const site = await createReconciled();
    const once = { startDate: 0, endDate: 0, hours: '', once: true };
    site.grants.push(someGranted(1, { kind: 'passcode', number: '482913', window: once }));
    await site.hello();
    expect(site.statuses()).toEqual(['on-lock']);
    site.memory.clear();
    await site.hello();
    site.wipe();
    await site.hello();
    await site.idle();
    expect(site.sent().filter((op) => op === 'put-credentials')).toHaveLength(1);
    expect(site.statuses()).toEqual(['ended']);
  });

  it('is taken at the edge of a window', async () => {
    const site = await createReconciled();
    site.grants.push(someGranted(1));
    site.state.nextEdge = site.clock.now() + 90_000;
    await site.hello();
    await site.wanted();
    site.grants.length = 0;
    site.state.nextEdge = null;
    await site.clock.advance(80_000);
    expect(site.memory.all()).toHaveLength(1);
    await site.clock.advance(11_000);
    await site.idle();
    expect(site.memory.all()).toEqual([]);
  });
});

describe('a gateway whose clock was in doubt', () => {
  it('takes off what has ended as soon as its clock is believed again, in a session that goes on', async () => {
    const site = await createReconciled();
    const ended = { startDate: 1, endDate: site.clock.now() - 2 * 86_400_000, hours: '', once: false };
    await site.given(someEntry(1, { direct: ended, held: surely(ended) }), someEntry(2));
    site.state.clockIsSuspect = true;
    await site.hello();
    await site.clock.advance(3 * minuteMs);
    expect(site.memory.all()).toHaveLength(2);
    site.state.clockIsSuspect = false;
    site.emit('clocks-set', { set: 1, failed: 0 });
    await site.idle();
    expect(site.memory.all().map(({ number }) => number)).toEqual([someEntry(2).number]);
  });
});

describe('a paused gateway', () => {
  it('sends nothing but the removal of what was lost', async () => {
    const site = await createReconciled();
    await site.given(someEntry(1), someEntry(2, { direct: null }), someEntry(3));
    site.grants.push(someGranted(1));
    site.state.isPaused = true;
    site.lost.add(someEntry(3).number);
    await site.hello();
    expect(site.sent()).toEqual(['remove-credentials']);
    expect(site.memory.all().map(({ number }) => number)).toEqual([someEntry(1).number, someEntry(2).number]);
    site.state.isPaused = false;
    await site.wanted();
    expect(site.memory.all().map(({ number }) => number)).toEqual([someEntry(1).number, '7770001']);
  });
});

describe('a passcode of a person that was lost', () => {
  it('is removed while the gateway is paused, as a lost card is', async () => {
    const site = await createReconciled();
    const passcode = { kind: 'passcode', number: '482913', credentialId: 12, direct: null } as const;
    await site.given(someEntry(1, passcode), someEntry(2, { ...passcode, number: '591374', credentialId: 13 }));
    site.state.isPaused = true;
    site.lostCredentials.add(12);
    await site.hello();
    expect(site.memory.all().map(({ number }) => number)).toEqual(['591374']);
  });
});

describe('a person who asks what the lock holds', () => {
  it('hears of what has changed in a session that goes on', async () => {
    const site = await createReconciled();
    await site.given(...many(2), someStranger(3 as CardId));
    await site.hello();
    site.memory.remove(someEntry(1));
    const listed = site.reconciler.list(someEntry(1).lockId);
    await site.idle();
    expect(await listed).toBe(true);
    expect(site.statuses()).toEqual(['missing', 'on-lock', 'stranger']);
  });
});

describe('the figures of all entries', () => {
  it('say how many there are of each status, since when one waits, and how many fail, and forget a lock with its entries', async () => {
    const site = await createReconciled();
    site.memory.put({ kind: 'card', number: '42' });
    await site.given(...many(2));
    site.grants.push(someGranted(9));
    site.link.connect(someEntry(1).lockId, (command) =>
      command.op === 'put-credentials' ? refusal('failed') : site.memory.replier(command),
    );
    await site.wanted();
    const granted = site.entries.inMemory(someEntry(1).lockId)?.entries.find(({ held }) => held === null);
    expect(site.reconciler.stats()).toMatchObject({
      entries: { 'on-lock': 2, pending: 1, stranger: 1, missing: 0 },
      oldestPendingDate: granted?.createdAt,
      failing: 0,
    });
    await site.clock.advance(minuteMs);
    expect(site.reconciler.stats()).toMatchObject({ entries: { 'on-lock': 2, pending: 0, failed: 1, stranger: 1 }, failing: 1 });
    const lock = site.locks.get(someEntry(1).lockId);
    site.emit('lock-changed', { before: lock, after: undefined });
    const { entries, oldestPendingDate, failing } = site.reconciler.stats();
    expect([new Set(Object.values(entries)), oldestPendingDate, failing]).toEqual([new Set([0]), null, 0]);
  });
});
