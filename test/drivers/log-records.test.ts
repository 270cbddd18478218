import { expect, test } from '@jest/globals';
import type { LockId } from '../../src/domain/locks/lock.ts';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import type { LockEvent } from '../../src/domain/locks/lock-report.ts';
import { createLogRecords } from '../../src/drivers/log-records.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const lockId = 7 as LockId;
const commandId = 'a' as CommandId;
const other = 'b' as CommandId;
const entry = (seq: number, type = 'phone-unlock') => ({ seq, type, username: 'latchd', mayBeCommand: true });
const ofCommand = (seq: number, id = commandId) => ({ seq, type: 'remote-unlock', commandId: id });

function open() {
  const clock = createSettableClock();
  const own: Omit<LockEvent, 'seq'>[] = [];
  const storedSeqs = new Set<number>();
  const isStored = (_lockId: LockId, _epoch: string, seq: number) => storedSeqs.has(seq);
  const record = (_lockId: LockId, event: Omit<LockEvent, 'seq'>) => {
    own.push(event);
    return 'acknowledge' as const;
  };
  const logRecords = createLogRecords({ clock, isStored, record });
  const heard = (...events: Parameters<typeof logRecords.heard>[2]) => {
    const stored = logRecords.heard(lockId, 'nukihub', events);
    for (const { seq } of stored) storedSeqs.add(seq);
    return stored;
  };
  return { ...logRecords, clock, own, heard };
}

test('the entry after a confirmed command is its record, under the number of the device', async () => {
  const { clock, own, heard, sent, ended } = open();
  sent(lockId, 'unlock', commandId);
  ended(lockId, commandId, 'ok', true);
  expect(heard(entry(1835))).toEqual([ofCommand(1835)]);
  await clock.advance(60_000);
  expect(own).toEqual([]);
});

test('an entry that comes before the command is confirmed is its record as well, however often it is told', async () => {
  const { clock, own, heard, sent, ended } = open();
  sent(lockId, 'unlock', commandId);
  expect(heard(entry(1835), entry(1836))).toEqual([ofCommand(1835), { seq: 1836, type: 'phone-unlock', username: 'latchd' }]);
  ended(lockId, commandId, 'ok', true);
  expect(heard(entry(1835))).toEqual([ofCommand(1835)]);
  await clock.advance(60_000);
  expect(own).toEqual([]);
});

test('without an entry within 30 s the gateway makes the record, and later entries tell of something else', async () => {
  const { clock, own, heard, sent, ended } = open();
  sent(lockId, 'unlock', commandId);
  ended(lockId, commandId, 'ok', true);
  await clock.advance(29_999);
  expect(own).toEqual([]);
  await clock.advance(1);
  expect(own).toEqual([{ type: 'remote-unlock', commandId }]);
  expect(heard(entry(1835))).toEqual([{ seq: 1835, type: 'phone-unlock', username: 'latchd' }]);
});

test('of a device without a log the record is made at once, and an entry that comes nevertheless is no second one', async () => {
  const { clock, own, heard, sent, ended } = open();
  sent(lockId, 'unlock', commandId);
  ended(lockId, commandId, 'ok', false);
  expect(own).toEqual([{ type: 'remote-unlock', commandId }]);
  expect(heard(entry(1835))).toEqual([]);
  await clock.advance(3_600_000);
  expect(heard(entry(1835), entry(1836))).toEqual([{ seq: 1836, type: 'phone-unlock', username: 'latchd' }]);
});

test('a command without an answer has no record, unless the lock tells that it obeyed', async () => {
  const { clock, own, heard, sent, ended } = open();
  sent(lockId, 'unlock', commandId);
  ended(lockId, commandId, 'no-reply', false);
  expect(heard(entry(1835))).toEqual([ofCommand(1835)]);
  sent(lockId, 'unlock', other);
  ended(lockId, other, 'no-reply', false);
  await clock.advance(60_000);
  expect(own).toEqual([]);
});

test('no command is told of by an entry of another kind, of the other direction, of a failure, or that is stored already', () => {
  const { heard, sent, ended } = open();
  heard(entry(1));
  sent(lockId, 'unlock', commandId);
  ended(lockId, commandId, 'ok', true);
  const others = [entry(1), entry(2, 'phone-lock'), { seq: 3, type: 'passcode-unlock' }, { ...entry(4), success: false }];
  expect(heard(...others).filter((event) => event.commandId !== undefined)).toEqual([]);
  expect(heard(entry(5))).toEqual([ofCommand(5)]);
});

test('each of two commands has its own entry, and each lock its own commands', () => {
  const { heard, sent, ended } = open();
  sent(8 as LockId, 'unlock', 'c' as CommandId);
  sent(lockId, 'unlock', commandId);
  ended(lockId, commandId, 'ok', true);
  sent(lockId, 'unlock', other);
  ended(lockId, other, 'ok', true);
  expect(heard(entry(1), entry(2), entry(3))).toEqual([
    ofCommand(1),
    ofCommand(2, other),
    { seq: 3, type: 'phone-unlock', username: 'latchd' },
  ]);
});

test('when the gateway stops, what still waits is recorded, and no timer is left', async () => {
  const { clock, own, sent, ended, stop } = open();
  sent(lockId, 'unlock', commandId);
  ended(lockId, commandId, 'ok', true);
  await stop();
  await clock.advance(60_000);
  expect(own).toEqual([{ type: 'remote-unlock', commandId }]);
});
