import { describe, expect, it } from '@jest/globals';
import type { Fleet } from '../../device-sim/fleet.ts';
import type { HubHandle } from '../../device-sim/hub.ts';
import type { LockHandle } from '../../device-sim/lock-handle.ts';
import { createTerminal } from '../../device-sim/terminal.ts';
import type { DeviceId } from '../../src/domain/locks/lock.ts';

async function type(...lines: string[]): Promise<{ written: string[]; done: string[]; stayed: boolean }> {
  const done: string[] = [];
  const written: string[] = [];
  const answers: Record<string, unknown> = {
    number: 1,
    name: 'Front',
    mac: '02:00',
    online: true,
    state: 'locked',
    batteryPercent: 9,
    doorOpen: false,
    session: 's',
    memory: {
      cards: [],
      passcodes: [{ number: '0042', startDate: 0, endDate: 5, hours: '1:0-60', once: true }],
      events: [],
      lastSeq: 0,
      epoch: 'e',
      autoLockSeconds: 5,
    },
    swipeCard: Promise.resolve({ done: true }),
    enterPasscode: Promise.resolve({ done: false, reason: 'wrong-passcode' }),
    turnThumb: Promise.resolve({ done: true }),
    openDoor: false,
    wipe: Promise.resolve(),
    faults: { memory: new Set<string>() },
  };
  const plain = [
    'number',
    'name',
    'mac',
    'online',
    'state',
    'batteryPercent',
    'doorOpen',
    'session',
    'memory',
    'clockNow',
    'waiting',
    'faults',
  ];
  const lock = new Proxy({} as LockHandle, {
    get: (_, member: string) =>
      plain.includes(member)
        ? answers[member]
        : (...given: unknown[]) => {
            done.push([member, ...given].join(' '));
            return answers[member];
          },
  });
  const act = (what: string) => () => void done.push(what);
  const hub: HubHandle = {
    ...{ number: 1, name: 'Hub 1', mac: '02:00:01:F0:00:01', deviceId: '020001f00001' as DeviceId, online: true },
    ...{ cutNetwork: act('cut'), restoreNetwork: act('restore'), freeze: act('freeze'), thaw: act('thaw') },
  };
  const fleet: Fleet = {
    name: 'fleet',
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    locks: [lock],
    lock(number) {
      if (number !== 1) throw new Error(`there is no lock ${number}`);
      return lock;
    },
    hubs: [hub],
    hub(number) {
      if (number !== 1) throw new Error(`there is no hub ${number}`);
      return hub;
    },
  };
  const terminal = createTerminal({ fleet, write: (line) => written.push(line) });
  let stayed = true;
  for (const line of lines) stayed = await terminal.run(line);
  return { written, done, stayed };
}

describe('the terminal', () => {
  it('acts at a door as it is told', async () => {
    const { done, written } = await type(
      'swipe 1 1325672378',
      'passcode 1 1234',
      'turn 1',
      'cut 1',
      'restore 1',
      'jam 1',
      'unjam 1',
      'silent 1',
      'silent 1 off',
      'door 1 open',
      'tamper 1',
      'privacy 1 on',
      'battery 1 15',
      'power 1 off',
    );
    expect(done).toEqual([
      'swipeCard 1325672378',
      'enterPasscode 1234',
      'turnThumb',
      'cutNetwork',
      'restoreNetwork',
      'jam true',
      'jam false',
      'setSilent true',
      'setSilent false',
      'openDoor',
      'tamper',
      'setPrivacyBolt true',
      'setBattery 15',
      'powerCut',
    ]);
    expect(written.slice(0, 3)).toEqual(['#1 done', '#1 no: wrong-passcode', '#1 done']);
    expect(written).toContain('#1 no: it is locked');
  });

  it.each([
    ['dance', 'there is no command dance; help lists them'],
    ['turn', 'usage: turn N'],
    ['turn front', 'usage: turn N'],
    ['turn 2', 'there is no lock 2'],
    ['swipe 1', 'a card number is missing'],
    ['battery 1 101', 'say 0 to 100'],
    ['door 1 ajar', 'usage: door N open|close'],
    ['learn 1 fob 7', 'say card or passcode'],
    ['forget 1 card', 'a number is missing'],
    ['fault 1 gremlins', 'say one of forgets, keeps, wrong-digest'],
  ])('answers %s with a sentence', async (line, answer) => {
    const { written, done, stayed } = await type(line);
    expect([written, done, stayed]).toEqual([[answer], [], true]);
  });

  it('shows locks, one lock, and what can be typed', async () => {
    const { written } = await type('locks', 'status 1', 'help', '');
    expect(written[0]).toBe('#1 02:00  online  locked  9 %  Front');
    expect(written[1]).toMatch(/lockId unknown, online[\s\S]*auto lock 5 s[\s\S]*clock not set[\s\S]*passcode 0042 0 to 5 at 1:0-60 once/);
    expect(written.join('\n')).toMatch(/swipe N CARD +hold a card to the reader/);
  });

  it('plays the app of the lock, and what is wrong with its memory', async () => {
    const { done, written } = await type('learn 1 card 7', 'forget 1 passcode 0042', 'wipe 1', 'fault 1 forgets', 'fault 1 forgets off');
    expect(done).toEqual(['learn [object Object]', 'forget [object Object]', 'wipe']);
    expect(written).toEqual(Array(5).fill('#1 done'));
  });

  it('acts on hubs, and shows them', async () => {
    const { written, done } = await type('cut-hub 1', 'restore-hub 1', 'freeze-hub 1', 'thaw-hub 1', 'cut-hub 2', 'cut-hub', 'hubs');
    expect(done).toEqual(['cut', 'restore', 'freeze', 'thaw']);
    expect(written.slice(3)).toEqual(['hub 1 done', 'there is no hub 2', 'usage: cut-hub N', '#1 02:00:01:F0:00:01  online  Hub 1']);
  });

  it('leaves on quit', async () => {
    expect((await type('quit')).stayed).toBe(false);
  });
});
