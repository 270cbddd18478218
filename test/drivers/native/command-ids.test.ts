// Command ids that name the account (Protocol 5.1).
import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createCommandIds } from '../../../src/drivers/native/command-ids.ts';

const key = () => Buffer.alloc(32, 1);
const lock = 7 as LockId;
const account = 17 as AccountId;
/** Of the first start. */
const begun = (start = 1) => createCommandIds({ key, start: () => start });

test('an id names its account for its lock, also after a restart with the same key, and has at most 96 characters (Protocol 5.1)', () => {
  const id = begun().issue(lock, account, 'unlock');
  expect(begun(2).read(lock, id, 'unlock')?.accountId).toBe(account);
  const longest = begun(2 ** 28).issue(Number.MAX_SAFE_INTEGER as LockId, Number.MAX_SAFE_INTEGER as AccountId, 'unlock');
  expect(longest.length).toBeLessThanOrEqual(96);
  expect(begun().issue(lock, null, 'get-status').length).toBeLessThanOrEqual(96);
});

test('without a start an id names its account as well, for its own operation alone, and is not counted as the id of a start', () => {
  const standing = createCommandIds({ key, start: () => undefined });
  const ids = [1, 2].map(() => standing.issue(lock, account, 'unlock'));
  for (const reader of [standing, begun()]) {
    const read = ids.map((id) => reader.read(lock, id, 'unlock'));
    expect(read.map((one) => one?.accountId)).toEqual([account, account]);
    expect(new Set(read.map((one) => one?.number)).size).toBe(2);
    expect(read.every((one) => (one?.number ?? 0) < 0)).toBe(true);
    expect(ids.map((id) => reader.read(lock, id, 'lock'))).toEqual([undefined, undefined]);
  }
  expect(ids.every((id) => id.length <= 96)).toBe(true);
});

test('two ids are never the same, neither in another start of the gateway', () => {
  const ids = [1, 2].flatMap((start) => {
    const { issue } = begun(start);
    return Array.from({ length: 1_000 }, (_, n) => issue(lock, n % 2 === 0 ? account : null, n % 4 === 0 ? 'unlock' : 'lock'));
  });
  expect(new Set(ids).size).toBe(2_000);
});

test('the numbers of a lock rise by one, whatever other locks and commands are sent meanwhile, and rise over restarts', () => {
  const numbers = [1, 2, 900_000].flatMap((start) => {
    const ids = begun(start);
    return [1, 2, 3].map(() => {
      ids.issue(8 as LockId, account, 'unlock');
      ids.issue(lock, account, 'add-card');
      ids.issue(lock, null, 'get-status');
      return ids.read(lock, ids.issue(lock, account, 'lock'), 'lock')?.number as number;
    });
  });
  for (const n of [0, 3, 6]) expect([numbers[n + 1], numbers[n + 2]]).toEqual([(numbers[n] as number) + 1, (numbers[n] as number) + 2]);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(String(numbers.at(-1)).length).toBeLessThanOrEqual(15);
});

test('an id of the gateway itself names nobody, nor does one of a command that moves no bolt', () => {
  const ids = begun();
  for (const id of [ids.issue(lock, null, 'unlock'), ids.issue(lock, account, 'add-card')]) {
    expect([ids.read(lock, id, 'unlock'), ids.read(lock, id, 'lock')]).toEqual([undefined, undefined]);
  }
});

test('a lock cannot say that another account opened it, nor use the id of another lock or of another command', () => {
  const ids = begun();
  const id = ids.issue(lock, account, 'unlock');
  const [part = '', , signature = ''] = id.split('.');
  const other = createCommandIds({ key: () => Buffer.alloc(32, 2), start: () => 1 });
  expect([ids.read(8 as LockId, id, 'unlock'), ids.read(lock, id, 'lock'), other.read(lock, id, 'unlock')]).toEqual(
    [1, 2, 3].map(() => undefined),
  );
  for (const broken of [
    '',
    '..',
    'x.17',
    `${part}.1.${signature}`,
    `${Number(part) + 1}.17.${signature}`,
    `0${part}.17.${signature}`,
    `${part}.017.${signature}`,
    `${part}.17.`,
    `${id}0`,
    `${part}.17.${signature.toUpperCase()}!`,
    `x${id}.`,
  ]) {
    expect(ids.read(lock, broken, 'unlock')).toBeUndefined();
  }
});

test('an id of the form before this one, a UUID, still names its account, with a number below all others', () => {
  const old = (uuid: string, accountId: number): string => {
    const text = `latchd command id\n${lock}\n${uuid}\n${accountId}`;
    return `${uuid}.${accountId}.${createHmac('sha256', key()).update(text).digest('hex').slice(0, 32)}`;
  };
  const read = (id: string) => begun().read(lock, id, 'unlock');
  const first = read(old('48a8eb53-554f-4e39-9f7a-dd98c9a42caf', 17));
  const second = read(old('48a8eb53-5550-4e39-9f7a-dd98c9a42caf', 17));
  expect([first?.accountId, second?.accountId]).toEqual([17, 17]);
  expect(first?.number).toBeLessThan(0);
  expect(second?.number).not.toBe(first?.number);
  expect(read(old('48a8eb53-554f-4e39-9f7a-dd98c9a42caf', 0))).toBeUndefined();
});

test('a short key is refused: anybody could sign', () => {
  expect(() => createCommandIds({ key: () => Buffer.alloc(8), start: () => 1 }).issue(lock, account, 'unlock')).toThrow(
    'at least 16 bytes',
  );
});
