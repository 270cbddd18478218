// The numbers of records, and that the best known client can read every one of them.
import { expect, test } from '@jest/globals';
import { recordLabels } from '../../../src/domain/records/record.ts';
import { ttlockTypesOf } from '../../../src/domain/ttlock/record-types.ts';

/** The record types of which hass-ttlock reads a list; one other number, and it reads none of the list. */
const knownToHomeAssistant = new Set([
  ...[1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 29, 30, 31, 32, 33, 34, 35, 36, 37, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55],
  ...[57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 88, 91, 92],
]);

test('every event type of the gateway has a number that programs know, but for low battery and duress', () => {
  const none = Object.keys(recordLabels).filter((type) => ttlockTypesOf({ type }) === undefined);
  expect(none).toEqual(['low-battery', 'duress']);
  for (const type of Object.keys(recordLabels)) {
    const types = ttlockTypesOf({ type });
    if (types !== undefined) expect([type, knownToHomeAssistant.has(types.recordType)]).toEqual([type, true]);
  }
  expect(ttlockTypesOf({ type: 'card-unlock' })).toEqual({ recordType: 7, fromLock: 17 });
  expect(ttlockTypesOf({ type: 'remote-lock' })).toEqual({ recordType: 11, fromLock: 26 });
});

test("a type of a lock's own has no number, whatever it is called", () => {
  for (const type of ['', 'Jammed', 'constructor', 'toString', '12', 'card-unlock '])
    expect([type, ttlockTypesOf({ type })]).toEqual([type, undefined]);
});

test('a jam has the number of a bolt that should have locked only when the lock says that it should have', () => {
  for (const reason of ['lock', 'locking', 'auto-lock', 'remote-lock'])
    expect([reason, ttlockTypesOf({ type: 'jammed', reason })]).toEqual([reason, { recordType: 66, fromLock: 66 }]);
  for (const reason of ['', 'unlock', 'unlocking', 'remote-unlock', 'blocked', 'bolt blocked at 40 %'])
    expect([reason, ttlockTypesOf({ type: 'jammed', reason })]).toEqual([reason, { recordType: 65, fromLock: 65 }]);
  expect(ttlockTypesOf({ type: 'jammed' })).toEqual({ recordType: 65, fromLock: 65 });
});
