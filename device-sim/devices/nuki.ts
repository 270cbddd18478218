// A Nuki Smart Lock with its own MQTT: it connects by itself, with a name and a password, in clear.
import type { DeviceOptions, Door, SimulatedDevice } from './device.ts';
import { createDeviceFaults } from './device-faults.ts';
import { createLooseWire } from './device-wire.ts';

const nukiFaults = {
  'actions-off': 'Allow lock actions is off: it does not subscribe to commands',
  'actions-refused': 'answers each command with 38, remote access not allowed',
  'two-responses': 'says each commandResponse again at the end of the movement',
  'response-last': 'says commandResponse only after the state',
  'retained-burst': 'says at connect what it said before, an old commandResponse and lockActionEvent too',
  'no-repeat': 'says at connect nothing but connected',
  uncalibrated: 'is not calibrated',
  'weak-motor': 'its batteries are too weak for the motor',
} as const;

/** Numbers of state. */
const locked = 1;
const unlocking = 2;
const unlocked = 3;
const locking = 4;
const unlatched = 5;
const unlockedLockNGo = 6;
const unlatching = 7;
const motorBlocked = 254;

/** What an action goes through, and how long it stays there in bolt travels. */
const walks: Readonly<Record<string, readonly (readonly [state: number, travels: number])[]>> = {
  '1': [
    [unlocking, 1],
    [unlocked, 0],
  ],
  '2': [
    [locking, 1],
    [locked, 0],
  ],
  '3': [
    [unlocking, 1],
    [unlatching, 1],
    [unlatched, 2],
    [unlocked, 0],
  ],
  '4': [
    [unlocking, 1],
    [unlockedLockNGo, 5],
    [locking, 1],
    [locked, 0],
  ],
  '5': [
    [unlocking, 1],
    [unlatching, 1],
    [unlatched, 2],
    [unlockedLockNGo, 5],
    [locking, 1],
    [locked, 0],
  ],
  '6': [
    [locking, 1],
    [locked, 0],
  ],
};

/** Codes of its keypad, with their numbers. */
const codes: ReadonlyMap<string, number> = new Map([['589472', 12_345]]);
const accountOfApp = 54_321;

export function createNuki({ address, time, tell, travelMs = 1_000 }: DeviceOptions): SimulatedDevice {
  const id = address.toUpperCase();
  const faults = createDeviceFaults(nukiFaults);
  const wire = createLooseWire();
  let state = locked;
  let battery = 85;
  let doorOpen = false;
  let halt: (() => void) | undefined;
  let lastResponse = '0';
  let lastEvent = '1,172,0,0,0';

  function say(topic: string, payload: string, retain = true): void {
    wire.publish(`nuki/${id}/${topic}`, payload, { retain });
  }

  function enter(next: number): void {
    state = next;
    say('state', String(next));
    if ([locked, unlocked, unlatched, motorBlocked].includes(next)) tell(`state ${next}`);
  }

  function respond(code: number): void {
    lastResponse = String(code);
    say('commandResponse', lastResponse, false);
  }

  /** The steps of an action, one after the other; a blocked motor ends it. */
  function walk(action: string, ended: () => void): void {
    const steps = [...(walks[action] ?? [])];
    const next = (): void => {
      halt = undefined;
      const [step] = steps.splice(0, 1);
      if (step === undefined) {
        ended();
        return;
      }
      const [to, travels] = step;
      const isBlocked = faults.has('jam') && to !== unlocking && to !== locking;
      enter(isBlocked ? motorBlocked : to);
      if (isBlocked) ended();
      else if (travels === 0) next();
      else halt = time.timer(travels * travelMs, next);
    };
    next();
  }

  function event(action: string, trigger: number, authId: number, codeId: number, context: number): void {
    lastEvent = [action, trigger, authId, codeId, context].join(',');
    say('lockActionEvent', lastEvent, false);
  }

  /** Why it does not even begin (the error codes of its Bluetooth protocol). */
  function refusal(): number | undefined {
    if (faults.has('actions-refused')) return 0x26;
    if (faults.has('uncalibrated')) return 0x47;
    if (faults.has('weak-motor') || battery < 5) return 0x49;
    return halt === undefined ? undefined : 0x45;
  }

  function command(action: string): void {
    const refused = walks[action] === undefined ? 0x23 : refusal();
    if (refused !== undefined) {
      respond(refused);
      return;
    }
    event(action, 172, 0, 0, 0);
    if (!faults.has('response-last')) respond(0);
    walk(action, () => {
      if (faults.has('response-last') || faults.has('two-responses')) respond(state === motorBlocked ? 0x42 : 0);
    });
  }

  const door: Door = {
    name: `Nuki ${id}`,
    faults,
    bolt: () => (state === locked ? 'locked' : [unlocked, unlatched, unlockedLockNGo].includes(state) ? 'unlocked' : undefined),
    describe: () => `state ${state}, battery ${battery} %, door ${doorOpen ? 'open' : 'shut'}`,
    turn() {
      const opens = state === locked;
      event(opens ? '1' : '2', 1, 0, 0, 1);
      halt?.();
      halt = undefined;
      enter(opens ? unlocked : locked);
    },
    enterCode(code) {
      const codeId = codes.get(code);
      if (codeId === undefined) return 'no: a wrong code, which it tells nobody';
      event('1', 0, accountOfApp, codeId, 1);
      walk('1', () => undefined);
      return 'done';
    },
    moveDoor(open) {
      if (open && state === locked) return false;
      doorOpen = open;
      say('doorsensorState', open ? '3' : '2');
      return true;
    },
    setBattery(percent) {
      battery = percent;
      say('batteryChargeState', String(percent));
      say('batteryCritical', String(percent <= 20));
    },
  };

  function sayAll(): void {
    for (const [topic, payload] of [
      ['mode', '2'],
      ['deviceType', '4'],
      ['name', 'Front'],
      ['firmware', '4.3.2'],
      ['state', String(faults.has('uncalibrated') ? 0 : state)],
      ['batteryCritical', String(battery <= 20)],
      ['batteryCharging', 'false'],
      ['batteryChargeState', String(battery)],
      ['keypadBatteryCritical', 'false'],
      ['doorsensorState', doorOpen ? '3' : '2'],
      ['doorsensorBatteryCritical', 'false'],
      ['serverConnected', 'true'],
      ['timestamp', new Date(time.wall()).toISOString()],
    ] as const)
      say(topic, payload);
  }

  return {
    doors: [door],
    rudeTopics: { own: `nuki/${id}/state`, others: 'nuki/0BADCAFE/state' },
    login: () => ({
      clientId: `SL3P_${id}`,
      keepAliveSeconds: faults.has('keep-alive-0') ? 0 : 30,
      clean: !faults.has('persistent-session'),
      will: { topic: faults.has('will-elsewhere') ? 'home/nuki/gone' : `nuki/${id}/connected`, payload: 'false', qos: 1, retain: true },
    }),
    subscriptions: () =>
      faults.has('actions-off') ? [] : ['lockAction', 'lock', 'unlock'].map((topic) => ({ topic: `nuki/${id}/${topic}`, qos: 1 })),
    begin(current) {
      wire.attach(current);
      say('connected', 'true');
      if (!faults.has('no-repeat')) sayAll();
      if (!faults.has('retained-burst')) return;
      say('lockActionEvent', lastEvent);
      say('commandResponse', lastResponse);
      sayAll();
    },
    hear(topic, text) {
      const name = topic.slice(`nuki/${id}/`.length);
      const action =
        name === 'lockAction' ? text : name === 'unlock' && text === 'true' ? '1' : name === 'lock' && text === 'true' ? '2' : undefined;
      if (action === undefined || faults.has('silent')) return;
      if (faults.has('slow')) time.timer(15_000, () => command(action));
      else command(action);
    },
    end: () => wire.attach(undefined),
  };
}
