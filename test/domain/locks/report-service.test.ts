import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { digestOf } from '../../../src/domain/credentials/card-rules.ts';
import { callers, createDomain, lockId, noLockId, recordOf, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, ok, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 21, 9);
const onTime = { date: now };

describe('a hello', () => {
  it('updates the lock with what is present and leaves the rest (Protocol 4.1)', async () => {
    const { reports, locks, statuses } = await createDomain();
    reports.hello(lockId, { ...onTime, modelNum: 'SN-9', autoLockTime: 5, settings: { lockSound: 1 }, state: 'locked', battery: 92 });
    await settled();
    const before = locks.get(lockId);
    expect(before).toMatchObject({
      modelNum: 'SN-9',
      firmwareRevision: '',
      autoLockSeconds: 5,
      settings: { lockSound: 1, privacyLock: 0 },
    });
    expect(statuses.get(lockId)).toEqual({ state: 'locked', stateAt: now, batteryPercent: 92, lastSeenAt: now, cardsOnLock: null });
    reports.hello(lockId, { ...onTime, firmwareRevision: '6.5' });
    await settled();
    expect(locks.get(lockId)).toEqual({ ...before, firmwareRevision: '6.5' });
    expect(statuses.get(lockId)).toMatchObject({ state: 'locked', batteryPercent: 92 });
  });

  it('writes nothing when nothing has changed, however often it comes (Fault T16, Protocol 4.1)', async () => {
    const { reports, storage } = await createDomain();
    const hello = { ...onTime, modelNum: 'SN-9', settings: { lockSound: 1 }, epoch: 'e', lastSeq: 0 };
    reports.hello(lockId, hello);
    await settled();
    expect(storage.writes).toEqual(['locks.update']);
    for (let n = 0; n < 50; n++) reports.hello(lockId, hello);
    await settled();
    expect(storage.writes).toEqual(['locks.update']);
  });

  it('does not undo a change that is just being written (Protocol 4.1)', async () => {
    const { reports, lockService, locks, link, storage } = await createDomain();
    link.reply(lockId, () => ok);
    const release = storage.hold();
    const changed = lockService.setAutoLock(callers.manager, lockId, 9, stays());
    await settled();
    reports.hello(lockId, { ...onTime, modelNum: 'SN-9' });
    await settled();
    release();
    await changed;
    await settled();
    expect(locks.get(lockId)).toMatchObject({ modelNum: 'SN-9', autoLockSeconds: 9 });
  });

  it.each([
    ['missing', undefined, true],
    ['2 s behind', now - 2_000, false],
    ['more than 2 s behind', now - 2_001, true],
    ['2 s ahead', now + 2_000, false],
    ['more than 2 s ahead', now + 2_001, true],
  ])('sends set-clock, or not, when the date is %s (Protocol 4.1)', async (_what, date, sent) => {
    const { reports, link } = await createDomain();
    link.reply(lockId, () => ok);
    reports.hello(lockId, date === undefined ? {} : { date });
    await settled();
    expect(link.sent.map(({ command }) => command)).toEqual(sent ? [{ op: 'set-clock', now, timezoneRawOffset: 3_600_000 }] : []);
  });

  it('sends the time at which set-clock goes out, not that of the hello (Protocol 5.1)', async () => {
    const { reports, link, clock, lockService } = await createDomain();
    void lockService.setBolt(callers.operator, lockId, 'locked', stays());
    reports.hello(lockId, {});
    await clock.advance(5_000);
    link.sent[0]?.answer(ok);
    await settled();
    expect(link.sent[1]?.command).toMatchObject({ op: 'set-clock', now: now + 5_000 });
  });

  it('settles open card changes, then asks for missing events, each on its own when another fails (Protocol 4.1, 5.4 rule 6)', async () => {
    const step = { kind: 'delete', cardId: 100 as CardId } as const;
    const { reports, link, cards, notices, storage, clock } = await createDomain({ cards: [someCard()], open: [step] });
    const memory = createCardMemory();
    link.reply(lockId, (command) => (command.op === 'set-clock' ? refusal('failed') : memory.replier(command)));
    storage.fails = (write) => write === 'locks.update';
    reports.hello(lockId, { modelNum: 'SN-9', epoch: 'e', lastSeq: 3 });
    await clock.advance(3_000);
    expect(link.ops().filter((op) => op !== 'get-status')).toEqual(['set-clock', 'list-cards', 'resend-events']);
    expect(cards.now(lockId).open).toEqual([]);
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'follow-up-failed', step: 'keep what the lock said' }));
  });

  it('leaves no follow-up behind when the lock goes at once (Protocol 5.4 rule 4)', async () => {
    const step = { kind: 'delete', cardId: 100 as CardId } as const;
    const { reports, link, clock, notices } = await createDomain({ cards: [someCard()], open: [step] });
    reports.hello(lockId, { epoch: 'e', lastSeq: 3 });
    link.lose(lockId);
    reports.offline(lockId, 'it went');
    // After a minute without it the access log says so.
    await clock.advance(60_000);
    expect(link.ops()).toEqual(['set-clock']);
    expect(clock.timers()).toBe(0);
    expect(notices.filter(({ kind }) => kind === 'follow-up-failed').length).toBeGreaterThan(0);
  });

  it('lets a door go before everything that follows it (Protocol 5.4 rule 1)', async () => {
    const { reports, link, lockService, clock } = await createDomain();
    reports.hello(lockId, { epoch: 'e', lastSeq: 300 });
    await settled();
    void lockService.setBolt(callers.operator, lockId, 'unlocked', stays());
    link.sent[0]?.answer(ok);
    await settled();
    expect(link.ops()).toEqual(['set-clock', 'unlock']);
    link.reply(lockId, () => ok);
    link.sent[1]?.answer(ok);
    await clock.advance(3_000);
    expect(
      link
        .ops()
        .filter((op) => op !== 'get-status')
        .slice(0, 3),
    ).toEqual(['set-clock', 'unlock', 'resend-events']);
  });

  it('is noticed as online, and as differing when the digest of the cards does (Protocol 4.1)', async () => {
    const { reports, secrets, notices } = await createDomain({ cards: [someCard()] });
    const digest = digestOf([someCard()], secrets.hash);
    reports.hello(lockId, { ...onTime, cards: { count: 1, digest } });
    expect(notices).toEqual([{ kind: 'lock-online', lockId }]);
    reports.hello(lockId, { ...onTime, cards: { count: 3, digest: '0'.repeat(16) } });
    await settled();
    expect(notices).toContainEqual({ kind: 'cards-differ', lockId, onLock: 3, known: 1 });
  });
});

describe('the open state', () => {
  it('changes by a state report, and the last one holds whatever its date (Protocol 6)', async () => {
    const { reports, statuses } = await createDomain();
    reports.state(lockId, { state: 'unlocked', date: now });
    reports.state(lockId, { state: 'locked', date: now - 60_000 });
    expect(statuses.get(lockId)).toMatchObject({ state: 'locked', stateAt: now - 60_000 });
  });

  it.each([
    ['missing', undefined],
    ['of 1970', 5],
    ['in a year that has not come', now + dayMs + 1],
    ['older than the retention', Date.UTC(2026, 4, 21, 9) - 1],
  ])('is shown with the time of the gateway when its date is %s (Protocol 6)', async (_what, date) => {
    const { reports, statuses } = await createDomain();
    reports.state(lockId, date === undefined ? { state: 'locked' } : { state: 'locked', date });
    expect(statuses.get(lockId).stateAt).toBe(now);
  });

  it('never changes by an event (Protocol 4.4)', async () => {
    const domain = await createDomain();
    for (const type of ['card-unlock', 'remote-unlock', 'auto-lock', 'door-open']) await recordOf(domain, { type });
    expect(domain.statuses.get(lockId).state).toBeNull();
  });

  it('and the battery are those of a lock that is there: others leave no trace', async () => {
    const { reports, statuses, notices } = await createDomain();
    reports.hello(noLockId, { state: 'locked' });
    reports.state(noLockId, { state: 'locked' });
    reports.battery(noLockId, { level: 5 });
    reports.offline(noLockId, 'gone');
    await reports.events(noLockId, { epoch: 'e', events: [{ seq: 1, type: 'tamper' }] });
    expect(statuses.get(noLockId)).toEqual({ state: null, stateAt: null, batteryPercent: null, lastSeenAt: null, cardsOnLock: null });
    expect(notices).toEqual([]);
  });

  it('stays as it was when the lock goes offline, only the time it was last seen moves (Protocol 6)', async () => {
    const { reports, statuses, notices, clock } = await createDomain();
    reports.state(lockId, { state: 'unlocked' });
    reports.battery(lockId, { level: 40 });
    clock.block(1_000);
    reports.offline(lockId, 'the connection was closed');
    expect(statuses.get(lockId)).toEqual({
      state: 'unlocked',
      stateAt: now,
      batteryPercent: 40,
      lastSeenAt: now + 1_000,
      cardsOnLock: null,
    });
    expect(notices).toEqual([{ kind: 'lock-offline', lockId, reason: 'the connection was closed' }]);
  });
});
