// How a relay of a Shelly is spoken to that holds an electric strike: an unlock is a pulse that the device itself ends. One that could switch by
// itself when power returns gets no command.
import { wantedBy } from '../../domain/locks/lock-command.ts';
import type { DeviceProtocol, Effect } from '../device-protocol.ts';
import { check, decode, wordOf } from '../payload.ts';
import { createWaits } from '../waits.ts';
import { createShellyCommand } from './shelly-command.ts';
import { eventNotification, inputStatus, statusNotification, switchConfig, switchSet, switchStatus } from './shelly-messages.ts';
import { createShellyRpc } from './shelly-rpc.ts';

export interface ShellyOptions {
  /** The MQTT prefix of the device. */
  readonly prefix: string;
  /** The number of the relay. */
  readonly switch: number;
  readonly pulseSeconds: number;
  /** The number of the input at which a door contact is; null: there is none. */
  readonly contact: number | null;
}

/** A Shelly that does not say how it is set is asked again after this time. */
const againMs = 10_000;
const nothing: readonly Effect[] = [];
/** Sources of a switching by somebody at the device. */
const atTheDevice: ReadonlySet<string> = new Set(['button', 'switch', 'input']);

/** Commands and answers: `latchd/<deviceId>` is who asks. */
export function createShellyProtocol(deviceId: string, options: ShellyOptions): DeviceProtocol {
  const { prefix, switch: relay, pulseSeconds, contact } = options;
  const src = `latchd/${deviceId}`;
  const rpc = createShellyRpc(prefix, src);
  const waits = createWaits<'config'>();
  const command = createShellyCommand();
  let hasBegun = false;
  let isConnected = true;
  /** It cannot switch on by itself; undefined: it has not said. */
  let isSafe: boolean | undefined;
  let output: boolean | undefined;
  let isClosed: boolean | undefined;

  function askConfig(now: number): readonly Effect[] {
    return [rpc.ask('Switch.GetConfig', { id: relay }, now, heardConfig), ...waits.begin('config', againMs, now)];
  }
  function askStatus(now: number): readonly Effect[] {
    const ofRelay = rpc.ask('Switch.GetStatus', { id: relay }, now, (result) => heardSwitch(result, false));
    return contact === null ? [ofRelay] : [ofRelay, rpc.ask('Input.GetStatus', { id: contact }, now, heardInput)];
  }

  function heardConfig(result: unknown, _error: string, now: number): readonly Effect[] {
    const config = check(result, switchConfig);
    if (!config.ok) return nothing;
    waits.cancel('config');
    const before = isSafe;
    isSafe = config.value.initial_state === 'off' && config.value.auto_on !== true;
    const warned: Effect = { kind: 'capabilities', changed: { warnings: isSafe ? [] : ['power-up-state'] } };
    if (before !== undefined) return before === isSafe ? nothing : [warned];
    return [warned, { kind: 'online', hello: {} }, ...askStatus(now)];
  }

  function heardSwitch(result: unknown, isChange: boolean): readonly Effect[] {
    const status = check(result, switchStatus);
    if (!status.ok || status.value.output === undefined) return nothing;
    const { output: isOn, source = '' } = status.value;
    const isSwitched = isChange && output !== undefined && output !== isOn;
    output = isOn;
    return [
      { kind: 'state', state: isOn ? 'unlocked' : 'locked' },
      ...(isSwitched ? switched(isOn, source) : nothing),
      ...command.output(isOn),
    ];
  }
  /** Somebody has switched the relay. The end of a pulse is no event of its own. */
  function switched(isOn: boolean, source: string): readonly Effect[] {
    const isMqtt = source.toLowerCase() === 'mqtt';
    if ((isMqtt && command.isOurs(isOn)) || (!isOn && source === 'timer')) return nothing;
    const who = isMqtt ? 'remote' : atTheDevice.has(source) ? 'inside' : 'phone';
    return [{ kind: 'event', event: { type: `${who}-${isOn ? 'unlock' : 'lock'}`, username: source.slice(0, 64) } }];
  }

  /** The contact is closed while the door is. The first value of a connection is how the door is, and no event. */
  function heardInput(result: unknown): readonly Effect[] {
    const status = check(result, inputStatus);
    if (!status.ok) return nothing;
    const before = isClosed;
    isClosed = status.value.state;
    if (before === undefined || before === isClosed) return nothing;
    return [{ kind: 'event', event: { type: isClosed ? 'door-close' : 'door-open' } }];
  }

  function heardNotification(payload: Buffer, now: number): readonly Effect[] {
    const status = decode(payload, statusNotification);
    if (status.ok) {
      const { params } = status.value;
      return [...heardSwitch(params[`switch:${relay}`], true), ...(contact === null ? nothing : heardInput(params[`input:${contact}`]))];
    }
    const happened = decode(payload, eventNotification);
    const isSetAnew = ({ component, event }: { component: string; event: string }) =>
      component === `switch:${relay}` && event === 'config_changed';
    return happened.ok && isSafe !== undefined && happened.value.params.events.some(isSetAnew) ? askConfig(now) : nothing;
  }

  function heardOnline(word: string | undefined, now: number): readonly Effect[] {
    if ((word !== 'true' && word !== 'false') || isConnected === (word === 'true')) return nothing;
    isConnected = word === 'true';
    const reported = command.drop();
    rpc.forget();
    const wasOnline = isSafe !== undefined;
    isSafe = undefined;
    if (isConnected) return hasBegun ? [...reported, ...askConfig(now)] : reported;
    waits.cancel('config');
    return wasOnline ? [...reported, { kind: 'offline', reason: 'it says that it is not online' }] : reported;
  }

  return {
    begin(now) {
      hasBegun = true;
      return isConnected ? askConfig(now) : nothing;
    },

    hear({ topic, payload }, now) {
      if (topic === `${src}/rpc`) return rpc.answered(payload, now);
      if (topic === `${prefix}/events/rpc`) return heardNotification(payload, now);
      return topic === `${prefix}/online` ? heardOnline(wordOf(payload), now) : nothing;
    },

    command(given, now) {
      if (given.op === 'get-status') return [rpc.ask('Switch.GetStatus', { id: relay }, now, heardAsked)];
      const wanted = wantedBy(given);
      if (wanted === undefined) return { refuse: 'not-supported', message: 'a strike on a relay locks and unlocks, nothing else' };
      if (isSafe !== true)
        return { refuse: 'failed', message: 'it could open by itself after a power cut: set its state at power-up to off' };
      command.begin(wanted);
      const params = wanted === 'unlocked' ? { id: relay, on: true, toggle_after: pulseSeconds } : { id: relay, on: false };
      return [rpc.ask('Switch.Set', params, now, heardSet)];
    },

    expire() {
      rpc.forget();
      return command.drop();
    },

    wake(now) {
      const { names, effects } = waits.over(now);
      return [...(names.includes('config') ? askConfig(now) : nothing), ...effects];
    },

    ended: command.drop,
  };

  function heardAsked(result: unknown, error: string): readonly Effect[] {
    const heard = heardSwitch(result, false);
    if (heard.length === 0) return [{ kind: 'end', outcome: { kind: 'refused', error: 'failed', message: error } }];
    return [...heard, { kind: 'end', outcome: { kind: 'ok', state: output ? 'unlocked' : 'locked' } }];
  }
  function heardSet(result: unknown, error: string): readonly Effect[] {
    const set = check(result, switchSet);
    return set.ok ? command.done(set.value.was_on) : command.failed(error);
  }
}
