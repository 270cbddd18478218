// What doctor says of newer versions.
import { expect, test } from '@jest/globals';
import { checkUpdates } from '../../../src/admin/doctor/updates.ts';
import type { Offer } from '../../../src/domain/updates/update-watch.ts';

const asked = (offer: Offer, { check = true, lastLook = async (): Promise<number | undefined> => Date.now() } = {}) =>
  checkUpdates({ updates: { check } } as never, '0.1.0', { ask: async () => offer, lastLook, stop: () => undefined });
const offer = { installed: '0.1.0', newest: '0.2.0', isNewer: true };

test('a newer one is something to look at, with the command that installs it', async () => {
  expect(await asked(offer)).toEqual({
    verdict: 'warn',
    seen: 'latchd 0.2.0 is in its repository, and this is 0.1.0',
    remedy: expect.stringMatching(/^sudo apt-get install --only-upgrade latchd;/),
  });
});

test.each<[string, string, Offer]>([
  ['ok', '0.1.0 is the newest that apt knows of', { ...offer, newest: '0.1.0', isNewer: false }],
  ['ok', 'this machine has no apt', { doubt: 'no-apt' }],
  ['ok', 'apt did not install this latchd', { doubt: 'not-installed' }],
  ['warn', 'apt has installed another version than this one', { ...offer, installed: '0.3.0' }],
  ['warn', 'no repository of this machine has latchd', { doubt: 'no-repository' }],
  ['warn', 'apt says nothing that can be understood', { doubt: 'failed' }],
])('%s: %s', async (verdict, seen, answer) => {
  const found = await asked(answer);
  expect([found.verdict, found.seen]).toEqual([verdict, expect.stringContaining(seen)]);
  expect(found.remedy === undefined).toBe(verdict === 'ok');
});

test.each([
  [8, 'warn', ', and apt has not looked into its repositories for 8 days'],
  [7, 'ok', ''],
  [undefined, 'ok', ''],
])('the newest that apt knows of, when apt last looked %s days ago: %s', async (days, verdict, more) => {
  const lastLook = async () => (days === undefined ? undefined : Date.now() - days * 86_400_000);
  const found = await asked({ ...offer, newest: '0.1.0', isNewer: false }, { lastLook });
  expect([found.verdict, found.seen]).toEqual([verdict, `0.1.0 is the newest that apt knows of${more}`]);
});

test('nobody is asked while it is off', async () => {
  expect(await asked(offer, { check: false })).toEqual({ verdict: 'ok', seen: 'nobody looks for newer versions (updates.check)' });
});
