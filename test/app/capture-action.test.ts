// The action by which `latchd capture` looks on.
import { expect, test } from '@jest/globals';
import { captureAction } from '../../src/app/capture-action.ts';
import { nativeDriver } from '../../src/domain/locks/hub.ts';
import type { DeviceId, LockId } from '../../src/domain/locks/lock.ts';
import { createCaptures } from '../../src/drivers/captures.ts';
import { someLock } from '../support/domain.ts';
import { createSettableClock, settled } from '../support/settable-clock.ts';

const nuki = { ...someLock(), lockId: 7 as LockId, driver: { kind: 'nuki', address: '2BB28570', options: {}, keyHash: null } };
const native = { ...someLock(), lockId: 8 as LockId, driver: nativeDriver('a4c1387f02e9' as DeviceId, null, 'x') };
const state = { from: 'device', topic: 'nuki/2BB28570/state', qos: 0, retain: false, payload: '1' } as const;

function prepare() {
  const clock = createSettableClock();
  const captures = createCaptures({ clock });
  const locks = { get: (lockId: LockId) => [nuki, native].find((lock) => lock.lockId === lockId) };
  const action = captureAction({ clock, captures, locks, kinds: ['nuki', 'shelly'] });
  const lines: object[] = [];
  const leaving = new AbortController();
  const client = { progress() {}, line: (line: object) => lines.push(line), gone: () => leaving.signal };
  const ask = (request: object) =>
    action?.({ action: 'capture', ...request }, client as never) ?? Promise.reject(new Error('there is none'));
  return { clock, captures, lines, leaving, ask };
}

test('lines go to the client for as long as it asked, and no longer', async () => {
  const { clock, captures, lines, ask } = prepare();
  const ended = ask({ kind: 'nuki', seconds: 60 });
  await settled();
  captures.heard('nuki', nuki.lockId, state);
  await clock.advance(59_999);
  captures.heard('nuki', null, state);
  expect(lines).toEqual([
    { t: 0, ...state },
    { t: 59.999, ...state },
  ]);
  await clock.advance(1);
  expect(await ended).toEqual({});
  expect([captures.isOn('nuki'), clock.timers()]).toEqual([false, 0]);
});

test('it ends when the client leaves, and keeps nothing', async () => {
  const { clock, captures, leaving, ask } = prepare();
  const ended = ask({ kind: 'nuki', lockId: 7, seconds: 3_600 });
  await settled();
  expect(captures.isOn('nuki')).toBe(true);
  leaving.abort();
  expect(await ended).toEqual({});
  expect([captures.isOn('nuki'), clock.timers()]).toEqual([false, 0]);
});

test.each([
  [{ kind: 'native', seconds: 1 }, 'invalid-parameter', 'kind must be one of nuki, shelly'],
  [{ kind: 'nuki', seconds: 3_601 }, 'invalid-parameter', 'seconds must be between 1 and 3600'],
  [{ kind: 'nuki', seconds: 0 }, 'invalid-parameter', 'seconds must be between 1 and 3600'],
  [{ kind: 'nuki', lockId: 9, seconds: 1 }, 'lock-not-found', 'there is no lock 9'],
  [{ kind: 'nuki', lockId: 8, seconds: 1 }, 'invalid-parameter', 'lockId must be a lock of the kind nuki'],
])('%j is %s', async (request, code, message) => {
  const { captures, ask } = prepare();
  await expect(ask(request)).rejects.toMatchObject({ code, message });
  expect(captures.isOn('nuki')).toBe(false);
});
