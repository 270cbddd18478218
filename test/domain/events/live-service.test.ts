import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import type { LiveEvent } from '../../../src/domain/events/live-event.ts';
import { sampleRevocation } from '../../stores/files/support/samples.ts';
import { callers, createDomain, lockId, someCard, stays } from '../../support/domain.ts';
import { bareCapabilities } from '../../support/fake-driver.ts';

async function setUp(options: Parameters<typeof createDomain>[0] = {}) {
  const domain = await createDomain(options);
  function follow(caller: Caller) {
    const heard: LiveEvent[] = [];
    let asked = 0;
    const stop = domain.live.subscribe({
      caller,
      onEvent: (event) => void heard.push(event),
      accountChanged: () => {
        asked += 1;
      },
    });
    return { heard, stop, asked: () => asked, types: () => heard.map(({ type }) => type) };
  }
  const append = (seq: number, lockDate = domain.clock.now()) =>
    domain.records.append(lockId, 'e', [
      { seq, type: 'tamper', success: true, credential: '', username: '', lockDate, serverDate: domain.clock.now() },
    ]);
  return { ...domain, follow, append };
}

describe('the subscribers of an event', () => {
  it('state, battery and online: whoever has a role on the lock; cards and records: managers and the administrator (HTTP API 7)', async () => {
    const { follow, reports, append, cardService } = await setUp({ cards: [someCard()] });
    const [ada, max, ole, sam, admin] = [callers.administrator, callers.manager, callers.operator, callers.stranger, callers.admin].map(
      follow,
    );
    reports.hello(lockId, { state: 'locked', battery: 83 });
    reports.offline(lockId, 'it left');
    await append(1);
    await cardService.rename(callers.manager, lockId, someCard().cardId, 'red fob');
    const all = ['state', 'battery', 'online', 'online', 'record', 'card'];
    expect(ada?.types()).toEqual(all);
    expect(max?.types()).toEqual(all);
    expect(ole?.types()).toEqual(['state', 'battery', 'online', 'online']);
    expect([sam?.types(), admin?.types()]).toEqual([[], []]);
    expect(ada?.heard).toMatchObject([
      { state: 'locked', lockId },
      { batteryPercent: 83 },
      { online: true },
      { online: false },
      { record: { recordId: 1, type: 'tamper' } },
      { change: 'changed', card: { name: 'red fob' } },
    ]);
  });

  it('what a lock can do now: whoever has a role on it sees the lock anew', async () => {
    const { follow, drivers, emit } = await setUp();
    const [ole, sam] = [callers.operator, callers.stranger].map(follow);
    Object.assign(drivers.ofKind('native') ?? {}, { capabilities: () => ({ ...bareCapabilities, passcodes: true }) });
    emit('capabilities-changed', { lockId });
    expect(ole?.heard).toMatchObject([{ type: 'lock', lockId, role: 'operator', capabilities: { passcodes: true } }]);
    expect(sam?.heard).toEqual([]);
  });

  it('a state or a battery level that is reported again is no event, nor is a second hello', async () => {
    const { follow, reports } = await setUp();
    const ole = follow(callers.operator);
    for (let n = 0; n < 3; n++) reports.hello(lockId, { state: 'locked', battery: 83 });
    reports.state(lockId, { state: 'locked' });
    reports.battery(lockId, { level: 82 });
    reports.state(lockId, { state: 'unlocked' });
    expect(ole.types()).toEqual(['state', 'battery', 'online', 'battery', 'state']);
  });

  it('a right that is taken away is taken away with the next event, and the lock is said to be gone', async () => {
    const { follow, reports, roleService, append } = await setUp();
    const [max, ole] = [follow(callers.manager), follow(callers.operator)];
    await roleService.grant(callers.administrator, lockId, 'max', 'operator');
    await append(1);
    await roleService.revoke(callers.administrator, lockId, 'ole');
    reports.battery(lockId, { level: 50 });
    expect(max.heard).toMatchObject([{ type: 'lock', role: 'operator', alias: 'Door 7' }, { type: 'battery' }]);
    expect(ole.heard).toEqual([{ type: 'lock-gone', lockId }]);
  });

  it('a lock that comes into sight, gets another alias or is removed is an event for the accounts that see it', async () => {
    const { follow, registrationService, roleService, lockService } = await setUp();
    const [ole, sam] = [follow(callers.operator), follow(callers.stranger)];
    await lockService.rename(callers.administrator, lockId, 'Gate');
    await roleService.grant(callers.administrator, lockId, 'sam', 'operator');
    await registrationService.remove(callers.admin, lockId);
    expect(ole.heard).toMatchObject([{ type: 'lock', alias: 'Gate', role: 'operator', online: true }, { type: 'lock-gone' }]);
    expect(sam.heard).toMatchObject([{ type: 'lock', alias: 'Gate', state: null, batteryPercent: null }, { type: 'lock-gone' }]);
  });

  it('the administrator of a removed lock gets the records that it has not had yet, and nobody else does', async () => {
    const { append, live, registrationService } = await setUp();
    await append(1);
    await registrationService.remove(callers.admin, lockId);
    const told = async (caller: Caller) => {
      const seqs: number[] = [];
      for await (const some of live.recordsSince(caller, 0)) seqs.push(...some.map(({ seq }) => seq));
      return [live.mayHear(caller, { type: 'record', lockId }), seqs];
    };
    expect(await told(callers.administrator)).toEqual([true, [1]]);
    for (const caller of [callers.admin, callers.manager, callers.stranger]) expect(await told(caller)).toEqual([false, []]);
    expect(live.mayHear(callers.administrator, { type: 'card', lockId })).toBe(false);
  });

  it('a card that is added and removed, by a phone as by the gateway', async () => {
    const { follow, cardService } = await setUp();
    const max = follow(callers.manager);
    const card = { cardNumber: '4711', byteOrder: 'regular', name: 'fob', startDate: 0, endDate: 0 } as const;
    const cardId = await cardService.add(callers.manager, lockId, card, 'phone', stays());
    await cardService.remove(callers.manager, lockId, cardId, 'phone', stays());
    expect(max.heard).toMatchObject([
      { type: 'card', change: 'added', card: { cardNumber: '4711' } },
      { type: 'card', change: 'removed', card: { cardNumber: '4711' } },
    ]);
  });

  it('a subscriber that stopped gets nothing more', async () => {
    const { follow, append } = await setUp();
    const [ada, max] = [follow(callers.administrator), follow(callers.manager)];
    max.stop();
    await append(1);
    expect([ada.types(), max.types()]).toEqual([['record'], []]);
  });

  it('the end of an account or of a token lets its own followers ask again, and a new one nobody', async () => {
    const { follow, accountService } = await setUp();
    const [ada, max, sam] = [follow(callers.administrator), follow(callers.manager), follow(callers.stranger)];
    await accountService.createAccount(callers.admin, 'new', { gatewayAdministrator: false, accessManager: false });
    const { token } = await accountService.createToken(callers.admin, { username: 'max', name: 'phone' });
    expect([ada.asked(), max.asked(), sam.asked()]).toEqual([0, 0, 0]);
    await accountService.removeToken(callers.admin, token.tokenId);
    expect([ada.asked(), max.asked(), sam.asked()]).toEqual([0, 1, 0]);
    await accountService.removeAccount(callers.admin, 'sam');
    expect([ada.asked(), max.asked(), sam.asked()]).toEqual([0, 1, 1]);
  });
});

describe('alarms', () => {
  it('are heard by managers of the lock and by gateway administrators; those of the gateway by the latter alone', async () => {
    const { follow, alarms, clock, live } = await setUp();
    const [max, ole, admin] = [follow(callers.manager), follow(callers.operator), follow(callers.admin)];
    alarms.raise('jammed', lockId, { reason: 'its bolt does not move' });
    alarms.raise('storage-unavailable', null, { reason: 'the disk is full' });
    await clock.advance(2_000);
    const jammed = {
      type: 'alarm',
      lockId,
      alarm: { kind: 'jammed', lockId, since: clock.now() - 2_000, reason: 'its bolt does not move' },
    };
    expect(max.heard).toEqual([jammed]);
    expect(admin.heard).toMatchObject([jammed, { alarm: { kind: 'storage-unavailable', lockId: null } }]);
    expect(ole.heard).toEqual([]);
    expect(live.alarmsOf(callers.manager)).toMatchObject([jammed]);
    alarms.clear('jammed', lockId);
    await clock.advance(86_400_000);
    alarms.endGone();
    await clock.advance(2_000);
    expect(max.heard.at(-1)).toEqual({ type: 'alarm-ended', lockId, kind: 'jammed', since: jammed.alarm.since });
  });

  it('that are active are events for an operator who becomes a manager', async () => {
    const { follow, alarms, roleService } = await setUp();
    alarms.raise('tampered', lockId, { reason: 'it was opened' });
    const ole = follow(callers.operator);
    await roleService.grant(callers.administrator, lockId, 'ole', 'manager');
    expect(ole.heard).toMatchObject([
      { type: 'lock', role: 'manager' },
      { type: 'alarm', alarm: { kind: 'tampered' } },
    ]);
  });
});

describe('records of the past', () => {
  it('are those of the locks that the account may read, and none older than is kept (Specification 8)', async () => {
    const { live, append, clock } = await setUp();
    await append(1, clock.now() - 250 * 86_400_000);
    for (let seq = 2; seq <= 4; seq++) await append(seq);
    const idsFor = async (caller: Caller, above: number) => {
      const ids: number[] = [];
      for await (const some of live.recordsSince(caller, above)) ids.push(...some.map(({ recordId }) => recordId));
      return ids;
    };
    expect(await idsFor(callers.manager, 0)).toEqual([2, 3, 4]);
    expect(await idsFor(callers.manager, 3)).toEqual([4]);
    expect(await idsFor(callers.operator, 0)).toEqual([]);
    expect(live.newestRecord()).toBe(4);
  });
});

describe('what was reported lost, and readers that seem reversed', () => {
  it('is told to access managers, and to managers of the lock', async () => {
    const { emit, live } = await createDomain();
    const heard: (readonly [string, string])[] = [];
    const listeners = { ...callers, access: { ...callers.stranger, accessManager: true } };
    for (const [name, caller] of Object.entries(listeners))
      live.subscribe({ caller, onEvent: ({ type }) => void heard.push([name, type]), accountChanged: () => undefined });
    emit('revocation-reported', { revocation: sampleRevocation(1), certain: false, doors: { dead: 0, open: 1 } });
    const evidence = { kind: 'byte-order', cards: 1, swipes: 1, since: 1, readerOrder: 'reverse', directCards: 0 } as const;
    emit('suggestion-made', { suggestionId: 3, lockId, ...evidence });
    expect(heard).toEqual([
      ['access', 'revocation'],
      ['administrator', 'suggestion'],
      ['manager', 'suggestion'],
    ]);
  });
});
