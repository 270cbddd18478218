import { describe, expect, it } from '@jest/globals';
import { createShelly } from '../../../device-sim/devices/shelly.ts';
import { putDeviceOnTheBench } from '../support/device-on-the-bench.ts';

const prefix = 'shellyplus1-a8032abe54dc';

function shelly(...faults: readonly string[]) {
  const bench = putDeviceOnTheBench(createShelly, prefix);
  bench.fault(...faults);
  bench.connect();
  const ask = (method: string, params: object) => {
    bench.said();
    bench.device.hear(`${prefix}/rpc`, JSON.stringify({ id: 17, src: 'latchd/a1b2', method, params }));
    return messagesIn(bench.said());
  };
  return { ...bench, ask };
}

function messagesIn(lines: readonly string[]): { topic: string; [member: string]: unknown }[] {
  return lines.map((line) => {
    const [, topic = '', text = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    return { topic, ...(JSON.parse(text) as object) };
  });
}

describe('a simulated Shelly', () => {
  it('switches, says so with the id of the request, and ends its pulse itself', () => {
    const { ask, pass } = shelly();
    expect(ask('Switch.Set', { id: 0, on: true, toggle_after: 3 })).toEqual([
      expect.objectContaining({
        topic: `${prefix}/events/rpc`,
        method: 'NotifyStatus',
        params: expect.objectContaining({ 'switch:0': { id: 0, output: true, source: 'MQTT' } }),
      }),
      { topic: 'latchd/a1b2/rpc', id: 17, src: prefix, dst: 'latchd/a1b2', result: { was_on: false } },
    ]);
    expect(pass(2_999)).toEqual([]);
    expect(messagesIn(pass(1))).toMatchObject([{ params: { 'switch:0': { id: 0, output: false, source: 'timer' } } }]);
  });

  it('begins its pulse anew when it is told again', () => {
    const { ask, pass } = shelly();
    ask('Switch.Set', { id: 0, on: true, toggle_after: 3 });
    pass(2_000);
    expect(ask('Switch.Set', { id: 0, on: true, toggle_after: 3 })).toMatchObject([{ result: { was_on: true } }]);
    expect(pass(2_999)).toEqual([]);
    expect(pass(1)).toHaveLength(1);
  });

  it('says how it starts, and what it does not know', () => {
    expect(shelly().ask('Switch.GetConfig', { id: 0 })).toMatchObject([{ result: { initial_state: 'off', auto_on: false } }]);
    expect(shelly('powers-up-on').ask('Switch.GetStatus', { id: 0 })).toMatchObject([{ result: { output: true } }]);
    expect(shelly('powers-up-restore').ask('Switch.GetConfig', { id: 0 })).toMatchObject([{ result: { initial_state: 'restore_last' } }]);
    expect(shelly().ask('Switch.Set', { id: 3, on: true })).toMatchObject([{ error: { code: -105 } }]);
    expect(shelly().ask('Shelly.Reboot', { id: 0 })).toMatchObject([{ error: { code: 404 } }]);
    expect(shelly('rpc-error').ask('Switch.Set', { id: 0, on: true })).toMatchObject([{ error: { code: -109 } }]);
  });

  it('loses answers, answers others, and takes nothing for a request that is none', () => {
    const set = { id: 0, on: true, toggle_after: 3 };
    expect(shelly('lost-answer').ask('Switch.Set', set)).toMatchObject([{ method: 'NotifyStatus' }]);
    expect(shelly('wrong-id', 'no-notifications').ask('Switch.Set', set)).toMatchObject([{ id: 16 }, { id: 17 }]);
    expect(shelly('silent').ask('Switch.Set', set)).toEqual([]);
    const bench = shelly();
    bench.device.hear(`${prefix}/rpc`, '{"id":1');
    expect(bench.said()).toEqual([]);
  });

  it('tells of its button and of its door contact', () => {
    const { device, said } = shelly();
    expect(device.doors[0]?.moveDoor(true)).toBe(false);
    device.doors[0]?.turn();
    device.doors[0]?.moveDoor(true);
    expect(messagesIn(said())).toMatchObject([
      { params: { 'switch:0': { output: true, source: 'button' } } },
      { params: { 'input:0': { id: 0, state: false } } },
    ]);
  });
});
