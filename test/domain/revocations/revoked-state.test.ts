import { describe, expect, it } from '@jest/globals';
import type { AccessLine } from '../../../src/domain/access/access-log.ts';
import { always, type Entry, type Held } from '../../../src/domain/credentials/entry.ts';
import { type LockEvidence, revokedState } from '../../../src/domain/revocations/revoked-state.ts';
import { lockId, sampleEntry } from '../../stores/files/support/samples.ts';

const now = 1_780_000_000_000;
const door = lockId(7);

function line(what: AccessLine['what'], basis: AccessLine['basis'] = 'reply', changes: Partial<AccessLine> = {}): AccessLine {
  return {
    ...{ id: 1, recordedAt: now, what, lockId: door, kind: 'card', number: '5550001', entryId: 1, credentialId: null, personId: null },
    ...{
      accountId: null,
      name: '',
      notBefore: now - 5,
      notAfter: now,
      startDate: 0,
      endDate: 0,
      hours: '',
      basis,
      commandId: null,
      detail: '',
    },
    ...changes,
  };
}

function holding(held: Partial<Held> | null): Entry {
  const { held: sure, ...entry } = sampleEntry(1, 7, { direct: null });
  return { ...entry, held: held && ({ ...sure, ...held } as Held) };
}

function evidence(changes: Partial<LockEvidence>): LockEvidence {
  return {
    ...{ lockId: door, entries: [], lines: [], isRegistered: true, isOnline: true, isClockRight: true, isFailing: false },
    ...{ lastSeenAt: now - 1, batteryPercent: 12, now },
    ...changes,
  };
}

const timed = (endDate: number) => ({ ...always, endDate });

describe('a lost credential at one lock', () => {
  it.each(['reply', 'digest', 'list'] as const)('is gone when the lock has proven it since (%s)', (basis) => {
    const lines = [line('wanted', null), line('held'), line('gone', basis, { notAfter: now + 3, commandId: 'c1' })];
    expect(revokedState(evidence({ lines }))).toMatchObject({ state: 'gone', proof: { basis, date: now + 3, commandId: 'c1' } });
  });

  it.each([
    ['never, when it was wanted and never placed', { lines: [line('wanted', null), line('unwanted', null)] }, 'never'],
    ['never, when its entry waits for the lock still', { entries: [holding(null)] }, 'never'],
    ['being removed', { entries: [holding({})] }, 'removing'],
    ['being removed, when the outcome is open', { entries: [holding({ window: null, sure: false })] }, 'removing'],
    ['offline', { entries: [holding({})], isOnline: false }, 'offline'],
    ['failed, when the lock refuses or forgets', { entries: [holding({})], isFailing: true }, 'failed'],
    ['failed, when what the lock holds cannot be read', { entries: undefined }, 'failed'],
    ['reported, when a phone is said to have removed it', { lines: [line('held'), line('gone', 'phone')] }, 'reported'],
    [
      'reported, when the lock has shown nothing since a phone is said to have removed it',
      { lines: [line('held'), line('gone', 'phone')], shownAt: now - 1 },
      'reported',
    ],
    ['gone, when the lock has shown all since then', { lines: [line('held'), line('gone', 'phone')], shownAt: now + 1 }, 'gone'],
    ['unknown, when the lock was reset while it held it', { lines: [line('held'), line('gone', 'reset')] }, 'unknown'],
    ['unknown, when the lock was removed while it held it', { lines: [line('held')], isRegistered: false }, 'unknown'],
    ['never, when the lock was removed and never held it', { lines: [line('wanted', null)], isRegistered: false }, 'never'],
    ['gone, when the lock was removed after it was proven', { lines: [line('held'), line('gone')], isRegistered: false }, 'gone'],
    ['ended', { entries: [holding({ window: timed(now - 1) })] }, 'ended'],
    ['ended at a lock that is away: its own clock closes', { entries: [holding({ window: timed(now - 1) })], isOnline: false }, 'ended'],
    ['not ended in its last millisecond', { entries: [holding({ window: timed(now) })] }, 'removing'],
    ['not ended when the clock of the lock is wrong', { entries: [holding({ window: timed(now - 1) })], isClockRight: false }, 'removing'],
    [
      'not ended while a longer window may be there instead',
      { entries: [holding({ window: timed(now - 1), sure: false, before: always })] },
      'removing',
    ],
    ['not ended while nobody knows what was there before', { entries: [holding({ window: timed(now - 1), sure: false })] }, 'removing'],
    ['not gone because the log believes it is held, and the entry is lost', { lines: [line('held')] }, 'removing'],
    ['as its worst number: one ended, one not', { entries: [holding({ window: timed(now - 1) }), holding({})] }, 'removing'],
  ] as const)('is %s', (_what, changes, state) => {
    expect(revokedState(evidence(changes as Partial<LockEvidence>))).toMatchObject({ lockId: door, state });
  });

  it('says of a lock that is away when it was heard, until when it admits, its battery, and what to do', () => {
    const entries = [holding({ window: timed(now + 9) })];
    expect(revokedState(evidence({ entries, isOnline: false }))).toEqual({
      ...{ lockId: door, state: 'offline', proof: null, since: now - 1, lastSwipe: null, admitsUntil: now + 9, electricQuantity: 12 },
      advice: ['bring it online', 'remove it with the phone, then deleteType=1', 'wait until its validity ends'],
    });
  });

  it('has no end to wait for without an end date', () => {
    expect(revokedState(evidence({ entries: [holding({})], isOnline: false }))).toMatchObject({
      admitsUntil: null,
      advice: ['bring it online', 'remove it with the phone, then deleteType=1'],
    });
  });
});
