// A Shelly Gen2 relay that feeds an electric strike: RPC over MQTT. It ends its pulse itself.
import { z } from 'zod';
import type { DeviceOptions, Door, SimulatedDevice } from './device.ts';
import { createDeviceFaults } from './device-faults.ts';
import { createLooseWire } from './device-wire.ts';
import { parsedJson } from './parsed-json.ts';

const shellyFaults = {
  'powers-up-on': 'initial_state is on: the strike opens when the power comes back',
  'powers-up-restore': 'initial_state is restore_last',
  'auto-on': 'auto_on is set: it switches itself on',
  'rpc-error': 'answers Switch.Set with an error',
  'wrong-id': 'answers with the id of another request, too',
  'lost-answer': 'switches, and its answer is lost',
  'no-notifications': 'does not notify: RPC status notifications are off',
  'welded-contact': 'its output stays on at the end of the pulse',
  'other-source': 'sends its answers to another src as well',
} as const;

const request = z.object({
  id: z.union([z.number(), z.string()]),
  src: z.string(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});
type Request = z.infer<typeof request>;

const switchSet = z.object({ id: z.int(), on: z.boolean(), toggle_after: z.number().positive().optional() });

export function createShelly({ address, time, tell }: DeviceOptions): SimulatedDevice {
  const faults = createDeviceFaults(shellyFaults);
  const wire = createLooseWire();
  let output = false;
  let hasPower = false;
  let source = 'init';
  /** The contact at its input is closed while the door is. */
  let contact = true;
  let halt: (() => void) | undefined;

  function notify(params: object): void {
    if (faults.has('no-notifications')) return;
    const ts = Math.round(time.wall() / 10) / 100;
    wire.publish(
      `${address}/events/rpc`,
      JSON.stringify({ src: address, dst: `${address}/events`, method: 'NotifyStatus', params: { ts, ...params } }),
    );
  }

  function turnOutput(on: boolean, by: string): void {
    source = by;
    if (on === output) return;
    output = on;
    tell(on ? 'the strike is free' : 'the strike holds');
    notify({ 'switch:0': { id: 0, output, source } });
  }

  function pulse(on: boolean, by: string, seconds: number | undefined): void {
    halt?.();
    halt = undefined;
    turnOutput(on, by);
    if (seconds === undefined) return;
    halt = time.timer(seconds * 1_000, () => {
      halt = undefined;
      if (!faults.has('welded-contact')) turnOutput(!on, 'timer');
    });
  }

  function config(): object {
    const initial = faults.has('powers-up-on') ? 'on' : faults.has('powers-up-restore') ? 'restore_last' : 'off';
    return {
      ...{ id: 0, name: null, in_mode: 'detached', in_locked: false, initial_state: initial },
      ...{ auto_on: faults.has('auto-on'), auto_on_delay: 60, auto_off: false, auto_off_delay: 60 },
    };
  }

  function switchStatus(): object {
    return { id: 0, source, output, temperature: { tC: 41.2, tF: 106.2 } };
  }

  /** The result of a request, or its error. */
  function resultOf({ method, params }: Request): { readonly result: object } | { readonly error: object } {
    const { success, data } = z.object({ id: z.literal(0) }).safeParse(params);
    if (method.startsWith('Switch.') && !success)
      return { error: { code: -105, message: `Argument 'id', value ${String(data)} not found!` } };
    if (method === 'Switch.GetConfig') return { result: config() };
    if (method === 'Switch.GetStatus') return { result: switchStatus() };
    if (method === 'Input.GetStatus') return { result: { id: 0, state: contact } };
    if (method !== 'Switch.Set') return { error: { code: 404, message: `No handler for ${method}` } };
    const set = switchSet.safeParse(params);
    if (!set.success) return { error: { code: -103, message: "Missing required argument 'on'!" } };
    if (faults.has('rpc-error')) return { error: { code: -109, message: 'shutting down in 952 ms' } };
    const wasOn = output;
    if (!faults.has('jam')) pulse(set.data.on, 'MQTT', set.data.toggle_after);
    return { result: { was_on: wasOn } };
  }

  function answer(asked: Request): void {
    const result = resultOf(asked);
    if (faults.has('lost-answer')) return;
    const say = (id: number | string, dst: string) => wire.publish(`${dst}/rpc`, JSON.stringify({ id, src: address, dst, ...result }));
    if (faults.has('wrong-id')) say(typeof asked.id === 'number' ? asked.id - 1 : 'other', asked.src);
    if (faults.has('other-source')) say(asked.id, 'homeassistant');
    say(asked.id, asked.src);
  }

  const door: Door = {
    name: `Shelly ${address}`,
    faults,
    bolt: () => (output ? 'unlocked' : 'locked'),
    describe: () => `output ${output ? 'on' : 'off'} by ${source}, door ${contact ? 'shut' : 'open'}`,
    turn: () => pulse(!output, 'button', output ? undefined : 3),
    enterCode: () => 'no: it has no keypad',
    moveDoor(open) {
      if (open && !output) return false;
      contact = !open;
      notify({ 'input:0': { id: 0, state: contact } });
      return true;
    },
    setBattery: () => tell('it has no battery'),
  };

  return {
    doors: [door],
    rudeTopics: { own: `${address}/events/rpc`, others: 'shellyplus1-0badcafe0000/events/rpc' },
    login: () => ({
      clientId: address,
      keepAliveSeconds: faults.has('keep-alive-0') ? 0 : 60,
      clean: !faults.has('persistent-session'),
      will: { topic: faults.has('will-elsewhere') ? 'shellies/announce' : `${address}/online`, payload: 'false', qos: 1, retain: true },
    }),
    subscriptions: () => [
      { topic: `${address}/rpc`, qos: 1 },
      { topic: `${address}/command`, qos: 1 },
      { topic: 'shellies/command', qos: 1 },
    ],
    begin(current) {
      wire.attach(current);
      output = hasPower ? output : faults.has('powers-up-on');
      hasPower = true;
      wire.publish(`${address}/online`, 'true', { retain: true });
      notify({ 'switch:0': { id: 0, output, source } });
    },
    hear(topic, text) {
      if (topic !== `${address}/rpc` || faults.has('silent')) return;
      const asked = request.safeParse(parsedJson(text));
      if (!asked.success) return;
      const isCommand = asked.data.method === 'Switch.Set';
      if (isCommand && faults.has('slow')) time.timer(15_000, () => answer(asked.data));
      else answer(asked.data);
    },
    end: () => wire.attach(undefined),
  };
}
