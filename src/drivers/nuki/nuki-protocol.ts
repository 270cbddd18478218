// How a Nuki with MQTT of its own is spoken to. It can be asked nothing: what is known of it is what it has said on this connection.
import { wantedBy } from '../../domain/locks/lock-command.ts';
import type { HelloReport } from '../../domain/locks/lock-report.ts';
import type { DeviceProtocol, Effect } from '../device-protocol.ts';
import { wordOf } from '../payload.ts';
import { createWaits } from '../waits.ts';
import { createHeldEvent } from './held-event.ts';
import { createNukiCommand } from './nuki-command.ts';
import { boltState, isOpener, lockActionOf, openStateOf, smallNumber } from './nuki-words.ts';

export interface NukiOptions {
  /** 8 hex digits in upper case. */
  readonly nukiId: string;
  /** What opens the door: doors with a fixed outer knob open by `unlatch` alone. */
  readonly unlock: 'unlock' | 'unlatch';
}

/** An event waits so long for its outcome. */
const heldMs = 5_000;
/** A device that speaks for so long and does not subscribe to commands takes none. */
const subscribesWithinMs = 10_000;
const doorEvents: ReadonlyMap<number, string> = new Map([
  [2, 'door-close'],
  [3, 'door-open'],
  [240, 'tamper'],
]);
const nothing: readonly Effect[] = [];

export function createNukiProtocol({ nukiId, unlock }: NukiOptions): DeviceProtocol {
  const prefix = `nuki/${nukiId}/`;
  const waits = createWaits<'held' | 'subscription'>();
  const held = createHeldEvent();
  const command = createNukiCommand(unlock, allows);
  let subscription: 'unknown' | 'awaited' | 'there' = 'unknown';
  /** An action before that may be one that it only says again because it has connected. */
  let saysNews = false;
  /** Undefined: nothing has shown on this connection whether it allows lock actions. */
  let isAllowed: boolean | undefined;
  let isConnected = true;
  let isLock = true;
  let bolt: number | undefined;
  let door: number | undefined;
  let firmware: string | undefined;

  function allows(isNowAllowed: boolean): readonly Effect[] {
    if (isAllowed === isNowAllowed) return nothing;
    isAllowed = isNowAllowed;
    return [{ kind: 'capabilities', changed: { warnings: isAllowed ? [] : ['actions-off'] } }];
  }
  function online(): readonly Effect[] {
    if (subscription !== 'there' || !isConnected || !isLock) return nothing;
    const state = openStateOf(bolt);
    const hello: HelloReport = {
      ...(state !== undefined && { state }),
      ...(firmware !== undefined && { firmwareRevision: firmware }),
    };
    return [{ kind: 'online', hello }];
  }
  function offline(reason: string): readonly Effect[] {
    const reported = command.drop();
    return subscription === 'there' ? [...reported, { kind: 'offline', reason }] : reported;
  }

  function heardState(text: string, now: number): readonly Effect[] {
    const heard = smallNumber(text);
    if (heard === undefined || !isLock) return nothing;
    const before = bolt;
    bolt = heard;
    const state = openStateOf(heard);
    const said: readonly Effect[] = state === undefined ? nothing : [{ kind: 'state', state }, ...held.arrived(state)];
    const ended = command.bolt(heard, now);
    if (heard !== boltState.motorBlocked) return [...said, ...ended];
    const isNewJam = ended.length === 0 && before !== boltState.motorBlocked;
    return [...held.failed('jammed'), ...ended, ...(isNewJam ? [jammed] : nothing)];
  }

  function heardAction(text: string, now: number): readonly Effect[] {
    const heard = saysNews ? lockActionOf(text) : undefined;
    if (heard === undefined || (heard.isCommand && command.isOurs(heard.action, now))) return nothing;
    return [...held.hold(heard.event, heard.wanted), ...waits.begin('held', heldMs, now)];
  }

  /** The first value of a connection is how the door is, and no event. */
  function heardDoor(text: string): readonly Effect[] {
    const before = door;
    const heard = smallNumber(text);
    if (heard === undefined) return nothing;
    door = heard;
    const type = doorEvents.get(heard);
    return before === undefined || before === heard || type === undefined ? nothing : [{ kind: 'event', event: { type } }];
  }

  function heardConnected(text: string): readonly Effect[] {
    if (!isBoolean(text) || isConnected === (text === 'true')) return nothing;
    isConnected = text === 'true';
    return isConnected ? online() : offline('it says that it is not connected');
  }

  function heardType(text: string): readonly Effect[] {
    if (isLock === !isOpener(text)) return nothing;
    isLock = !isOpener(text);
    return isLock ? online() : offline('it is a Nuki Opener, which is no lock');
  }

  function heardFirmware(text: string): readonly Effect[] {
    if (text.length > 64 || text === firmware) return nothing;
    firmware = text;
    return online();
  }

  const listeners = new Map<string, (text: string, now: number) => readonly Effect[]>([
    ['state', heardState],
    ['commandResponse', command.response],
    ['lockActionEvent', heardAction],
    ['doorsensorState', heardDoor],
    ['batteryChargeState', heardBattery],
    ['batteryCritical', heardCritical],
    ['connected', heardConnected],
    ['deviceType', heardType],
    ['firmware', heardFirmware],
  ]);

  return {
    begin() {
      waits.cancel('subscription');
      subscription = 'there';
      saysNews = true;
      return [...allows(true), ...online()];
    },

    hear({ topic, payload }, now) {
      const text = wordOf(payload);
      const listener = topic.startsWith(prefix) ? listeners.get(topic.slice(prefix.length)) : undefined;
      if (text === undefined || listener === undefined) return nothing;
      const effects = listener(text, now);
      if (subscription !== 'unknown') return effects;
      subscription = 'awaited';
      return [...effects, ...waits.begin('subscription', subscribesWithinMs, now)];
    },

    command(given, now) {
      const wanted = wantedBy(given);
      if (wanted === undefined) return { refuse: 'not-supported', message: 'a Nuki over its own MQTT locks and unlocks, nothing else' };
      return [{ kind: 'publish', topic: `${prefix}lockAction`, payload: String(command.begin(wanted, now)) }];
    },

    expire: command.drop,

    wake(now) {
      const { names, effects } = waits.over(now);
      const released = names.includes('held') ? held.release() : nothing;
      if (!names.includes('subscription')) return [...released, ...effects];
      saysNews = true;
      return [...released, ...allows(false), ...effects];
    },

    ended: () => [...held.release(), ...command.drop()],
  };
}

const jammed: Effect = { kind: 'event', event: { type: 'jammed', success: false } };

function heardBattery(text: string): readonly Effect[] {
  const level = smallNumber(text);
  return level === undefined || level > 100 ? nothing : [{ kind: 'battery', level }];
}

function heardCritical(text: string): readonly Effect[] {
  return isBoolean(text) ? [{ kind: 'battery-critical', isCritical: text === 'true' }] : nothing;
}

function isBoolean(text: string): boolean {
  return text === 'true' || text === 'false';
}
