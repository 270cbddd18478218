import { describe, expect, it } from '@jest/globals';
import { createNukiHub } from '../../../device-sim/devices/nuki-hub.ts';
import { putDeviceOnTheBench, travelMs } from '../support/device-on-the-bench.ts';

const bluetoothMs = 100;

function nukiHub(...faults: readonly string[]) {
  const bench = putDeviceOnTheBench(createNukiHub, 'nukihub');
  bench.fault(...faults);
  bench.connect();
  const short = (lines: readonly string[]) => lines.map((line) => line.replace('nukihub/lock/', '').replace(/ R$/, ''));
  const write = (topic: string, text: string) => bench.device.hear(`nukihub/lock/${topic}`, text);
  const hub = { ...bench, write, said: () => short(bench.said()), pass: (ms: number) => short(bench.pass(ms)) };
  /** Past the six seconds in which it hears no action. */
  const listening = () => {
    hub.pass(6_000);
    return hub;
  };
  return { ...hub, listening };
}

function entriesIn(lines: readonly string[], topic: string): Record<string, unknown>[] {
  return lines
    .filter((line) => line.startsWith(`${topic} `))
    .map((line) => JSON.parse(line.slice(topic.length + 1)) as Record<string, unknown>);
}

describe('a simulated nuki_hub', () => {
  it('takes an action, then does it: ack, result, the log, the states, and its whole log later', () => {
    const { write, said, pass } = nukiHub().listening();
    write('action', 'unlock');
    expect(said()).toEqual(['action ack']);
    const begun = pass(bluetoothMs);
    expect(begun.slice(0, 4)).toEqual(['commandResult success', 'retry --', 'query/lockstateCommandResult success', 'state unlocking']);
    const done = pass(travelMs);
    expect(done.map((line) => line.split(' ')[0])).toEqual([
      ...['query/lockstateCommandResult', 'rollingLog', 'lastRollingLog', 'shortLog', 'state', 'hastate', 'binaryState', 'availability'],
      ...['battery/basicJson', 'json'],
    ]);
    expect(entriesIn(done, 'rollingLog')).toMatchObject([
      { index: 1835, type: 'LockAction', action: 'Unlock', trigger: 'system', timeYear: 2026 },
    ]);
    expect(entriesIn(pass(5_000), 'log').at(-1)).toMatchObject([{ index: 1835 }]);
  });

  it('hears no action for six seconds after each connect', () => {
    const hub = nukiHub();
    hub.pass(5_999);
    hub.write('action', 'unlock');
    expect(hub.pass(60_000).filter((line) => line.startsWith('state '))).toEqual([]);
    hub.write('action', 'unlock');
    expect(hub.said()).toEqual(['action ack']);
  });

  it('tries three times over Bluetooth, up to half a minute late, and gives up with its old state', () => {
    const weak = nukiHub('weak-bluetooth').listening();
    weak.write('action', 'unlock');
    expect(weak.pass(20_099).filter((line) => /^(retry|state|commandResult)/.test(line))).toEqual([
      ...['action ack'].slice(1),
      ...['commandResult timeOut', 'retry 1', 'commandResult timeOut', 'retry 2'],
    ]);
    expect(weak.pass(1)).toContain('state unlocking');
    const away = nukiHub('radio-away').listening();
    away.write('action', 'unlock');
    const said = away.pass(60_000);
    expect(said.filter((line) => /^(retry|state|commandResult|query)/.test(line)).slice(-4)).toEqual([
      ...['commandResult timeOut', 'retry failed', 'query/lockstateCommandResult timeOut', 'state locked'],
    ]);
  });

  it('denies, does not know, jams', () => {
    const denying = nukiHub('actions-denied').listening();
    denying.write('action', 'unlock');
    expect(denying.said()).toEqual(['action denied']);
    const hub = nukiHub('jam').listening();
    hub.write('action', 'dance');
    expect(hub.said()).toEqual(['action unknown_action']);
    hub.write('action', 'unlock');
    expect(hub.pass(10_000)).toEqual(expect.arrayContaining(['state motorBlocked', 'completionStatus motorBlocked']));
  });

  it('answers queries, and takes them from their topic at once', () => {
    const hub = nukiHub('battery-126');
    hub.write('query/lockstate', '1');
    expect(hub.said()).toEqual(['query/lockstate 0']);
    expect(hub.pass(200)).toEqual(expect.arrayContaining(['state locked']));
    hub.write('query/battery', '1');
    expect(entriesIn(hub.pass(200), 'battery/basicJson')).toMatchObject([{ level: 126, critical: '0' }]);
  });

  it.each([
    ['duplicate-log', [1835, 1835]],
    ['skipped-index', []],
    ['lost-index', [1836]],
    ['log-off', []],
  ])('has a log with %s', (fault, indexes) => {
    const hub = nukiHub(fault).listening();
    hub.device.doors[0]?.turn();
    const said = [...hub.said(), ...hub.pass(travelMs)];
    expect(entriesIn(said, 'rollingLog').map(({ index }) => index)).toEqual(indexes);
    const all = hub.pass(10_000).filter((line) => line.startsWith('log '));
    expect(all.length > 0).toBe(fault !== 'log-off');
  });

  it('has codes: added, listed, used at the keypad, deleted; the wrong ones are in its log', () => {
    const hub = nukiHub();
    const change = (given: object) => {
      hub.said();
      hub.write('keypad/actionJson', JSON.stringify(given));
      return hub.said().at(-1);
    };
    expect(change({ action: 'add', code: '589472', name: 'Test' })).toBe('keypad/commandResultJson success');
    const [listed] = hub.pass(5_000).filter((line) => line.startsWith('keypad/json'));
    expect(listed).toMatch(/"codeId":8193.*"name":"Test"/);
    expect(listed).not.toContain('589472');
    expect(change({ action: 'add', code: '120000', name: 'Test' })).toBe('keypad/commandResultJson noValidCodeSet');
    expect(hub.device.doors[0]?.enterCode('589472')).toBe('done');
    expect(entriesIn([...hub.said(), ...hub.pass(travelMs)], 'rollingLog').map(({ type }) => type)).toEqual(['KeypadAction', 'LockAction']);
    expect(hub.device.doors[0]?.enterCode('999999')).toMatch(/^no/);
    expect(entriesIn(hub.said(), 'rollingLog')).toMatchObject([{ completionStatus: 'invalidCode', trigger: 'code' }]);
    expect(change({ action: 'delete', codeId: '8193' })).toBe('keypad/commandResultJson success');
    expect(hub.pass(5_000)).toContain('keypad/json []');
  });
});
