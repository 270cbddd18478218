import { describe, expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { createEventReports } from '../../../src/domain/locks/event-reports.ts';
import type { DeviceId, LockId } from '../../../src/domain/locks/lock.ts';
import type { AppendOutcome } from '../../../src/domain/records/record-ports.ts';
import { callers, codeOf, createDomain, lockId, recordOf, recordsOf, someCard } from '../../support/domain.ts';
import { ok } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 21, 9);
const onTime = { date: now };

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
    const said = { type: 'pet-flap', credential: '007' };
    expect(await recordOf(await createDomain(), said)).toMatchObject({ ...said, success: true });
    expect(await recordOf(await createDomain(), { ...said, success: false })).toMatchObject({ type: 'pet-flap', success: false });
  });

  it.each([
    ['a passcode of which the lock says so', { type: 'passcode-unlock', reason: 'wrong-passcode' }, '482914', ''],
    ['one without a reason', { type: 'passcode-unlock' }, '482914', ''],
    ['one after too many attempts', { type: 'passcode-unlock', reason: 'locked-out' }, '482914', ''],
    ["one with a word of the lock's own", { type: 'passcode-lock', reason: 'no entry' }, '482914', ''],
    ["a number in an event of the lock's own", { type: 'keypad', reason: 'wrong-passcode' }, '482914', ''],
    ['not a passcode at the wrong time', { type: 'passcode-unlock', reason: 'not-valid-now' }, '482913', '482913'],
    ['not the passcode at which the bolt jammed', { type: 'jammed' }, '482913', '482913'],
    ['not a card', { type: 'card-unlock', reason: 'unknown-card' }, '5550001', '5550001'],
    ['not the slot of a code', { type: 'passcode-unlock', reason: 'wrong-passcode' }, 'slot 3', 'slot 3'],
  ])(
    'that were refused are stored without a code that may be a slip of the finger: %s (Protocol 4.4)',
    async (_what, event, typed, stored) => {
      const domain = await createDomain();
      expect((await recordOf(domain, { ...event, success: false, credential: typed }))?.credential).toBe(stored);
    },
  );

  it('are in quarantine without passcodes, whether they were right or not', async () => {
    const domain = await createDomain();
    const type = 'Unlock by Passcode';
    await domain.reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type, credential: '482913' }] });
    expect(domain.quarantine.kept.map(({ payload }) => JSON.parse(payload).events)).toEqual([[{ seq: 1, type, credential: '****' }]]);
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
    await domain.accountService.createAccount(callers.admin, 'ole', { gatewayAdministrator: false, accessManager: false });
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
    const reports = createEventReports({ ...ports, records: { append } });
    storage.fails = (write) => write === 'quarantine.keep';
    expect(await codeOf(() => reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type: 'tamper' }] }))).toBe('storage-unavailable');
    expect(domain.quarantine.kept).toEqual([]);
  });
});
