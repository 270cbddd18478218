import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { digestOf } from '../../../src/domain/credentials/card-rules.ts';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import type { LockEvent } from '../../../src/domain/locks/lock-report.ts';
import { createReportService } from '../../../src/domain/locks/report-service.ts';
import type { AppendOutcome } from '../../../src/domain/records/record-ports.ts';
import { callers, codeOf, createDomain, createFakeCertainty, lockId, noLockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, ok, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 21, 9);
const onTime = { date: now };

type Domain = Awaited<ReturnType<typeof createDomain>>;

async function recordsOf({ records }: Domain, id: LockId = lockId) {
  return (await records.page({ lockId: id, from: 0, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: 1_000 })).list;
}

async function recordOf(domain: Domain, event: Partial<LockEvent>) {
  await domain.reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type: 'card-unlock', ...event }] });
  return (await recordsOf(domain))[0];
}

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
    void lockService.move(callers.operator, lockId, 'locked', stays());
    reports.hello(lockId, {});
    await clock.advance(5_000);
    link.sent[0]?.answer(ok);
    await settled();
    expect(link.sent[1]?.command).toMatchObject({ op: 'set-clock', now: now + 5_000 });
  });

  it('settles open card changes, then asks for missing events, each on its own when another fails (Protocol 4.1, 5.4 rule 6)', async () => {
    const intent = { kind: 'delete', cardId: 100 as CardId } as const;
    const { reports, link, cards, notices, storage, clock } = await createDomain({ cards: [someCard()], intents: [intent] });
    const memory = createCardMemory();
    link.reply(lockId, (command) => (command.op === 'set-clock' ? refusal('failed') : memory.replier(command)));
    storage.fails = (write) => write === 'locks.update';
    reports.hello(lockId, { modelNum: 'SN-9', epoch: 'e', lastSeq: 3 });
    await clock.advance(3_000);
    expect(link.ops().filter((op) => op !== 'get-status')).toEqual(['set-clock', 'list-cards', 'resend-events']);
    expect(cards.now(lockId).intents).toEqual([]);
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'follow-up-failed', step: 'keep what the lock said' }));
  });

  it('leaves no follow-up behind when the lock goes at once (Protocol 5.4 rule 4)', async () => {
    const intent = { kind: 'delete', cardId: 100 as CardId } as const;
    const { reports, link, clock, notices } = await createDomain({ cards: [someCard()], intents: [intent] });
    reports.hello(lockId, { epoch: 'e', lastSeq: 3 });
    link.lose(lockId);
    reports.offline(lockId, 'it went');
    await settled();
    expect(link.ops()).toEqual(['set-clock']);
    expect(clock.timers()).toBe(0);
    expect(notices.filter(({ kind }) => kind === 'follow-up-failed').length).toBeGreaterThan(0);
  });

  it('lets a door go before everything that follows it (Protocol 5.4 rule 1)', async () => {
    const { reports, link, lockService, clock } = await createDomain();
    reports.hello(lockId, { epoch: 'e', lastSeq: 300 });
    await settled();
    void lockService.move(callers.operator, lockId, 'unlocked', stays());
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

describe('events', () => {
  it('resolve only when every event is stored, each once however often it comes (Protocol 4.4)', async () => {
    const domain = await createDomain();
    const release = domain.storage.hold();
    let done = false;
    const report = {
      epoch: 'e',
      events: [
        { seq: 1, type: 'card-unlock' },
        { seq: 2, type: 'auto-lock' },
      ],
    };
    const first = domain.reports.events(lockId, report).then(() => {
      done = true;
    });
    await settled();
    expect(done).toBe(false);
    release();
    await first;
    await domain.reports.events(lockId, report);
    expect((await recordsOf(domain)).map(({ seq }) => seq)).toEqual([2, 1]);
  });

  it('are handed to the store in the order in which they came (Protocol 4.4)', async () => {
    const domain = await createDomain();
    const release = domain.storage.hold();
    const reports = [1, 2, 3].map((seq) => domain.reports.events(lockId, { epoch: 'e', events: [{ seq, type: 'tamper' }] }));
    release();
    await Promise.all(reports);
    expect((await recordsOf(domain)).map(({ seq }) => seq)).toEqual([3, 2, 1]);
  });

  it('are rejected, so that the lock keeps them, when they cannot be stored (Protocol 4.4)', async () => {
    const domain = await createDomain();
    domain.storage.fails = () => true;
    const report = { epoch: 'e', events: [{ seq: 1, type: 'tamper' }] };
    expect(await codeOf(() => domain.reports.events(lockId, report))).toBe('storage-unavailable');
    domain.storage.fails = () => false;
    await domain.reports.events(lockId, report);
    expect(await recordsOf(domain)).toHaveLength(1);
  });

  it('count before a hello has come, and of a lock that is offline (Protocol 4.4)', async () => {
    const domain = await createDomain({ online: false });
    await domain.reports.events(lockId, {
      epoch: 'e',
      events: [
        { seq: 1, type: 'tamper' },
        { seq: 5, type: 'tamper' },
      ],
    });
    await settled();
    expect(await recordsOf(domain)).toHaveLength(2);
  });

  it('make records with the defaults of the protocol (Protocol 4.4)', async () => {
    const record = await recordOf(await createDomain(), { type: 'key-unlock' });
    expect(record).toMatchObject({ success: true, credential: '', username: '', lockDate: now, serverDate: now, epoch: 'e', seq: 1 });
    expect(record).not.toHaveProperty('reportedDate');
    expect(record?.undated).toBe(true);
  });

  it('keep what the lock said: a refusal, the credential, a type of its own (Protocol 4.4)', async () => {
    const domain = await createDomain();
    expect(await recordOf(domain, { type: 'pet-flap', success: false, credential: '007' })).toMatchObject({
      type: 'pet-flap',
      success: false,
      credential: '007',
    });
  });

  it.each([
    ['the reason of a refusal', { success: false, reason: 'not-valid-now' }, { success: false, reason: 'not-valid-now' }],
    ["a word of the lock's own for it", { success: false, reason: 'wrong finger' }, { success: false, reason: 'wrong finger' }],
    ['no empty one', { success: false, reason: '' }, { success: false, reason: undefined }],
    ['none of what was done', { reason: 'schedule' }, { success: true, reason: undefined }],
    ['that a jammed bolt is no success', { type: 'jammed', success: true }, { success: false }],
  ])('keep %s (Protocol 4.4)', async (_what, event, kept) => {
    const record = await recordOf(await createDomain(), event);
    expect({ ...record, reason: record?.reason }).toMatchObject(kept);
  });

  it.each([
    ['of now', now, now],
    ['exactly as old as the retention', Date.UTC(2026, 4, 21, 9), Date.UTC(2026, 4, 21, 9)],
    ['24 h ahead', now + dayMs, now + dayMs],
    ['more than 24 h ahead', now + dayMs + 1, now],
    ['older than the retention', Date.UTC(2026, 4, 21, 9) - 1, now],
    ['of 1970', 0, now],
  ])(
    'carry the date of the lock where it is believable, else that of the gateway beside it: %s (Protocol 4.4)',
    async (_what, date, lockDate) => {
      const record = await recordOf(await createDomain(), { date });
      expect(record).toMatchObject({ lockDate, serverDate: now });
      expect([record?.reportedDate, record?.undated]).toEqual([date === lockDate ? undefined : date, undefined]);
    },
  );

  it('keep the date of the lock while the clock of the gateway is suspect (Protocol 4.4)', async () => {
    const domain = await createDomain();
    domain.gatewayClock.isSuspect = true;
    expect(await recordOf(domain, { date: now - 900 * dayMs })).toMatchObject({ lockDate: now - 900 * dayMs });
  });

  it.each([
    ['the account that gave a remote command', { type: 'remote-unlock', commandId: '1/7/4', username: 'liar' }, 'ole'],
    ['nobody when the command was for another lock', { type: 'remote-unlock', commandId: '1/8/4', username: 'said' }, ''],
    ["nobody for the gateway's own command", { type: 'remote-lock', commandId: '1/7/0', username: 'said' }, ''],
    ['nobody for an account that never was', { type: 'remote-lock', commandId: '1/7/77', username: 'said' }, ''],
    ['nobody for a remote event without a command', { type: 'remote-unlock', username: 'admin' }, ''],
    ['nobody for a command id that was made up', { type: 'remote-unlock', commandId: 'made-up', username: 'admin' }, ''],
    ['nobody for a type that looks like a remote one', { type: 'Remote-Unlock', commandId: '1/7/4', username: 'admin' }, ''],
    ['nobody for a remote type of its own', { type: 'remote-open', commandId: '1/7/4', username: 'admin' }, ''],
    ['nobody for a command id on anything but a remote event', { type: 'key-unlock', commandId: '1/7/4' }, ''],
    ['the name of the card', { type: 'card-unlock', credential: '1325672378', username: 'said' }, 'blue fob'],
    ['the name of the card, whatever its leading zeros', { type: 'card-lock', credential: '0001325672378' }, 'blue fob'],
    ['what the lock says for a card without a name', { type: 'card-unlock', credential: '5', username: 'said' }, 'said'],
    ['what the lock says for an unknown card', { type: 'card-unlock', credential: '404', username: 'said' }, 'said'],
    ['nobody when the lock says nothing', { type: 'passcode-unlock', credential: '1325672378' }, ''],
  ])('name %s (HTTP API 5.7)', async (_what, event, username) => {
    const nameless = someCard({ cardId: 101 as CardId, cardNumber: '5', name: '' });
    expect(await recordOf(await createDomain({ cards: [someCard(), nameless] }), event)).toMatchObject({ username });
  });

  it('of a remote command name an account that was removed since, and nobody with its name after it (HTTP API 8.4, Decision 7)', async () => {
    const domain = await createDomain();
    await domain.accountService.removeAccount(callers.admin, 'ole');
    await domain.accountService.createAccount(callers.admin, 'ole', false);
    expect(await recordOf(domain, { type: 'remote-unlock', commandId: '1/7/4' })).toMatchObject({ username: 'ole', command: 1 });
    await domain.accounts.forgetRemoved(now);
    const events = [{ seq: 2, type: 'remote-unlock', commandId: '2/7/4' }];
    await domain.reports.events(lockId, { epoch: 'e', events });
    expect((await recordsOf(domain))[0]).toMatchObject({ username: '', command: 2 });
  });

  it('of one command name its account once, whatever seq and epoch the lock gives them (Protocol 4.4)', async () => {
    const domain = await createDomain();
    const remote = (seq: number, commandId: string, epoch = 'e') =>
      domain.reports.events(lockId, { epoch, events: [{ seq, type: 'remote-unlock', commandId, username: 'ole' }] });
    await remote(1, '1/7/4');
    await remote(1, '1/7/4');
    await remote(2, '1/7/4');
    await remote(3, '2/7/4');
    await remote(1, '2/7/4', 'another');
    expect((await recordsOf(domain)).map(({ epoch, seq, username }) => [epoch, seq, username])).toEqual([
      ['another', 1, ''],
      ['e', 3, 'ole'],
      ['e', 2, ''],
      ['e', 1, 'ole'],
    ]);
  });

  it.each([
    'unlock by gateway',
    'Unlock by Gateway',
    ' unlock\u00a0 by \t gateway\n',
    '\uff35nlock by gateway',
    'unlock\u200b by gate\u00adway\ufeff',
    'TAMPER ALERT',
    'auto\u0000lock',
  ])(
    'of a type that a person takes for a label of ours go to the quarantine, and the others are stored: %j (Protocol 4.4)',
    async (type) => {
      const domain = await createDomain();
      const events = [
        { seq: 1, type: 'tamper' },
        { seq: 2, type, username: 'admin' },
        { seq: 3, type: 'auto-lock' },
      ];
      expect(await domain.reports.events(lockId, { epoch: 'e', events })).toMatchObject({ duplicates: 0 });
      expect((await recordsOf(domain)).map(({ seq }) => seq)).toEqual([3, 1]);
      expect(domain.quarantine.kept.map(({ payload }) => JSON.parse(payload))).toEqual([{ epoch: 'e', events: [events[1]] }]);
      expect(domain.notices).toContainEqual({ kind: 'events-quarantined', lockId, epoch: 'e', count: 1 });
    },
  );

  it('of a type of its own that reads otherwise stay as they are (Protocol 4.4)', async () => {
    const domain = await createDomain();
    const types = ['Haustür', 'pet flap', 'unlock by gateways', 'unlock by the gateway', 'constructor'];
    await domain.reports.events(lockId, { epoch: 'e', events: types.map((type, n) => ({ seq: n + 1, type, username: 'Rex' })) });
    expect((await recordsOf(domain)).map(({ type, username }) => [type, username])).toEqual(types.map((type) => [type, 'Rex']).reverse());
    expect(domain.quarantine.kept).toEqual([]);
  });

  it('that leave a gap are asked for once a session, when no other command waits (Protocol 4.4)', async () => {
    const { reports, link, notices } = await createDomain();
    link.reply(lockId, () => ok);
    reports.hello(lockId, onTime);
    const send = (seq: number) => reports.events(lockId, { epoch: 'e', events: [{ seq, type: 'tamper' }] });
    await send(10);
    await settled();
    expect(link.sent).toEqual([]);
    await send(14);
    await send(15);
    await settled();
    await send(16);
    await settled();
    expect(link.sent.map(({ command }) => command)).toEqual([{ op: 'resend-events', epoch: 'e', from: 11, to: 13 }]);
    expect(notices).toContainEqual({ kind: 'events-lost', lockId, epoch: 'e', from: 11, to: 13 });
  });

  it('beyond what is remembered go to the quarantine before they resolve, and the others are stored (Protocol 4.4)', async () => {
    const domain = await createDomain();
    for (let n = 1; n <= 8; n++) await domain.reports.events(lockId, { epoch: `e${n}`, events: [{ seq: 1, type: 'tamper' }] });
    await domain.reports.events(lockId, { epoch: 'e9', events: [{ seq: 1, type: 'card-unlock', credential: '5' }] });
    expect(await recordsOf(domain)).toHaveLength(8);
    expect(domain.quarantine.kept).toMatchObject([{ deviceId: 'a4c1387f02e7' as DeviceId }]);
    expect(JSON.parse(domain.quarantine.kept[0]?.payload ?? '')).toMatchObject({ epoch: 'e9', events: [{ seq: 1, credential: '5' }] });
    expect(domain.notices).toContainEqual({ kind: 'events-quarantined', lockId, epoch: 'e9', count: 1 });
  });

  it('are rejected when the quarantine cannot keep what was refused: nothing acknowledged is lost (Protocol 4.4)', async () => {
    const domain = await createDomain();
    const { storage, lockService: _, notices: __, ...ports } = domain;
    const append = async (_lock: LockId, _epoch: string, events: AppendOutcome['refused']) => ({
      stored: 0,
      duplicates: 0,
      refused: events,
    });
    const certainty = createFakeCertainty();
    const clockEvidence = { heard: () => undefined };
    const reports = createReportService({ ...ports, certainty, clockEvidence, records: { ...domain.records, append } });
    storage.fails = (write) => write === 'quarantine.keep';
    expect(await codeOf(() => reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type: 'tamper' }] }))).toBe('storage-unavailable');
    expect(domain.quarantine.kept).toEqual([]);
  });
});
