// What every AccessLog promises.
import { describe, expect, test } from '@jest/globals';
import type { AccessDraft, AccessLine, AccessLog } from '../../src/domain/access/access-log.ts';
import { lockId } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

const ever = Number.MAX_SAFE_INTEGER;

function draft(entryId: number, more: Partial<AccessDraft> = {}): AccessDraft {
  return {
    ...{ what: 'held', lockId: lockId(7), kind: 'card', number: `1000${entryId}`, entryId, credentialId: null, personId: null },
    ...{ accountId: null, name: `Card ${entryId}`, notBefore: 5, notAfter: 6, startDate: 0, endDate: 0, hours: '', basis: 'reply' },
    ...{ commandId: null, detail: '' },
    ...more,
  };
}
const withoutEntry = { kind: null, number: null, entryId: null, basis: null } as const;

export function accessLogContract(over: RunOver<AccessLog>): void {
  describe('an AccessLog', () => {
    const entriesOf = (lines: readonly AccessLine[]) => lines.map(({ entryId }) => entryId);

    test('shows the lines of a lock and of the gateway in their order, as they were given', () =>
      over(async (log) => {
        expect(log.newestAt()).toBe(0);
        const odd = draft(2, { name: '\u2028"\\\n\u0000 \ud800', commandId: 'c.1', hours: '12345:480-1080', basis: 'digest' });
        const account = draft(1, { ...withoutEntry, what: 'account', lockId: null, accountId: 3, detail: 'x' });
        await Promise.all([log.append([draft(1), odd]), log.append([draft(3, { lockId: lockId(8) }), account]), log.append([])]);
        const lines = await log.ofLock(lockId(7), ever);
        expect(lines).toEqual([draft(1), odd].map((one) => ({ id: expect.any(Number), recordedAt: log.newestAt(), ...one })));
        expect(entriesOf(await log.ofLock(lockId(8), ever))).toEqual([3]);
        expect(await log.ofLock(null, ever)).toMatchObject([{ accountId: 3, detail: 'x' }]);
        expect(await log.ofLock(lockId(9), ever)).toEqual([]);
        expect(await log.ofLock(lockId(7), log.newestAt() - 1)).toEqual([]);
        await log.stored();
        const ids = [...lines, ...(await log.ofLock(lockId(8), ever)), ...(await log.ofLock(null, ever))].map(({ id }) => id);
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      }));

    test('finds all lines about the entries that are about a person, a credential or a card, in every form of its number', () =>
      over(async (log) => {
        await log.append([
          draft(41, { personId: 5, credentialId: 12, number: '0042' }),
          draft(42),
          draft(41, { what: 'gone', number: '0042' }),
          draft(43, { personId: 5, kind: 'passcode', number: null }),
          draft(44, { what: 'wanted', credentialId: 12, personId: 6 }),
        ]);
        const about = async (subject: Parameters<AccessLog['about']>[0]) =>
          (await log.about(subject)).map(({ what, entryId }) => `${what} ${entryId}`);
        expect(await about({ personId: 5 })).toEqual(['held 41', 'gone 41', 'held 43']);
        expect(await about({ credentialId: 12 })).toEqual(['held 41', 'gone 41', 'wanted 44']);
        expect(await about({ numbers: ['42', '77'] })).toEqual(['held 41', 'gone 41']);
        expect([await about({ numbers: ['4'] }), await about({ personId: 7 })]).toEqual([[], []]);
      }));

    test('says which entries are named with a person, each once, and which of them a lock may still have', () =>
      over(async (log) => {
        const ofFive = { personId: 5, credentialId: 12 };
        const account = draft(1, { ...withoutEntry, what: 'account', lockId: null, personId: 5, accountId: 3, detail: 'x' });
        await log.append([draft(41, ofFive), draft(41, ofFive), draft(42, ofFive), draft(43, { personId: 6 }), account]);
        await log.append([draft(44, { ...ofFive, lockId: lockId(8), credentialId: null }), draft(45, { ...ofFive, what: 'unsure' })]);
        await log.append([draft(46, { ...ofFive, what: 'wanted' }), draft(44, { lockId: lockId(8), what: 'gone' })]);
        // The lock has it still, as another person's.
        await log.append([draft(42, { personId: 6, credentialId: 13 })]);
        const found = await log.entriesOf(5);
        expect(found.toSorted((one, other) => one.entryId - other.entryId)).toEqual([
          { lockId: 7, entryId: 41, credentialId: 12, mayBeHeld: true },
          { lockId: 7, entryId: 42, credentialId: 12, mayBeHeld: true },
          { lockId: 8, entryId: 44, credentialId: null, mayBeHeld: false },
          { lockId: 7, entryId: 45, credentialId: 12, mayBeHeld: true },
          { lockId: 7, entryId: 46, credentialId: 12, mayBeHeld: false },
        ]);
        expect(await log.entriesOf(7)).toEqual([]);
      }));

    test('finds what is known of the contact with some locks and with the gateway', () =>
      over(async (log) => {
        const contact = (what: AccessDraft['what'], lock: number | null) =>
          draft(1, { ...withoutEntry, what, lockId: lock === null ? null : lockId(lock), name: '' });
        await log.append([contact('online', 7), draft(1), contact('offline', 8), contact('offline', null), contact('clock', 7)]);
        const found = await log.contactOf([lockId(7)]);
        expect(found.map(({ what, lockId: lock }) => [what, lock])).toEqual([
          ['online', 7],
          ['offline', null],
          ['clock', 7],
        ]);
      }));

    test('says what its last lines say, with those that are being written, and what of it stands', () =>
      over(async (log) => {
        expect([log.says(draft(1)), log.says(draft(1, { what: 'gone' }))]).toEqual([false, true]);
        const written = log.append([draft(1), draft(1, { what: 'wanted' }), draft(2), draft(2, { what: 'gone' })]);
        expect([log.says(draft(1)), log.says(draft(1, { notAfter: 1, basis: 'list', name: 'other' }))]).toEqual([true, true]);
        expect(log.says(draft(1, { endDate: 5 }))).toBe(false);
        expect([...log.topicsOf(lockId(7))].sort()).toEqual(['held 1', 'wanted 1']);
        await written;
        await log.append([draft(1, { what: 'gone' })]);
        expect([log.says(draft(1)), log.says(draft(1, { what: 'gone' }))]).toEqual([false, true]);
        expect([[...log.topicsOf(lockId(7))], [...log.topicsOf(lockId(8))], [...log.topicsOf(null)]]).toEqual([['wanted 1'], [], []]);
      }));
  });
}
