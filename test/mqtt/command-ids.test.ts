// Command ids that name the account (Protocol 5.1).
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../src/domain/account.ts';
import type { LockId } from '../../src/domain/lock.ts';
import { createCommandIds } from '../../src/mqtt/command-ids.ts';

const key = () => Buffer.alloc(32, 1);
const lock = 7 as LockId;
const account = 17 as AccountId;

test('an id names its account for its lock, also after a restart with the same key, and has at most 96 characters (Protocol 5.1)', () => {
  const id = createCommandIds({ key }).issue(lock, account);
  expect(createCommandIds({ key }).accountOf(lock, id)).toBe(account);
  expect(createCommandIds({ key }).issue(lock, Number.MAX_SAFE_INTEGER as AccountId).length).toBeLessThanOrEqual(96);
});

test('two ids are never the same', () => {
  const ids = createCommandIds({ key });
  expect(new Set(Array.from({ length: 1_000 }, () => ids.issue(lock, account))).size).toBe(1_000);
});

test('an id of the gateway itself names no account', () => {
  const ids = createCommandIds({ key });
  expect(ids.accountOf(lock, ids.issue(lock, null))).toBeUndefined();
});

test('a lock cannot say that another account opened it, nor use the id of another lock', () => {
  const ids = createCommandIds({ key });
  const id = ids.issue(lock, account);
  const [part, , signature] = id.split('.');
  expect(ids.accountOf(8 as LockId, id)).toBeUndefined();
  expect(ids.accountOf(lock, `${part}.1.${signature}`)).toBeUndefined();
  expect(ids.accountOf(lock, `${part?.replace(/./, 'z')}.17.${signature}`)).toBeUndefined();
  expect(createCommandIds({ key: () => Buffer.alloc(32, 2) }).accountOf(lock, id)).toBeUndefined();
  for (const broken of [
    '',
    '..',
    'x.17',
    `${part}.017.${signature}`,
    `${part}.17.`,
    `${id}0`,
    `${part}.17.${signature?.toUpperCase()}!`,
    `x${id}.`,
  ]) {
    expect(ids.accountOf(lock, broken)).toBeUndefined();
  }
});

test('a short key is refused: anybody could sign', () => {
  expect(() => createCommandIds({ key: () => Buffer.alloc(8) }).issue(lock, account)).toThrow('at least 16 bytes');
});
