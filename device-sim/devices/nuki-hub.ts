// nuki_hub: an ESP32 that speaks with one Nuki by Bluetooth, and with the broker for it.
import type { DeviceOptions, Door, SimulatedDevice } from './device.ts';
import { createDeviceFaults } from './device-faults.ts';
import { createLooseWire } from './device-wire.ts';
import { createNukiHubKeypad } from './nuki-hub-keypad.ts';
import { createNukiHubLog } from './nuki-hub-log.ts';

const nukiHubFaults = {
  'radio-away': 'Bluetooth does not reach the lock: three attempts, then failed, and its old state once more',
  'weak-bluetooth': 'the lock is reached at the third attempt, 20 s late',
  'actions-denied': 'its own access list denies every action',
  'log-off': 'Publish authorization log is off',
  'duplicate-log': 'says each entry of rollingLog twice',
  'skipped-index': 'leaves the last entry out of rollingLog; log has it',
  'lost-index': 'an entry of the log is lost for ever',
  'save-log-number': 'save log number is on: lastRollingLog cannot be set back',
  'battery-126': 'says a battery level of 126',
  'keypad-control-off': 'keypad control is off',
  'no-pin': 'has no valid PIN of the lock',
  'forgets-codes': 'says success to a code that the keypad does not take',
  'codes-removed': 'somebody removes every code with the app',
  'publishes-codes': 'has the codes in clear in its list',
  'clock-wrong': 'the clock of the lock is two hours ahead',
} as const;

/** From a connect on, so long it ignores actions. */
const deafMs = 6_000;
const attemptMs = 10_000;

/** What each action does: the states it goes through, and its name in the log. */
const actions: Readonly<Record<string, { readonly states: readonly string[]; readonly logged: string }>> = {
  unlock: { states: ['unlocking', 'unlocked'], logged: 'Unlock' },
  lock: { states: ['locking', 'locked'], logged: 'Lock' },
  unlatch: { states: ['unlatching', 'unlatched', 'unlocked'], logged: 'Unlatch' },
  lockNgo: { states: ['unlocking', 'unlockedLnga', 'locking', 'locked'], logged: 'LockNgo' },
  lockNgoUnlatch: { states: ['unlatching', 'unlatched', 'unlockedLnga', 'locking', 'locked'], logged: 'LockNgoUnlatch' },
  fullLock: { states: ['locking', 'locked'], logged: 'FullLock' },
};

const homeAssistantStates: Readonly<Record<string, string>> = {
  ...{ unlockedLnga: 'unlocked', unlatched: 'open', unlatching: 'opening', motorBlocked: 'jammed' },
};

export function createNukiHub(options: DeviceOptions): SimulatedDevice {
  const { address: base, tell, travelMs = 1_000 } = options;
  const faults = createDeviceFaults(nukiHubFaults);
  const time = { ...options.time, wall: () => options.time.wall() + (faults.has('clock-wrong') ? 7_200_000 : 0) };
  const wire = createLooseWire();
  const say = (topic: string, payload: string, retain = true): void => wire.publish(`${base}/lock/${topic}`, payload, { retain });
  const log = createNukiHubLog({ time, faults, entries: 5, say });
  const keypad = createNukiHubKeypad({ time, faults, entries: 10, say });
  let state = 'locked';
  let trigger = 'manual';
  let completion = 'success';
  let battery = 92;
  let doorOpen = false;
  let connectedAt = time.monotonic();
  /** It keeps one action; a later one replaces it. */
  let nextAction: string | undefined;
  let busy = false;
  const announced = new Map<string, string>();

  /** It says these only when they have changed. */
  function sayChange(topic: string, payload: string): void {
    if (announced.get(topic) === payload) return;
    announced.set(topic, payload);
    say(topic, payload);
  }

  function sayJson(): void {
    const level = faults.has('battery-126') ? 126 : battery;
    const critical = battery <= 20 ? '1' : '0';
    say('battery/basicJson', JSON.stringify({ critical, charging: '0', level, keypadCritical: '0', doorSensorCritical: '0' }));
    const json = {
      ...{ lock_state: state, lockngo_state: 0, trigger, currentTime: localTime(time.wall()), timeZoneOffset: 60, nightModeActive: 0 },
      ...{ last_lock_action: 'Unlock', last_lock_action_trigger: trigger, lock_completion_status: completion },
      ...{ door_sensor_state: doorOpen ? 'doorOpened' : 'doorClosed', auth_id: 5, auth_name: 'Jan' },
    };
    say('json', JSON.stringify(json));
  }

  /** It asks the lock by Bluetooth, and says what it heard. */
  function query(): void {
    const failed = faults.has('radio-away');
    say('query/lockstateCommandResult', failed ? 'timeOut' : 'success');
    if (!failed && ['locked', 'unlocked'].includes(state)) log.roll();
    say('state', state);
    say('hastate', homeAssistantStates[state] ?? state);
    say('binaryState', /^lock/.test(state) ? 'locked' : 'unlocked');
    say('availability', 'online');
    sayChange('trigger', trigger);
    sayChange('completionStatus', completion);
    sayJson();
    time.timer(5_000, log.publishAll);
  }

  function enter(next: string): void {
    state = faults.has('jam') && !/ing$/.test(next) ? 'motorBlocked' : next;
    completion = state === 'motorBlocked' ? 'motorBlocked' : 'success';
    if (!/ing$/.test(state)) tell(state);
  }

  function perform(action: string, by: string, entry: { readonly id: number; readonly name: string }): void {
    const steps = [...(actions[action]?.states ?? [])];
    const logged = actions[action]?.logged;
    trigger = by;
    const next = (): void => {
      const [to] = steps.splice(0, 1);
      if (to !== undefined) enter(to);
      const isOver = steps.length === 0 || state === 'motorBlocked';
      if (isOver) {
        const completionStatus = completion;
        log.add({
          type: 'LockAction',
          authorizationId: entry.id,
          authorizationName: entry.name,
          action: logged,
          trigger: by,
          completionStatus,
        });
        busy = false;
      }
      query();
      if (!isOver) time.timer(travelMs, next);
    };
    next();
  }

  /** One attempt by Bluetooth; it tries three times, whatever has become of the caller. */
  function attempt(n: number): void {
    const action = nextAction;
    if (action === undefined) return;
    const reached = !faults.has('radio-away') && (n === 3 || !faults.has('weak-bluetooth'));
    if (reached) {
      nextAction = undefined;
      say('commandResult', 'success');
      say('retry', '--');
      if (faults.has('silent')) busy = false;
      else perform(action, 'system', { id: 0, name: 'Nuki Hub' });
      return;
    }
    say('commandResult', 'timeOut');
    if (n < 3) {
      say('retry', String(n));
      time.timer(attemptMs, () => attempt(n + 1));
      return;
    }
    nextAction = undefined;
    busy = false;
    say('retry', 'failed');
    query();
  }

  function take(action: string): void {
    if (action === '--' || action === 'ack' || action === '') return;
    if (time.monotonic() - connectedAt < deafMs) return;
    const answer = faults.has('actions-denied') ? 'denied' : actions[action] === undefined ? 'unknown_action' : 'ack';
    say('action', answer, false);
    if (answer !== 'ack') return;
    nextAction = action;
    if (busy) return;
    busy = true;
    time.timer(faults.has('slow') ? 15_000 : 100, () => attempt(1));
  }

  const door: Door = {
    name: `nuki_hub ${base}`,
    faults,
    bolt: () => (state === 'locked' ? 'locked' : /^un(locked|latched)/.test(state) ? 'unlocked' : undefined),
    describe: () => `${state}, battery ${battery} %, door ${doorOpen ? 'open' : 'shut'}`,
    turn: () => perform(state === 'locked' ? 'unlock' : 'lock', 'manual', { id: 0, name: '' }),
    enterCode(code) {
      const known = keypad.find(code);
      const completionStatus = known === undefined ? 'invalidCode' : 'success';
      const entry = { authorizationId: known?.codeId ?? 0, authorizationName: known?.name ?? '' };
      log.add({ type: 'KeypadAction', ...entry, action: 'Unlock', trigger: 'code', codeId: known?.codeId ?? 0, completionStatus });
      if (known === undefined) log.roll();
      else perform('unlock', 'system', { id: known.codeId, name: known.name });
      return known === undefined ? 'no: a wrong code' : 'done';
    },
    moveDoor(open) {
      if (open && state === 'locked') return false;
      doorOpen = open;
      const action = open ? 'DoorOpened' : 'DoorClosed';
      log.add({ type: 'DoorSensor', authorizationId: 0, authorizationName: '', action });
      say('doorSensorState', open ? 'doorOpened' : 'doorClosed');
      query();
      return true;
    },
    setBattery(percent) {
      battery = percent;
      sayJson();
    },
  };

  return {
    doors: [door],
    rudeTopics: { own: `${base}/lock/json`, others: 'elsewhere/lock/state' },
    login: () => ({
      clientId: base.replaceAll('/', '-'),
      keepAliveSeconds: faults.has('keep-alive-0') ? 0 : 60,
      // It wants its session kept, whatever is in it.
      clean: false,
      will: {
        topic: faults.has('will-elsewhere') ? 'nuki/gone' : `${base}/maintenance/mqttConnectionState`,
        ...({ payload: 'offline', qos: 1, retain: true } as const),
      },
    }),
    subscriptions: () =>
      ['action', 'query/config', 'query/lockstate', 'query/battery', 'query/keypad', 'keypad/actionJson', 'lastRollingLog'].map(
        (topic) => ({
          ...{ topic: `${base}/lock/${topic}`, qos: 1 },
        }),
      ),
    begin(current) {
      wire.attach(current);
      connectedAt = time.monotonic();
      wire.publish(`${base}/maintenance/mqttConnectionState`, 'online', { retain: true });
      for (const topic of ['action', 'keypad/actionJson']) say(topic, '--');
      for (const topic of ['query/lockstate', 'query/battery', 'query/keypad', 'retry']) say(topic, '0');
      for (const topic of ['commandResult', 'completionStatus', 'query/lockstateCommandResult', 'keypad/commandResultJson']) say(topic, '');
      announced.clear();
      query();
    },
    hear(topic, text) {
      const name = topic.slice(`${base}/lock/`.length);
      if (name === 'action') take(text);
      if (name === 'lastRollingLog' && /^[0-9]+$/.test(text)) log.rewind(Number(text));
      if (name === 'keypad/actionJson' && text !== '--') keypad.take(text);
      if (!name.startsWith('query/') || text !== '1') return;
      say(name, '0');
      if (faults.has('silent')) return;
      if (name === 'query/lockstate') time.timer(200, query);
      if (name === 'query/battery') time.timer(200, sayJson);
      if (name === 'query/keypad') time.timer(200, keypad.list);
    },
    end: () => wire.attach(undefined),
  };
}

/** `2026-11-22 07:10:05`, as the clock of the lock has it. */
function localTime(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
