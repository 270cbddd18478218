// Passcodes over the real domain, with a scripted lock.
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { requireLock } from '../../../src/domain/accounts/permissions.ts';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import type { NewPasscode, PasscodeVia } from '../../../src/domain/credentials/passcode.ts';
import type { DomainError } from '../../../src/domain/errors.ts';
import type { CredentialOnLock } from '../../../src/domain/locks/lock-command.ts';
import { callers, codeOf, createDomain, lockId } from '../../support/domain.ts';
import { someEntry, surely } from '../../support/entries.ts';
import { bareCapabilities } from '../../support/fake-driver.ts';
import { refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const stays = new AbortController().signal;
const always = { startDate: 0, endDate: 0 };
const dayMs = 86_400_000;

/** As Protocol 4.1 has it. */
function digestOf(all: readonly CredentialOnLock[]): string {
  const sorted = all.toSorted((a, b) => (a.number < b.number ? -1 : 1));
  const lines = sorted.map(({ kind, number, startDate, endDate, hours, once }) =>
    [kind.charAt(0), number, startDate, endDate, hours, once ? '1' : ''].join(),
  );
  return createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex')
    .slice(0, 16);
}

/** A lock with one memory for cards and passcodes. */
async function setUp(can = {}) {
  const domain = await createDomain();
  const { drivers, locks, entries, passcodes, link, clock } = domain;
  const capabilities = { ...bareCapabilities, cards: true, passcodes: true, hours: true, once: true, ...can };
  Object.assign(drivers.ofKind('native') ?? {}, { capabilities: () => capabilities });
  await locks.update(lockId, (lock) => ({ ...lock, features: { features: ['credentials'], limits: { passcodeDigits: [5, 8] } } }));
  const memory = new Map<string, CredentialOnLock>();
  /** What it forgets to do, though it says ok. */
  const faults = { forgets: false, keeps: false };
  link.connect(lockId, (command) => {
    if (command.op === 'put-credentials' && !faults.forgets) for (const item of command.items) memory.set(item.number, item);
    if (command.op === 'remove-credentials' && !faults.keeps) for (const { number } of command.items) memory.delete(number);
    const all = [...memory.values()];
    const listing = command.op === 'list-credentials' ? { listing: { credentials: all, total: all.length } } : {};
    return { kind: 'ok', credentials: { count: all.length, digest: digestOf(all), failed: [], ...listing } };
  });
  const add = (some: Partial<NewPasscode> = {}, via: PasscodeVia = 'gateway', caller = callers.manager) =>
    passcodes.add(caller, lockId, { type: 'permanent', name: 'Cleaner', ...always, ...some }, via, stays);
  const entryOf = async (id: number) => (await entries.of(lockId)).byId(id as CardId);
  const listed = async () => (await passcodes.list(callers.manager, lockId, { pageNo: 1, pageSize: 100 })).list;
  return { ...domain, memory, faults, add, entryOf, listed, now: () => clock.now() };
}

describe('adding a passcode', () => {
  it('puts it on the lock, and shows the one that the gateway has made; leading zeros count', async () => {
    const { add, memory, entryOf } = await setUp();
    const made = await add();
    expect(made.code).toMatch(/^\d{6}$/);
    expect([...memory.values()]).toEqual([{ kind: 'passcode', number: made.code, ...always, hours: '', once: false }]);
    expect(await entryOf(made.passcodeId)).toMatchObject({
      kind: 'passcode',
      direct: { once: false },
      held: { sure: true, basis: 'reply' },
    });
    const chosen = await add({ code: '00423' });
    expect([chosen.code, memory.has('00423'), (await entryOf(chosen.passcodeId))?.custom]).toEqual(['00423', true, true]);
    expect(await codeOf(() => add({ code: '00423' }))).toBe('passcode-exists');
    expect(await codeOf(() => add({ code: '000423' }))).toBe('done');
  });

  it('is unsure on the disk before the lock can have it, and nothing of it stays when the lock refuses', async () => {
    const { add, link, entries, passcodes } = await setUp();
    const seen: unknown[] = [];
    link.reply(lockId, () => {
      seen.push(entries.inMemory(lockId)?.entries.map(({ direct, held }) => [direct, held?.sure]));
      return refusal('no-space', 'no room for 482913 beside 1234567');
    });
    const failure = await add({ code: '482913' }).catch((error: unknown) => error as DomainError);
    expect(failure).toMatchObject({ code: 'lock-refused', lockError: 'no-space', message: 'the lock refused: no-space' });
    expect(seen).toEqual([[[null, false]]]);
    expect((await entries.of(lockId)).entries).toEqual([]);
    expect((await passcodes.list(callers.manager, lockId, { pageNo: 1, pageSize: 10 })).total).toBe(0);
  });

  it('is no success when the lock says ok and holds something else, and the code is free again', async () => {
    const { add, faults, listed, memory, entries } = await setUp();
    faults.forgets = true;
    await expect(add({ code: '482913' })).rejects.toMatchObject({ code: 'lock-refused', lockError: 'not-done' });
    expect(await listed()).toEqual([]);
    faults.forgets = false;
    expect((await entries.of(lockId)).byNumber('passcode', '482913')).toBeUndefined();
    await add({ code: '482913' });
    expect([...memory.keys()]).toEqual(['482913']);
  });

  it('refuses what is weak or wrong for this lock, before anything is stored or sent', async () => {
    const { add, link, now } = await setUp({ once: false, hours: false });
    const answers = await Promise.all([
      codeOf(() => add({ code: '12345' })),
      codeOf(() => add({ code: '4829' })),
      codeOf(() => add({ code: '482913570' })),
      codeOf(() => add({ digits: 4 })),
      codeOf(() => add({ type: 'once' })),
      codeOf(() => add({ scheduleId: 99 })),
      codeOf(() => add({ type: 'period', endDate: now() - 1 })),
      codeOf(() => add({}, 'gateway', callers.operator)),
    ]);
    expect(answers).toEqual([
      ...['passcode-weak', 'passcode-weak', 'invalid-parameter', 'invalid-parameter', 'not-supported'],
      ...['invalid-parameter', 'invalid-parameter', 'forbidden'],
    ]);
    expect(link.sent).toEqual([]);
  });

  it('with the hours of a schedule, which the lock must be able to keep', async () => {
    const { add, schedules, memory, drivers, passcodes } = await setUp();
    await schedules.put({ scheduleId: 3, name: 'Office', hours: [{ days: [1, 2], from: 480, to: 1080 }] } as never);
    const { code, passcodeId } = await add({ scheduleId: 3 });
    expect(memory.get(code)?.hours).toBe('12:480-1080');
    await schedules.remove(3 as never);
    await passcodes.change(callers.manager, lockId, passcodeId, { startDate: 5, endDate: 0 }, 'gateway', stays);
    expect(memory.get(code)).toMatchObject({ startDate: 5, hours: '12:480-1080' });
    await passcodes.change(callers.manager, lockId, passcodeId, { ...always, scheduleId: null }, 'gateway', stays);
    expect(memory.get(code)).toMatchObject({ startDate: 0, hours: '' });
    await schedules.put({ scheduleId: 3, name: 'Office', hours: [] } as never);
    Object.assign(drivers.ofKind('native') ?? {}, { capabilities: () => ({ ...bareCapabilities, passcodes: true }) });
    expect(await codeOf(() => add({ scheduleId: 3 }))).toBe('not-supported');
  });

  it('with a schedule whose edits reach its lock, and that is not deleted while somebody wants the passcode', async () => {
    const { add, memory, passcodes, peopleServices, events, entries, wantedViews, locks } = await setUp();
    const { schedules: weekly } = peopleServices;
    const touched: (readonly number[])[] = [];
    events.subscribe('wanted-changed', ({ lockIds }) => void touched.push(lockIds));
    const office = await weekly.create(callers.admin, { name: 'Office', hours: [{ days: [1, 2], from: 480, to: 1080 }] });
    const night = await weekly.create(callers.admin, { name: 'Night', hours: [{ days: [1], from: 0, to: 60 }] });
    const { code, passcodeId } = await add({ scheduleId: office.scheduleId });
    await add();
    const wantedHours = async () => {
      const entry = (await entries.of(lockId)).byNumber('passcode', code);
      return entry && wantedViews.of(requireLock(locks, lockId), [entry]).wanted(entry)?.hours;
    };
    touched.length = 0;
    await weekly.change(callers.admin, night.scheduleId, { hours: [{ days: [2], from: 0, to: 60 }] });
    await settled();
    expect([touched, await wantedHours()]).toEqual([[], '12:480-1080']);
    await weekly.change(callers.admin, office.scheduleId, { hours: [{ days: [1], from: 480, to: 720 }] });
    await settled();
    expect([touched, await wantedHours()]).toEqual([[[lockId]], '1:480-720']);
    // Its dates alone are changed, and the lock gets the hours of now.
    await passcodes.change(callers.manager, lockId, passcodeId, { startDate: 5, endDate: 0 }, 'gateway', stays);
    expect(memory.get(code)).toMatchObject({ startDate: 5, hours: '1:480-720' });
    const remove = (scheduleId: number) => codeOf(() => weekly.remove(callers.admin, scheduleId as never));
    expect([await remove(office.scheduleId), await remove(night.scheduleId)]).toEqual(['conflict', 'done']);
    await passcodes.remove(callers.manager, lockId, passcodeId, 'gateway', stays);
    expect(await remove(office.scheduleId)).toBe('done');
  });

  it('whose schedule was edited while it was on its way gets the new hours when it is there', async () => {
    const { entries, peopleServices, events } = await setUp();
    const { scheduleId } = await peopleServices.schedules.create(callers.admin, {
      ...{ name: 'Office', hours: [{ days: [1], from: 480, to: 720 }] },
    });
    const touched: (readonly number[])[] = [];
    events.subscribe('wanted-changed', ({ lockIds }) => void touched.push(lockIds));
    const came = (entryId: number, hours: string) =>
      entries.update(lockId, () => ({
        put: [someEntry(entryId, { kind: 'passcode', number: `482${entryId}`, direct: { ...always, hours, once: false }, scheduleId })],
      }));
    await came(101, '1:480-720');
    expect(touched).toEqual([]);
    await came(102, '12:480-1080');
    expect(touched).toEqual([[lockId]]);
  });

  it('as a phone has done it sends nothing, is noted as it is, weak or not, and taken off by nobody but a phone', async () => {
    const { add, link, entryOf, listed } = await setUp();
    const { passcodeId } = await add({ code: '12345' }, 'phone');
    expect(await entryOf(passcodeId)).toMatchObject({ managed: false, held: { basis: 'phone', sure: true } });
    expect([link.sent.length, (await listed()).length]).toEqual([0, 1]);
  });

  it('with queue=1 needs no connection; a list has it when the lock has it', async () => {
    const { add, link, entryOf, listed, passcodes } = await setUp();
    link.lose(lockId);
    expect(await codeOf(() => add())).toBe('lock-offline');
    const queued = await add({}, 'queue');
    expect(queued.status).toBe('pending');
    expect([(await entryOf(queued.passcodeId))?.held, await listed()]).toEqual([null, []]);
    expect((await passcodes.detail(callers.administrator, lockId, queued.passcodeId)).code).toBe(queued.code);
    expect(await passcodes.remove(callers.manager, lockId, queued.passcodeId, 'queue', stays)).toEqual({ status: 'ended' });
    expect([await entryOf(queued.passcodeId), link.sent.length]).toEqual([undefined, 0]);
  });
});

describe('a passcode', () => {
  it('is shown to the administrator of the lock alone', async () => {
    const { add, passcodes } = await setUp();
    const { passcodeId, code } = await add();
    const page = { pageNo: 1, pageSize: 10 };
    expect((await passcodes.detail(callers.administrator, lockId, passcodeId)).code).toBe(code);
    expect((await passcodes.listWithCodes(callers.administrator, lockId, page)).list).toMatchObject([{ passcodeId, code }]);
    for (const caller of [callers.manager, callers.operator, callers.admin]) {
      expect(await codeOf(() => passcodes.detail(caller, lockId, passcodeId))).toBe('not-lock-administrator');
      expect(await codeOf(() => passcodes.listWithCodes(caller, lockId, page))).toBe('not-lock-administrator');
    }
    expect(await codeOf(() => passcodes.detail(callers.administrator, lockId, 999 as CardId))).toBe('not-found');
  });

  it('gets other times, another name, and goes, with the word of the lock', async () => {
    const { add, passcodes, memory, listed, faults } = await setUp();
    const { passcodeId, code } = await add();
    const times = { startDate: 5, endDate: 9_000_000_000_000 };
    expect(await passcodes.change(callers.manager, lockId, passcodeId, times, 'gateway', stays)).toEqual({});
    expect(memory.get(code)).toMatchObject(times);
    await passcodes.rename(callers.manager, lockId, passcodeId, 'Post');
    expect(await listed()).toMatchObject([{ passcodeId, name: 'Post', type: 'period', ...times, isCustom: false }]);
    faults.keeps = true;
    const failure = await passcodes.remove(callers.manager, lockId, passcodeId, 'gateway', stays).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'lock-refused', lockError: 'not-done' });
    expect([(await listed()).length, memory.size]).toEqual([1, 1]);
    faults.keeps = false;
    expect(await passcodes.remove(callers.manager, lockId, passcodeId, 'gateway', stays)).toEqual({});
    expect([await listed(), memory.size]).toEqual([[], 0]);
  });

  it('that a grant wants is changed at the grant', async () => {
    const { entries, passcodes, people } = await setUp();
    const entry = someEntry(52, { lockId, kind: 'passcode', number: '482913', direct: null, credentialId: 31 });
    await entries.update(lockId, () => ({ put: [entry] }));
    const grants = [
      { grantId: 12, lockIds: [lockId], groupIds: [] },
      { grantId: 13, lockIds: [99], groupIds: [] },
    ];
    const credentials = [{ credentialId: 31, kind: 'passcode', number: '482913' }];
    await people.add({ personId: 5, name: 'Erika', externalId: null, grants, credentials } as never);
    const ways = [
      () => passcodes.remove(callers.manager, lockId, entry.entryId, 'gateway', stays),
      () => passcodes.change(callers.manager, lockId, entry.entryId, always, 'queue', stays),
      () => passcodes.rename(callers.manager, lockId, entry.entryId, 'x'),
    ];
    for (const way of ways) await expect(way()).rejects.toMatchObject({ code: 'granted', grantIds: [12] });
  });

  it('that opens once is used up by its event, before that is acknowledged, and never placed or changed again', async () => {
    const { add, events, reports, entryOf, listed, passcodes, storage } = await setUp();
    const looked: unknown[] = [];
    events.subscribe('wanted-changed', ({ lockIds }) => looked.push(...lockIds));
    const { passcodeId, code } = await add({ type: 'once' });
    const event = { seq: 1, type: 'passcode-unlock', credential: code };
    storage.fails = (what) => what === 'entries.update';
    expect(await codeOf(() => reports.events(lockId, { epoch: 'e', events: [event] }))).toBe('storage-unavailable');
    storage.fails = () => false;
    await reports.events(lockId, { epoch: 'e', events: [event] });
    expect((await entryOf(passcodeId))?.used).toBe(true);
    // The lock is brought to it, in case that it has the code still.
    expect(looked).toEqual([lockId]);
    expect(await listed()).toEqual([]);
    expect(await codeOf(() => passcodes.change(callers.manager, lockId, passcodeId, always, 'queue', stays))).toBe('conflict');
  });

  it('that opens once is not used up by a refusal, or by an event of another holder before it was made', async () => {
    const { add, reports, entryOf, now } = await setUp();
    const { passcodeId, code } = await add({ type: 'once' });
    const type = 'passcode-unlock';
    const events = [
      { seq: 1, type, credential: code, success: false, reason: 'not-valid-now' },
      { seq: 2, type, credential: code, date: now() - dayMs },
    ];
    await reports.events(lockId, { epoch: 'e', events });
    expect((await entryOf(passcodeId))?.used).toBe(false);
  });

  it('goes off the lock also when it was sent there while its end was asked for', async () => {
    const { entries, entryOf, passcodes } = await setUp();
    const entry = someEntry(52, { lockId, kind: 'passcode', number: '482913', held: null });
    await entries.update(lockId, () => ({ put: [entry] }));
    const { update } = entries;
    entries.update = async (id, change) => {
      Object.assign(entries, { update });
      await update(id, () => ({ put: [{ ...entry, held: { ...surely(), sure: false, before: null } }] }));
      return update(id, change);
    };
    expect(await passcodes.remove(callers.manager, lockId, 52 as CardId, 'queue', stays)).toEqual({ status: 'removing' });
    expect(await entryOf(52)).toMatchObject({ direct: null, held: { sure: false } });
  });

  it('is forgotten a week after it was used, with the next new one', async () => {
    const { add, entries, entryOf, clock } = await setUp();
    const made = { lockId, kind: 'passcode' as const, createdAt: clock.now() };
    const used = someEntry(52, { ...made, number: '482913', used: true, held: null });
    const still = someEntry(53, { ...made, number: '482914', used: true, held: surely() });
    await entries.update(lockId, () => ({ put: [used, still] }));
    await add({}, 'queue');
    expect(await entryOf(52)).toBeDefined();
    await clock.advance(7 * dayMs + 1);
    await add({}, 'queue');
    expect([await entryOf(52), (await entryOf(53))?.number]).toEqual([undefined, '482914']);
  });
});

describe('the record of a passcode', () => {
  it('has its name and its id; its digits are read from the entry, by the administrator alone, while there is one', async () => {
    const { add, reports, recordService, records, passcodes } = await setUp();
    const { passcodeId, code } = await add();
    await reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type: 'passcode-unlock', credential: code }] });
    const range = { startDate: 0, endDate: 0, pageNo: 1, pageSize: 10 };
    const stored = await records.page({ lockId, from: 0, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: 10 });
    expect(stored.list).toMatchObject([{ credential: '', entryId: passcodeId, username: 'Cleaner' }]);
    const shown = async (caller: (typeof callers)['manager']) => (await recordService.page(caller, lockId, range)).list[0]?.credential;
    expect([await shown(callers.administrator), await shown(callers.manager)]).toEqual([code, '']);
    await passcodes.remove(callers.manager, lockId, passcodeId, 'gateway', stays);
    expect(await shown(callers.administrator)).toBe('****');
  });
});
