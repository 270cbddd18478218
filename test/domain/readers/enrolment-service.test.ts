import { describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../src/domain/locks/lock-report.ts';
import type { CredentialId, PersonId } from '../../../src/domain/people/person.ts';
import { createEnrolmentService } from '../../../src/domain/readers/enrolment-service.ts';
import { createLostNumbers } from '../../../src/domain/revocations/lost-numbers.ts';
import { sampleEntry, samplePerson, sampleRevocation } from '../../stores/files/support/samples.ts';
import { callers, codeOf, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const manager = { ...callers.manager, accessManager: true };
const personId = 1 as PersonId;
const fob = '1325672378';

async function atReader() {
  const domain = await createDomain();
  const { clock, events, locks, entries, people, records, revocations, access, secrets, link } = domain;
  await people.add(samplePerson(1));
  const lost = createLostNumbers({ store: revocations, events });
  const added: unknown[] = [];
  const enrolments = createEnrolmentService({
    ...{ clock, events, locks, link, records, entries, people, accessLog: access, lost, secrets },
    addCard: async (_caller, of, card) => {
      added.push({ of, ...card });
      return 13 as CredentialId;
    },
  });
  let seq = 100;
  const comes = (newest = seq): void => {
    link.connect(lockId);
    domain.reports.hello(lockId, { date: clock.now(), newestEvent: { epoch: 'e', seq: newest } });
  };
  comes();
  await settled();
  return {
    ...domain,
    enrolments,
    added,
    comes,
    begin: async (seconds = 60) => (await enrolments.begin(manager, { personId, lockId, seconds })).enrolmentId,
    swipe: async (credential: string, event: Partial<LockEvent> = {}, epoch = 'e') => {
      await clock.advance(1);
      const one = { seq: ++seq, type: 'card-unlock', success: false, reason: 'unknown-card', date: clock.now(), credential, ...event };
      await domain.reports.events(lockId, { epoch, events: [one] });
      await settled();
    },
    stateOf: (id: string) => enrolments.get(manager, id).state,
  };
}

describe('an enrolment', () => {
  it('finds the one card that is held to the reader, and makes it the person’s when it is confirmed', async () => {
    const { begin, swipe, enrolments, added, stateOf, clock } = await atReader();
    const id = await begin();
    expect(enrolments.get(manager, id)).toEqual({
      ...{ enrolmentId: id, personId, lockId, state: 'waiting', closeDate: clock.now() + 60_000, card: null },
    });
    await swipe(fob);
    await swipe(fob);
    expect(enrolments.get(manager, id)).toMatchObject({ state: 'found', card: { ends: '2378', width: 4 } });
    expect(await codeOf(() => enrolments.confirm(manager, id, '2379'))).toBe('conflict');
    expect(await enrolments.confirm(manager, id, '2378')).toBe(13);
    expect(added).toEqual([{ of: personId, number: fob, width: 4 }]);
    expect(stateOf(id)).toBe('closed');
    expect(await codeOf(() => enrolments.confirm(manager, id, '2378'))).toBe('conflict');
  });

  it('gives the number as printed at a reader that gives the bytes reversed', async () => {
    const { begin, swipe, enrolments, added, locks } = await atReader();
    await locks.update(lockId, (lock) => ({ ...lock, readerOrder: 'reverse' }));
    const id = await begin();
    await swipe('3123119183');
    await enrolments.confirm(manager, id, '2378');
    expect(added).toEqual([{ of: personId, number: fob, width: 4 }]);
  });

  it('hears no card without a confirmation, and closes after its time', async () => {
    const { begin, clock, swipe, stateOf, added } = await atReader();
    const id = await begin(10);
    await clock.advance(10_001);
    expect(stateOf(id)).toBe('closed');
    await swipe(fob);
    expect([stateOf(id), added]).toEqual(['closed', []]);
  });

  it.each([
    ['was counted before the lock came', { seq: 90 }, 'e'],
    ['the lock had when the enrolment began', { seq: 100 }, 'e'],
    ['is of another count of the lock', {}, 'f'],
    ['is dated before', { date: 1_780_000_000_000 }, 'e'],
    ['has no date', { date: undefined }, 'e'],
    ['has a date that nobody can believe', { date: 0 }, 'e'],
    ['has opened', { success: true, reason: undefined }, 'e'],
    ['is of a passcode', { type: 'passcode-unlock' }, 'e'],
    ['is no number', { credential: 'fob' }, 'e'],
  ])('does not take an event that %s', async (_what, event, epoch) => {
    const { begin, swipe, stateOf } = await atReader();
    const id = await begin();
    await swipe(fob, event as Partial<LockEvent>, epoch);
    expect(stateOf(id)).toBe('waiting');
  });

  it('does not take a swipe of a backlog that arrives only now, however high its number was stored', async () => {
    const { begin, swipe, stateOf, comes } = await atReader();
    comes(500);
    const id = await begin();
    await swipe(fob, { seq: 480 });
    expect(stateOf(id)).toBe('waiting');
    await swipe(fob, { seq: 501 });
    expect(stateOf(id)).toBe('found');
  });

  it.each(['0001325672378', '3123119183'])('says no more than that a card is known, in whatever byte order: %s', async (credential) => {
    const { begin, swipe, people, enrolments, stateOf } = await atReader();
    const owner = samplePerson(2);
    const card = { ...owner.credentials[0], number: fob } as (typeof owner.credentials)[number];
    await people.add({ ...owner, credentials: [card] });
    const id = await begin();
    await swipe(credential);
    expect(enrolments.get(manager, id)).toMatchObject({ state: 'known', card: null });
    expect(await begin()).not.toBe(id);
    expect(stateOf(id)).toBe('known');
  });

  it('knows cards of this lock, cards that any lock is believed to have, and lost ones', async () => {
    const { begin, swipe, entries, access, revocations, stateOf } = await atReader();
    await entries.update(lockId, () => ({ put: [sampleEntry(300, lockId, { number: '111' })] }));
    const nothing = { credentialId: null, personId: null, accountId: null, name: '', commandId: null, detail: '', hours: '' };
    const held = {
      ...nothing,
      lockId: otherLockId,
      kind: 'card',
      entryId: 9,
      notBefore: 0,
      notAfter: 0,
      startDate: 0,
      endDate: 0,
    } as const;
    await access.append([{ ...held, what: 'held', number: '222', basis: 'list' }]);
    await access.append([{ ...held, what: 'held', number: '444', entryId: 10, basis: 'list' }]);
    await access.append([{ ...held, what: 'gone', number: '444', entryId: 10, basis: 'list' }]);
    await revocations.put({ ...sampleRevocation(1), numbers: ['333'] });
    const states: string[] = [];
    for (const number of ['111', '222', '333', '444']) {
      const id = await begin();
      await swipe(number);
      states.push(stateOf(id));
    }
    expect(states).toEqual(['known', 'known', 'known', 'found']);
  });

  it('knows a card that the lock itself knows', async () => {
    const { begin, swipe, stateOf } = await atReader();
    const id = await begin();
    await swipe(fob, { reason: 'not-valid-now' });
    expect(stateOf(id)).toBe('known');
  });

  it('is contested when two different cards came, even at once, and frees the lock', async () => {
    const { begin, swipe, stateOf, enrolments } = await atReader();
    const id = await begin();
    await Promise.all([swipe(fob), swipe('5550001234')]);
    expect(stateOf(id)).toBe('contested');
    expect(await codeOf(() => enrolments.confirm(manager, id, '2378'))).toBe('conflict');
    await begin();
  });

  it('is contested by a second card after it was found, until its time is over', async () => {
    const { begin, swipe, stateOf, clock, enrolments } = await atReader();
    const id = await begin(10);
    await swipe(fob);
    await clock.advance(11_000);
    await swipe('5550001234');
    expect(stateOf(id)).toBe('found');
    await clock.advance(300_000);
    expect(await codeOf(() => enrolments.confirm(manager, id, '2378'))).not.toBe('done');
  });

  it('belongs to the session of its beginning', async () => {
    const { begin, swipe, stateOf, comes, link, reports } = await atReader();
    const id = await begin();
    await swipe(fob);
    comes();
    expect(stateOf(id)).toBe('closed');
    const other = await begin();
    link.lose(lockId);
    reports.offline(lockId, 'gone');
    expect(stateOf(other)).toBe('closed');
  });

  it('is one for each lock, needs a lock that is online, and can be ended', async () => {
    const { begin, enrolments, stateOf } = await atReader();
    const id = await begin();
    expect(await codeOf(begin)).toBe('conflict');
    await enrolments.end(manager, id);
    expect(stateOf(id)).toBe('closed');
    await begin();
    const offline = { personId, lockId: otherLockId, seconds: 60 };
    expect(await codeOf(() => enrolments.begin({ ...callers.administrator, accessManager: true } as never, offline))).toBe('lock-offline');
  });

  it('is for access managers who are manager on the lock', async () => {
    const { begin, enrolments } = await atReader();
    const id = await begin();
    const operator = { ...callers.operator, accessManager: true };
    for (const caller of [callers.manager, operator]) {
      expect(await codeOf(() => enrolments.begin(caller, { personId, lockId, seconds: 60 }))).toBe('forbidden');
      expect(await codeOf(() => enrolments.get(caller, id))).toBe('forbidden');
      expect(await codeOf(() => enrolments.confirm(caller, id, '2378'))).toBe('forbidden');
      expect(await codeOf(() => enrolments.end(caller, id))).toBe('forbidden');
    }
    expect(await codeOf(() => enrolments.get(manager, 'other'))).toBe('not-found');
    expect(await codeOf(() => enrolments.begin(manager, { personId: 9 as PersonId, lockId: lockId, seconds: 60 }))).toBe(
      'invalid-parameter',
    );
  });
});
