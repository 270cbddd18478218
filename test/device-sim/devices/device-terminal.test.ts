import { describe, expect, it } from '@jest/globals';
import type { DeviceFleet } from '../../../device-sim/devices/device-fleet.ts';
import { createDeviceTerminal } from '../../../device-sim/devices/device-terminal.ts';
import { createNuki } from '../../../device-sim/devices/nuki.ts';
import type { RunningDevice } from '../../../device-sim/devices/running-device.ts';
import { putDeviceOnTheBench } from '../support/device-on-the-bench.ts';

async function type(...lines: string[]) {
  const { device, connect, said } = putDeviceOnTheBench(createNuki, '2BB28570');
  connect();
  const done: string[] = [];
  const act = (what: string) => () => void done.push(what);
  const nothing = () => Promise.resolve();
  const running: RunningDevice = {
    ...{ device, online: true, trouble: undefined, stop: nothing, whenOnline: nothing },
    ...{ start: act('start'), cut: act('cut'), freeze: act('freeze'), thaw: act('thaw') },
  };
  const doors = device.doors.map((door, index) => ({ number: index + 1, door, running }));
  const fleet: DeviceFleet = {
    ...{ start: nothing, stop: nothing, doors },
    door(number) {
      const [found] = doors;
      if (found === undefined || number !== 1) throw new Error(`there is no door ${number}`);
      return found;
    },
  };
  const written: string[] = [];
  const terminal = createDeviceTerminal({ fleet, write: (line) => written.push(line) });
  let stayed = true;
  for (const line of lines) stayed = await terminal.run(line);
  return { written, done, stayed, said: said().map((line) => line.replace('nuki/2BB28570/', '')), door: doors[0]?.door };
}

describe('the terminal of other makes', () => {
  it('acts at a door as it is told', async () => {
    const { written, said, door, done } = await type(
      'door 1 open',
      'turn 1',
      'door 1 open',
      'battery 1 15',
      'passcode 1 1',
      'jam 1',
      'cut 1',
      'restore 1',
    );
    expect(said).toEqual([
      'lockActionEvent 1,1,0,0,1',
      'state 3 R',
      'doorsensorState 3 R',
      'batteryChargeState 15 R',
      'batteryCritical true R',
    ]);
    expect(written.slice(0, 3)).toEqual(['#1 no: it is locked', '#1 done', '#1 done']);
    expect(door?.faults.has('jam')).toBe(true);
    expect(done).toEqual(['cut', 'start']);
  });

  it('lets things be wrong by name, and right again', async () => {
    const { written, door } = await type(
      'fault 1 two-responses',
      'silent 1',
      'locks',
      'fault 1 two-responses off',
      'silent 1 off',
      'faults 1',
    );
    expect(written[2]).toBe('#1 Nuki 2BB28570  online  state 1, battery 85 %, door shut  wrong: silent, two-responses');
    expect(door?.faults.has('two-responses')).toBe(false);
    expect(written.at(-1)).toMatch(/actions-off +Allow lock actions is off/);
  });

  it.each([
    ['dance', 'there is no command dance; help lists them'],
    ['turn', 'usage: turn N'],
    ['turn 2', 'there is no door 2'],
    ['passcode 1', 'a code is missing'],
    ['battery 1 101', 'say 0 to 100'],
    ['door 1 ajar', 'usage: door N open|close'],
  ])('answers %s with a sentence', async (line, answer) => {
    expect((await type(line)).written).toEqual([answer]);
  });

  it('shows what can be typed, and leaves on quit', async () => {
    const { written, stayed } = await type('help', '', 'quit');
    expect(written.join('\n')).toMatch(/fault N NAME \[off\] +let something be wrong/);
    expect(stayed).toBe(false);
  });
});
