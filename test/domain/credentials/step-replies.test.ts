// What a caller hears of the lock's word about a card or a passcode.
import { expect, it } from '@jest/globals';
import { createEntries } from '../../../src/domain/credentials/lock-entries.ts';
import type { LockMemory, StepEnd } from '../../../src/domain/credentials/lock-memory.ts';
import { isSaid, takenBy } from '../../../src/domain/credentials/step-replies.ts';
import type { CommandId } from '../../../src/domain/locks/lock-command.ts';
import { someEntry } from '../../support/entries.ts';

const done = { kind: 'done', commandId: 'c1' as CommandId, basis: 'reply', failed: [], references: [] } as const;

it('is what is known of a step that was done', () => {
  expect(takenBy(done, 'card')).toEqual({ commandId: 'c1' });
  expect(takenBy({ ...done, references: ['8193'] }, 'passcode')).toEqual({ commandId: 'c1', reference: '8193' });
});

it.each<[string, StepEnd, object]>([
  ['nothing was sent', { kind: 'unsent' }, { code: 'lock-offline' }],
  ['the outcome is open', { kind: 'open' }, { code: 'lock-timeout' }],
])('is an error of its own when %s', (_what, end, error) => {
  expect(() => takenBy(end, 'card')).toThrow(expect.objectContaining(error));
});

it.each<[string, StepEnd]>([
  ['a refusal', { kind: 'refused', error: 'no-space', message: 'no room for 482913' }],
  ['one item that was not stored', { ...done, failed: [{ index: 0, error: 'no-space' }] }],
])('of a passcode is one word of %s and no digits', (_what, end) => {
  const words = { code: 'lock-refused', lockError: 'no-space', message: 'the lock refused: no-space' };
  expect(() => takenBy(end, 'passcode')).toThrow(expect.objectContaining(words));
});

it('of a passcode is not even the word when that has digits in it', () => {
  const end = { kind: 'refused', error: 'taken-482913', message: '' } as const;
  expect(() => takenBy(end, 'passcode')).toThrow(expect.objectContaining({ lockError: 'failed', message: 'the lock refused: failed' }));
});

it('is believed unless the digest says that the lock holds something else', () => {
  const entries = createEntries();
  entries.apply({ put: [someEntry(1), someEntry(2, { held: null })] });
  const digest = (held: readonly { readonly number: string }[]) => held.map(({ number }) => number).join();
  const memory = { digest } as unknown as LockMemory;
  expect(isSaid({ ...done, digest: '5550001' }, memory, entries)).toBe(true);
  expect(isSaid({ ...done, digest: '5550001,5550002' }, memory, entries)).toBe(false);
  expect(isSaid(done, memory, entries)).toBe(true);
  expect(isSaid({ ...done, digest: 'any' }, {} as LockMemory, entries)).toBe(true);
});
