// What the doctor sees of locks of other makes.
import { describe, expect, test } from '@jest/globals';
import { checkBridges, checkDevices, checkLocks } from '../../../src/admin/doctor/makes.ts';
import type { Verdict } from '../../../src/admin/doctor/verdict.ts';

const said = (verdicts: readonly Verdict[]) => verdicts.map(({ verdict, seen }) => `${verdict} ${seen}`);
const daemon = (answer: object) => ({ answer: answer as never });
const bridgeOf = (url: string) => ({ name: 'house', url, drivers: [{ kind: 'zigbee2mqtt' as const, base: 'zigbee2mqtt' }] });
const bridges = [bridgeOf('mqtts://broker.example.org:8883')];
const house = {
  ...{ name: 'house', connected: true, since: 1_763_715_700_000, reason: '', locks: 2, admitsStrangers: null },
  drivers: [{ kind: 'zigbee2mqtt', online: true }],
};

describe('the listener for devices', () => {
  const devices = { enabled: true, host: '0.0.0.0', port: 1883, networks: ['192.168.20.0/24', 'fd00::/8'] };

  test('is said to be open to its networks when this machine has an address in one of them', () => {
    expect(said(checkDevices({ devices }, ['127.0.0.1', '192.168.20.1']))).toEqual(['ok devices of 192.168.20.0/24, fd00::/8 may log in']);
    expect(said(checkDevices({ devices: { ...devices, host: 'fd00::1' } }, []))).toEqual([
      'ok devices of 192.168.20.0/24, fd00::/8 may log in',
    ]);
  });

  test('is warned of when it has none, and not spoken of while it is off', () => {
    const [verdict] = checkDevices({ devices }, ['127.0.0.1', '10.0.0.7', '::1']);
    expect(verdict).toMatchObject({ verdict: 'warn', remedy: expect.stringContaining('devices.networks') });
    expect(checkDevices({ devices: { ...devices, host: '127.0.0.1' } }, ['192.168.20.1'])[0]?.verdict).toBe('warn');
    expect(checkDevices({ devices: { ...devices, enabled: false } }, [])).toEqual([]);
  });
});

describe('a bridge', () => {
  test('that is well is said to be', () => {
    expect(said(checkBridges({ bridges }, daemon({ bridges: [house] })))).toEqual(['ok bridge house is connected, with 2 locks']);
  });

  test('that is not connected has failed, with its reason', () => {
    const away = { ...house, connected: false, reason: 'the broker refused the password' };
    expect(said(checkBridges({ bridges }, daemon({ bridges: [away] })))).toEqual([
      'fail bridge house has not been connected since 2025-11-21T09:01:40.000Z: the broker refused the password',
    ]);
  });

  test('whose program does not run, or whose broker admits strangers, is warned of', () => {
    const odd = { ...house, admitsStrangers: true, drivers: [{ kind: 'zigbee2mqtt', online: false }] };
    expect(said(checkBridges({ bridges }, daemon({ bridges: [odd] })))).toEqual([
      'warn bridge house is connected, and zigbee2mqtt does not run there',
      expect.stringMatching(/^warn the broker of bridge house lets strangers subscribe \(open-broker\)/),
    ]);
  });

  test.each([
    ['mqtt://192.168.20.5:1883', 1],
    ['mqtt://127.0.0.1:1883', 0],
    ['mqtt://[::1]:1883', 0],
    ['mqtts://192.168.20.5:8883', 0],
  ])('at %s is warned of %i times for want of TLS, whether the daemon runs or not', (url, times) => {
    expect(checkBridges({ bridges: [bridgeOf(url)] }, { answer: undefined })).toHaveLength(times);
  });
});

test('what locks warn of is said once, with how many they are and what to switch; an open broker is said of its bridge alone', () => {
  const lockWarnings = [
    { warning: 'actions-off', locks: 2, first: 'Front door' },
    { warning: 'power-up-state', locks: 1, first: 'Gate' },
    { warning: 'never-heard', locks: 1, first: 'Cellar' },
    { warning: 'open-broker', locks: 9, first: 'Attic' },
  ];
  const verdicts = checkLocks(daemon({ lockWarnings }));
  expect(said(verdicts)).toEqual([
    'warn no commands over MQTT are taken by 2 locks (Front door, …): actions-off',
    'warn power that comes back may open the door, so nothing is sent to 1 lock (Gate): power-up-state',
    'warn nothing was ever heard of 1 lock (Cellar): never-heard',
  ]);
  expect(verdicts[0]?.remedy).toBe('switch on "Allow lock actions" in the app of the lock');
  expect(checkLocks({ answer: undefined })).toEqual([]);
});
