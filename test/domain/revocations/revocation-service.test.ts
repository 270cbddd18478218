import { describe, expect, it } from '@jest/globals';
import type { AccessDraft } from '../../../src/domain/access/access-log.ts';
import type { Entry } from '../../../src/domain/credentials/entry.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { CredentialId, PersonId } from '../../../src/domain/people/person.ts';
import { createLostEntries } from '../../../src/domain/revocations/lost-entries.ts';
import { createLostNumbers } from '../../../src/domain/revocations/lost-numbers.ts';
import type { Revocation } from '../../../src/domain/revocations/revocation.ts';
import { createRevocationReports } from '../../../src/domain/revocations/revocation-reports.ts';
import { createRevocationService } from '../../../src/domain/revocations/revocation-service.ts';
import { createRevocationWatch } from '../../../src/domain/revocations/revocation-watch.ts';
import { sampleEntry, samplePerson } from '../../stores/files/support/samples.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const manager = { ...callers.manager, accessManager: true };
/** Manager on both locks. */
const administrator = { ...callers.administrator, accessManager: true };
const fob = '5550001';
const fobReversed = '2981057536';
const card = 1 as CredentialId;
const minuteMs = 60_000;

async function building() {
  const domain = await createDomain();
  const { clock, events, emit, locks, entries, people, counters, records, revocations, access, statuses, alarms, link } = domain;
  await people.add(samplePerson(1));
  const lost = createLostNumbers({ store: revocations, events });
  const nextTurn = () => Promise.resolve();
  const lostEntries = createLostEntries({ clock, entries, locks, nextTurn });
  const failing = new Set<LockId>();
  const reports = createRevocationReports({
    ...{ clock, locks, entries, accessLog: access, statuses, records, alarms, link },
    shownAt: () => undefined,
    isFailing: ({ lockId }, some) => some.length > 0 && failing.has(lockId),
  });
  const { personWrites: writes } = domain.accessServices;
  for (const { accountId } of [manager, administrator])
    await domain.accounts.setRights(accountId, { gatewayAdministrator: false, accessManager: true });
  const service = createRevocationService({ clock, people, store: revocations, counters, lostEntries, reports, emit, writes });
  const watch = createRevocationWatch({ clock, events, store: revocations, lost, reports, alarms, recovery: service });
  const wanted: LockId[] = [];
  events.subscribe('wanted-changed', ({ lockIds }) => void wanted.push(...lockIds));
  const said: unknown[] = [];
  events.subscribe('revocation-reported', ({ certain, doors }) => void said.push({ certain, ...doors }));

  const nobody = { personId: null, accountId: null, name: '', commandId: null, detail: '', hours: '', startDate: 0, endDate: 0 };
  const write = (entry: Entry, what: AccessDraft['what'], basis: AccessDraft['basis']) => {
    const { lockId: of, kind, number, entryId, credentialId } = entry;
    const times = { notBefore: clock.now(), notAfter: clock.now() };
    return access.append([{ ...nobody, ...times, lockId: of, kind, number, entryId, credentialId, what, basis }]);
  };
  return {
    ...{ ...domain, reports, service, watch, wanted, said, failing, lost },
    /** On the lock, and in the log. */
    async placed(id: number, of: LockId, changes: Partial<Entry>): Promise<Entry> {
      const entry = sampleEntry(id, of, changes);
      await entries.update(of, () => ({ put: [entry] }));
      await write(entry, 'held', 'reply');
      return entry;
    },
    /** The lock has confirmed that it is off. */
    async off(entry: Entry): Promise<void> {
      await entries.update(entry.lockId, () => ({ remove: [entry.entryId] }));
      await write(entry, 'gone', 'reply');
      await settled();
    },
    lossOf: () => people.get(1 as PersonId)?.credentials[0]?.lost,
  };
}

describe('a credential that is reported lost', () => {
  it('is wanted nowhere at once, and its report fills itself until it is certain', async () => {
    const { service, placed, off, wanted, lossOf, clock, revocations } = await building();
    const here = await placed(201, lockId, { number: fob, credentialId: card, direct: null });
    const there = await placed(202, otherLockId, { number: fobReversed, credentialId: card, direct: null });
    const first = await service.lost(administrator, card, 'in town');
    expect(first).toMatchObject({ certain: false, doors: { dead: 0, open: 2 }, hiddenLocks: 0 });
    expect(first.locks.map(({ lockId: of, state }) => [of, state])).toEqual([
      [lockId, 'removing'],
      [otherLockId, 'offline'],
    ]);
    expect(lossOf()).toEqual({ at: clock.now(), reason: 'in town', by: 'ada' });
    expect(new Set(wanted)).toEqual(new Set([lockId, otherLockId]));
    await off(here);
    const second = await service.ofCredential(administrator, card);
    expect(second).toMatchObject({ certain: false, doors: { dead: 1, open: 1 } });
    expect(second.locks[0]).toMatchObject({ state: 'gone', proof: { basis: 'reply', date: clock.now() } });
    await off(there);
    expect(await service.report(administrator, revocations.all()[0]?.revocationId as never)).toMatchObject({
      certain: true,
      doors: { dead: 2, open: 0 },
    });
  });

  it('takes direct cards of its number off too, in every byte order, in one write for each lock', async () => {
    const { service, placed, entries, storage } = await building();
    await placed(201, lockId, { number: fob });
    await placed(202, lockId, { number: fobReversed });
    await placed(203, lockId, { number: '7770001' });
    await placed(204, otherLockId, { number: `00${fob}`, managed: false });
    storage.writes.length = 0;
    await service.lost(manager, card, '');
    expect(storage.writes.filter((write) => write === 'entries.update')).toHaveLength(2);
    const directs = [lockId, otherLockId].flatMap((id) => (entries.inMemory(id)?.entries ?? []).map((entry) => [entry.entryId, entry]));
    expect(Object.fromEntries(directs)).toMatchObject({
      201: { direct: null, managed: true },
      202: { direct: null },
      203: { direct: expect.anything() },
      204: { direct: null, managed: true },
    });
  });

  it('is no entry any more where it was wanted directly and never placed', async () => {
    const { service, entries } = await building();
    await entries.update(lockId, () => ({ put: [sampleEntry(201, lockId, { number: fob, held: null })] }));
    expect(await service.lost(manager, card, '')).toMatchObject({ certain: true, doors: { dead: 0, open: 0 } });
    expect(entries.inMemory(lockId)?.entries).toEqual([]);
  });

  it('answers the same again: the first loss stays, and there is one report', async () => {
    const { service, lossOf, revocations, clock } = await building();
    await service.lost(manager, card, 'first');
    const loss = lossOf();
    await clock.advance(1_000);
    await service.lost(manager, card, 'second');
    expect([lossOf(), revocations.all().length]).toEqual([loss, 1]);
  });

  it('shows the doors on which the caller is manager, and counts the others', async () => {
    const { service, placed } = await building();
    await placed(201, lockId, { number: fob });
    await placed(202, otherLockId, { number: fob });
    const report = await service.lost(manager, card, '');
    expect([report.locks.map((lock) => lock.lockId), report.hiddenLocks, report.doors.open]).toEqual([[lockId], 1, 2]);
  });

  it('is reported by access managers, whatever their roles; all else is forbidden or not found', async () => {
    const { service } = await building();
    const stranger = { ...callers.stranger, accessManager: true };
    expect(await codeOf(() => service.lost(callers.administrator, card, ''))).toBe('forbidden');
    expect(await codeOf(() => service.lostCard(callers.administrator, fob, ''))).toBe('forbidden');
    expect(await codeOf(() => service.ofCredential(callers.admin, card))).toBe('forbidden');
    expect(await codeOf(() => service.lost(stranger, 99 as CredentialId, ''))).toBe('not-found');
    expect(await codeOf(() => service.ofCredential(stranger, card))).toBe('not-found');
    expect(await codeOf(() => service.lost(stranger, card, ''))).toBe('done');
  });

  it('stays lost when the disk fails on the way, and the next start completes it', async () => {
    const domain = await building();
    const { service, storage, placed, entries, revocations, lossOf } = domain;
    await placed(201, lockId, { number: fob });
    storage.fails = (write) => write === 'entries.update';
    expect(await codeOf(() => service.lost(manager, card, ''))).toBe('storage-unavailable');
    storage.fails = () => false;
    expect(lossOf()).not.toBeNull();
    for (const { revocationId } of revocations.all()) await revocations.remove(revocationId);
    await service.recover();
    expect(revocations.all()).toMatchObject([{ credentialId: card, lockIds: [lockId], lostDate: lossOf()?.at }]);
    expect(entries.inMemory(lockId)?.byNumber('card', fob)?.direct).toBeNull();
  });
});

describe('a card that is reported lost by its number', () => {
  it.each([fob, fobReversed, `0${fob}`])('is the credential of whoever has it: %s', async (number) => {
    const { service, lossOf } = await building();
    expect((await service.lostCard(manager, number, '')).revocation.credentialId).toBe(card);
    expect(lossOf()).not.toBeNull();
  });

  it('of nobody goes off every lock, in every byte order', async () => {
    const { service, placed, entries, lost } = await building();
    await placed(201, lockId, { number: '170' });
    await placed(202, otherLockId, { number: '47850746040811520' });
    const { revocation } = await service.lostCard(manager, '2852126720', '');
    expect(revocation).toMatchObject({ credentialId: null, personId: null, lockIds: [lockId] });
    expect([lost.has('170'), lost.has('47850746040811520')]).toEqual([true, false]);
    expect(entries.inMemory(lockId)?.byNumber('card', '170')?.direct).toBeNull();
    expect((await service.lostCard(manager, '170', '')).revocation.revocationId).toBe(revocation.revocationId);
    await service.foundCard(manager, '170');
    expect([lost.has('170'), await codeOf(() => service.foundCard(manager, '170'))]).toEqual([false, 'not-found']);
  });
});

describe('a credential that is found', () => {
  it('is wanted again, for who is manager on every lock that the grants reach', async () => {
    const { service, locks, lossOf, lost, revocations } = await building();
    await locks.update(otherLockId, (lock) => ({ ...lock, groupId: 2 }));
    await service.lost(manager, card, '');
    // Lock 8 is reached by the group.
    expect(await codeOf(() => service.found(manager, card))).toBe('forbidden');
    expect([lossOf() === null, lost.has(fob)]).toEqual([false, true]);
    await service.found(administrator, card);
    expect([lossOf(), lost.has(fob)]).toEqual([null, false]);
    expect(revocations.all()).toMatchObject([{ foundDate: expect.any(Number) }]);
    expect(await codeOf(() => service.found(administrator, card))).toBe('conflict');
    // A power cut before the last write: the next start writes it.
    await revocations.put({ ...(revocations.all()[0] as Revocation), foundDate: null });
    await service.recover();
    expect(revocations.all()).toMatchObject([{ foundDate: expect.any(Number) }]);
    await service.lost(manager, card, '');
    expect(revocations.all()).toHaveLength(2);
  });
});

describe('what is still open', () => {
  it('is an alarm of each lock after a quarter of an hour, which ends by itself', async () => {
    const { service, placed, off, watch, alarms, clock, alarmDetector } = await building();
    await alarms.start();
    await watch.start();
    await alarmDetector.start();
    const away = await placed(202, otherLockId, { number: fob, credentialId: card, direct: null });
    await service.lost(manager, card, '');
    await clock.advance(14 * minuteMs);
    expect(alarms.active('revocation-open', otherLockId)).toBeUndefined();
    await clock.advance(2 * minuteMs);
    expect(alarms.active('revocation-open', otherLockId)).toBeDefined();
    expect(alarms.active('revocation-open', lockId)).toBeUndefined();
    await off(away);
    await clock.advance(3 * minuteMs);
    expect(alarms.active('revocation-open', otherLockId)).toBeUndefined();
    await watch.stop();
  });

  it('is told when it changes, to the end, and no more', async () => {
    const { service, placed, off, watch, said, clock, revocations } = await building();
    await watch.start();
    const here = await placed(201, lockId, { number: fob, credentialId: card, direct: null });
    await service.lost(manager, card, '');
    await clock.advance(1_000);
    await off(here);
    await clock.advance(1_000);
    expect(said).toEqual([
      { certain: false, dead: 0, open: 1 },
      { certain: true, dead: 1, open: 0 },
    ]);
    expect(revocations.all()[0]?.certainDate).toEqual(expect.any(Number));
    await clock.advance(10 * minuteMs);
    expect(said).toHaveLength(2);
    await watch.stop();
  });

  it('is open again when a lock turns out to hold it', async () => {
    const { service, watch, clock, revocations, placed } = await building();
    await watch.start();
    await service.lost(manager, card, '');
    await clock.advance(1_000);
    expect(revocations.all()[0]?.certainDate).not.toBeNull();
    await placed(300, lockId, { number: fobReversed, createdBy: '', direct: null });
    await clock.advance(1_000);
    expect(revocations.all()[0]?.certainDate).toBeNull();
    await watch.stop();
  });
});
