// Whose a passcode was at an event, and which one-time passcode the event has used up.
import { describe, expect, it } from '@jest/globals';
import { createEntries } from '../../../src/domain/credentials/lock-entries.ts';
import { spentBy, withPasscode } from '../../../src/domain/credentials/used-passcodes.ts';
import type { DraftToFill } from '../../../src/domain/records/record.ts';
import { anyNow, someEntry, someWindow, surely, unsurely } from '../../support/entries.ts';

const code = (some: Parameters<typeof someEntry>[1] = {}) =>
  someEntry(41, { kind: 'passcode', number: '482913', name: 'Cleaner', createdAt: anyNow, ...some });
function event(some: Partial<DraftToFill> = {}): DraftToFill {
  const dates = { lockDate: anyNow, serverDate: anyNow };
  return { seq: 1, type: 'passcode-unlock', success: true, credential: '', username: '', ...dates, ...some };
}

describe('an event with a passcode', () => {
  it('is that of the passcode, with its name', () => {
    expect(withPasscode(event(), code())).toMatchObject({ entryId: 41, username: 'Cleaner' });
  });

  it('keeps the name that it came with when the passcode has none', () => {
    expect(withPasscode(event({ username: 'said by the lock' }), code({ name: '' }))).toMatchObject({
      entryId: 41,
      username: 'said by the lock',
    });
  });

  it('from before the passcode was made is of somebody whom nobody knows, and shows no digits', () => {
    const before = withPasscode(event({ lockDate: anyNow - 60_001 }), code());
    expect(before).toMatchObject({ credential: '****', username: '' });
    expect(before.entryId).toBeUndefined();
    expect(withPasscode(event({ lockDate: anyNow - 60_000 }), code()).entryId).toBe(41);
  });
});

describe('a one-time passcode', () => {
  const once = someWindow({ once: true });
  const spent = (entry: ReturnType<typeof code>, some: Partial<DraftToFill> = {}) => {
    const held = createEntries();
    held.apply({ put: [entry] });
    return spentBy({ ...event(some), entryId: 41 } as never, held);
  };

  it.each([
    ['wanted', { direct: once }],
    ['held', { direct: null, held: surely(once) }],
    ['held before a change whose outcome is open', { direct: null, held: unsurely(null, once) }],
  ])('is used up by the event that it opened for: %s', (_what, some) => {
    expect(spent(code(some))).toEqual([41]);
  });

  it('is not used up by a refusal, nor twice; and one that opens again is never', () => {
    expect(spent(code({ direct: once }), { success: false })).toEqual([]);
    expect(spent(code({ direct: once, used: true }))).toEqual([]);
    expect(spent(code())).toEqual([]);
  });
});
