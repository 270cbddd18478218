// How nuki_hub is spoken to: an ESP32 that speaks to one Nuki over Bluetooth. What it publishes after it could not reach the lock is what it
// knew before, so that is history, and confirms nothing.
import { wantedBy } from '../../domain/locks/lock-command.ts';
import type { HelloReport } from '../../domain/locks/lock-report.ts';
import type { DeviceProtocol, Effect } from '../device-protocol.ts';
import { decode, parse, wordOf } from '../payload.ts';
import { createWaits } from '../waits.ts';
import { createBatteryJumps } from './battery-jumps.ts';
import { createNukiClock } from './nuki-clock.ts';
import { createNukiHubCommand } from './nuki-hub-command.ts';
import { batteryJson, lockJson, logEntries } from './nuki-hub-messages.ts';
import { openStateByWord } from './nuki-hub-words.ts';
import { eventsOfLog, lostIn } from './nuki-log.ts';
import { createNukiPasscodes } from './nuki-passcodes.ts';

export interface NukiHubOptions {
  /** The MQTT prefix of the hub. */
  readonly base: string;
  /** What opens the door: doors with a fixed outer knob open by `unlatch` alone. */
  readonly unlock: 'unlock' | 'unlatch';
}

/** After each connect the hub ignores actions for so long. */
const deafMs = 6_000;
const nothing: readonly Effect[] = [];

export function createNukiHubProtocol({ base, unlock }: NukiHubOptions): DeviceProtocol {
  const prefix = `${base}/lock/`;
  const waits = createWaits<'deaf' | 'passcodes'>();
  const clock = createNukiClock();
  const levelOf = createBatteryJumps();
  const door = createNukiHubCommand({ unlock, allows, hasLog: () => hasLog });
  const passcodes = createNukiPasscodes(prefix, clock, (afterMs, now) => waits.begin('passcodes', afterMs, now));
  let isReady = false;
  let isAvailable = true;
  /** Undefined: nothing has shown on this connection whether it allows lock actions. */
  let isAllowed: boolean | undefined;
  /** The hub has reached the lock when it last tried. */
  let isFresh = true;
  let hasLog = false;
  let isAsked = false;
  let bolt: string | undefined;
  let isCritical: boolean | undefined;
  let firmware: string | undefined;
  let hardware: string | undefined;

  function allows(isNowAllowed: boolean): readonly Effect[] {
    if (isAllowed === isNowAllowed) return nothing;
    isAllowed = isNowAllowed;
    return [{ kind: 'capabilities', changed: { warnings: isAllowed ? [] : ['actions-off'] } }];
  }
  const query = (what: string): Effect => ({ kind: 'publish', topic: `${prefix}query/${what}`, payload: '1' });
  function drop(): void {
    isAsked = false;
    door.drop();
    passcodes.drop();
  }
  function online(): readonly Effect[] {
    if (!isReady || !isAvailable) return nothing;
    const state = bolt === undefined ? undefined : openStateByWord(bolt);
    const hello: HelloReport = {
      ...(state !== undefined && { state }),
      ...(firmware !== undefined && { firmwareRevision: firmware }),
      ...(hardware !== undefined && { hardwareRevision: hardware }),
    };
    return [{ kind: 'online', hello }];
  }
  function answered(outcome: Extract<Effect, { kind: 'end' }>['outcome']): readonly Effect[] {
    if (!isAsked) return nothing;
    isAsked = false;
    return [{ kind: 'end', outcome }];
  }

  function heardQueryResult(word: string): readonly Effect[] {
    isFresh = word === 'success';
    return isFresh
      ? nothing
      : answered({ kind: 'refused', error: 'failed', message: `nuki_hub does not reach the lock: ${word.slice(0, 64)}` });
  }

  function heardState(word: string): readonly Effect[] {
    const state = openStateByWord(word);
    if (!isFresh) return state === undefined ? nothing : [{ kind: 'state', state, isHistory: true }];
    const before = bolt;
    bolt = word;
    const ended = door.bolt(word);
    if (word === 'motorBlocked') return ended.length > 0 || before === word ? ended : [jammed];
    return state === undefined ? ended : [{ kind: 'state', state }, ...ended, ...answered({ kind: 'ok', state })];
  }

  function heardAvailability(word: string): readonly Effect[] {
    if ((word !== 'online' && word !== 'offline') || isAvailable === (word === 'online')) return nothing;
    isAvailable = word === 'online';
    if (isAvailable) return online();
    drop();
    return isReady ? [{ kind: 'offline', reason: 'nuki_hub says that the lock is not available' }] : nothing;
  }

  function heardEntry(payload: Buffer, now: number): readonly Effect[] {
    const parsed = parse(payload);
    return parsed.ok ? heardEntries([parsed.value], now) : nothing;
  }
  function heardEntries(entries: readonly unknown[], now: number): readonly Effect[] {
    const events = eventsOfLog(entries, clock, now);
    if (events.length === 0) return nothing;
    hasLog = true;
    return [{ kind: 'numbered', epoch: base, events }];
  }
  function heardLog(payload: Buffer, now: number, isWhole: boolean): readonly Effect[] {
    const entries = decode(payload, logEntries);
    if (!entries.ok) return nothing;
    const effects = heardEntries(entries.value, now);
    const [numbered] = effects;
    return isWhole && numbered?.kind === 'numbered' ? [...effects, ...lostIn(base, numbered.events)] : effects;
  }

  function heardBattery(payload: Buffer): readonly Effect[] {
    const battery = decode(payload, batteryJson);
    if (!battery.ok || !isFresh) return nothing;
    const { level, critical = isCritical } = battery.value;
    const percent = level === undefined ? undefined : levelOf(level);
    const effects: Effect[] = percent === undefined ? [] : [{ kind: 'battery', level: percent }];
    if (critical !== undefined && critical !== isCritical) effects.push({ kind: 'battery-critical', isCritical: critical });
    isCritical = critical;
    return effects;
  }

  function heardJson(payload: Buffer, now: number): readonly Effect[] {
    const json = decode(payload, lockJson);
    if (!json.ok || !isFresh) return nothing;
    if (json.value.currentTime !== undefined) clock.heard(json.value.currentTime, now);
    return door.completed(json.value.lock_completion_status ?? '', false);
  }

  function heardRevision(word: string, isFirmware: boolean): readonly Effect[] {
    if (word.length > 64 || word === (isFirmware ? firmware : hardware)) return nothing;
    if (isFirmware) firmware = word;
    else hardware = word;
    return online();
  }

  const ofWords = new Map<string, (word: string, now: number) => readonly Effect[]>([
    ['action', door.action],
    ['commandResult', door.result],
    ['retry', door.retry],
    ['completionStatus', (status) => (isFresh ? door.completed(status, true) : nothing)],
    ['query/lockstateCommandResult', heardQueryResult],
    ['state', heardState],
    ['availability', heardAvailability],
    ['keypad/commandResultJson', passcodes.result],
    ['info/firmwareVersion', (word) => heardRevision(word, true)],
    ['info/hardwareVersion', (word) => heardRevision(word, false)],
  ]);
  const ofJson = new Map<string, (payload: Buffer, now: number) => readonly Effect[]>([
    ['rollingLog', heardEntry],
    ['log', (payload, now) => heardLog(payload, now, true)],
    ['shortLog', (payload, now) => heardLog(payload, now, false)],
    ['battery/basicJson', heardBattery],
    ['json', heardJson],
    ['keypad/json', passcodes.listed],
  ]);

  return {
    begin(now) {
      return [...['lockstate', 'keypad'].map(query), ...waits.begin('deaf', deafMs, now)];
    },

    hear({ topic, payload }, now) {
      if (!topic.startsWith(prefix)) return nothing;
      const name = topic.slice(prefix.length);
      const ofWord = ofWords.get(name);
      if (ofWord === undefined) return ofJson.get(name)?.(payload, now) ?? nothing;
      const word = wordOf(payload);
      return word === undefined ? nothing : ofWord(word, now);
    },

    command(command) {
      const { op } = command;
      if (op === 'put-passcode' || op === 'remove-passcode' || op === 'list-passcodes') return passcodes.begin(command);
      if (op === 'get-status') {
        isAsked = true;
        return [query('lockstate')];
      }
      const wanted = wantedBy(command);
      if (wanted === undefined) return { refuse: 'not-supported', message: 'a Nuki has no cards, and its settings are not set over MQTT' };
      return [{ kind: 'publish', topic: `${prefix}action`, payload: door.begin(wanted) }];
    },

    expire() {
      drop();
      return nothing;
    },

    wake(now) {
      const { names, effects } = waits.over(now);
      if (names.includes('deaf')) isReady = true;
      const unseen = names.includes('passcodes') ? passcodes.unseen() : nothing;
      return [...(names.includes('deaf') ? online() : nothing), ...unseen, ...effects];
    },
  };
}

const jammed: Effect = { kind: 'event', event: { type: 'jammed', success: false } };
