// The codes of a keypad against the simulated nuki_hub, which was written from its documents alone.
import { describe, expect, test } from '@jest/globals';
import { createNukiHub } from '../../../device-sim/devices/nuki-hub.ts';
import type { CommandOutcome, LockCommand } from '../../../src/domain/locks/lock-command.ts';
import { nukiHub } from '../../../src/drivers/nuki-hub/nuki-hub.ts';
import { meetDevice } from '../../support/device-meeting.ts';

const put = { op: 'put-passcode', code: '589472', name: 'Jan', startDate: 0, endDate: 0 } as const;

function keypad(...faults: readonly string[]) {
  const meeting = meetDevice(nukiHub, { base: 'nukihub' }, createNukiHub, 'nukihub');
  const [door] = meeting.device.doors;
  meeting.connect();
  meeting.time.advance(8_000);
  for (const fault of faults) door?.faults.set(fault, true);
  const ended = (command: LockCommand): CommandOutcome | undefined => {
    let outcome: CommandOutcome | undefined;
    meeting.ask(command, 20_000, (end) => {
      outcome = end;
    });
    meeting.time.advance(15_000);
    return outcome;
  };
  return { ended, door, meeting };
}

describe('codes on the keypad behind a simulated nuki_hub', () => {
  test('are added, changed, listed and removed, and open the door in between', () => {
    const { ended, door } = keypad();
    expect(ended(put)).toEqual({ kind: 'ok', passcode: { reference: '8193', proof: 'read-back' } });
    expect(ended({ ...put, code: '998877', name: 'Eva' })).toMatchObject({ passcode: { reference: '8194', proof: 'read-back' } });
    expect(door?.enterCode('589472')).toBe('done');
    expect(ended({ ...put, code: '445566', reference: '8193' })).toMatchObject({ passcode: { reference: '8193', proof: 'said' } });
    expect([door?.enterCode('589472'), door?.enterCode('445566')]).toEqual(['no: a wrong code', 'done']);
    const listed = { isEnabled: true, startDate: 0, endDate: 0 };
    expect(ended({ op: 'list-passcodes' })).toEqual({
      kind: 'ok',
      passcodes: {
        passcodes: [
          { reference: '8193', name: 'Jan', ...listed },
          { reference: '8194', name: 'Eva', ...listed },
        ],
      },
    });
    expect(ended({ op: 'remove-passcode', reference: '8193' })).toMatchObject({ passcode: { reference: '8193', proof: 'read-back' } });
    expect(door?.enterCode('445566')).toBe('no: a wrong code');
  });

  test('are proven as far as the hub shows them: the changed digits only when it publishes them', () => {
    const { ended } = keypad('publishes-codes');
    ended(put);
    expect(ended({ ...put, code: '445566', reference: '8193' })).toMatchObject({ passcode: { proof: 'read-back' } });
  });

  test('with dates are read back by the clock of the lock, also when that clock is wrong', () => {
    const { ended, meeting } = keypad('clock-wrong');
    const startDate = meeting.time.wall();
    const dated = { ...put, startDate, endDate: startDate + 86_400_000 };
    // The hub shows the clock with each state.
    expect(ended({ op: 'get-status' })).toMatchObject({ kind: 'ok' });
    expect(ended(dated)).toMatchObject({ kind: 'ok', passcode: { proof: 'read-back' } });
    const listing = ended({ op: 'list-passcodes' });
    const [code] = (listing?.kind === 'ok' && listing.passcodes?.passcodes) || [];
    expect(Math.abs((code?.startDate ?? 0) - startDate)).toBeLessThanOrEqual(60_000);
  });

  test('that the keypad does not take are not said to be there, and what the hub forbids is refused', () => {
    expect(keypad('forgets-codes').ended(put)).toEqual({ kind: 'no-reply' });
    expect(keypad('keypad-control-off').ended(put)).toMatchObject({ kind: 'refused', error: 'failed' });
    expect(keypad('no-pin').ended({ op: 'remove-passcode', reference: '1' })).toMatchObject({ kind: 'refused' });
    expect(keypad().ended({ op: 'remove-passcode', reference: '8193' })).toMatchObject({ kind: 'ok', passcode: { proof: 'read-back' } });
  });
});
