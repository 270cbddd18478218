// One lock behind the simulated Zigbee2MQTT: its radio, its bolt, its codes. What it says goes to the program that publishes it.
import type { TimeSource } from '../time-source.ts';
import type { Door } from './device.ts';
import { createDeviceFaults } from './device-faults.ts';

const zigbeeFaults = {
  away: 'the radio does not reach it',
  refuses: 'answers every command with a failure',
  'no-source': 'does not say who moved it',
  'forgets-codes': 'says yes to a code, and does not apply it',
  'codes-removed': 'somebody removes every code at the lock',
  'bolt-255': 'reports the lock state 255',
  'cache-off': 'advanced.cache_state is false',
  'last-seen': 'advanced.last_seen is epoch',
  availability: 'availability is on',
} as const;

/** As ZCL has them. */
const sources = { keypad: 0, rf: 1, manual: 2 } as const;

export interface ZigbeeLock {
  readonly door: Door;
  readonly name: string;
  readonly ieee: string;
  /** It is a sleeping device, for which Zigbee2MQTT keeps what did not arrive. */
  readonly sleeps: boolean;
  /** By radio. True: the lock says that it does it. Throws what the radio says of a lock that is out of reach. */
  receive(command: ZigbeeCommand): boolean;
  readonly lockState: object;
  /** Whether this user has a code. */
  hasCode(user: number): boolean;
}

export type ZigbeeCommand =
  | { readonly name: 'lockDoor' | 'unlockDoor' | 'toggleDoor' }
  | { readonly name: 'setPinCode'; readonly user: number; readonly code: string | null }
  | { readonly name: 'read' };

export interface ZigbeeLockOptions {
  readonly name: string;
  readonly ieee: string;
  readonly sleeps: boolean;
  readonly time: TimeSource;
  readonly tell: (line: string) => void;
  readonly travelMs: number;
  /** The lock says this by radio; fresh members only. */
  readonly report: (members: object) => void;
}

export function createZigbeeLock({ name, ieee, sleeps, time, tell, travelMs, report }: ZigbeeLockOptions): ZigbeeLock {
  const faults = createDeviceFaults(zigbeeFaults);
  const codes = new Map<number, string>();
  faults.onChange((fault, on) => {
    if (fault === 'codes-removed' && on) codes.clear();
  });
  let bolt: 'locked' | 'unlocked' | 'not_fully_locked' = 'locked';
  let battery = 92;
  let doorOpen = false;

  function lockState(): object {
    const state = bolt === 'locked' ? 'LOCK' : 'UNLOCK';
    return faults.has('bolt-255') ? { state: 'UNLOCK' } : { lock_state: bolt, state };
  }

  function move(to: 'locked' | 'unlocked', source: keyof typeof sources, user: number | null): void {
    const action = to === 'locked' ? 'lock' : 'unlock';
    const who = { action, action_source: sources[source], action_source_name: source, action_user: user };
    time.timer(travelMs, () => {
      bolt = faults.has('jam') ? 'not_fully_locked' : to;
      tell(bolt);
      if (!faults.has('no-source') && !faults.has('jam')) report(who);
      report(lockState());
    });
  }

  const door: Door = {
    name,
    faults,
    // Not fully locked is unlocked.
    bolt: () => (bolt === 'locked' ? 'locked' : 'unlocked'),
    describe: () => `${bolt}, battery ${battery} %, door ${doorOpen ? 'open' : 'shut'}, ${codes.size} codes`,
    turn: () => move(bolt === 'locked' ? 'unlocked' : 'locked', 'manual', 0),
    enterCode(code) {
      const user = [...codes].find(([, known]) => known === code)?.[0];
      if (user === undefined) {
        report({ action: 'unlock_failure_invalid_pin_or_id', action_source: 0, action_source_name: 'keypad', action_user: null });
        return 'no: a wrong code';
      }
      move('unlocked', 'keypad', user);
      return 'done';
    },
    moveDoor(open) {
      if (open && bolt === 'locked') return false;
      doorOpen = open;
      return true;
    },
    setBattery(percent) {
      battery = percent;
      report({ battery: percent });
    },
  };

  return {
    ...{ door, name, ieee, sleeps },
    receive(command) {
      if (faults.has('away')) throw new Error("Delivery failed for '12136'.");
      if (faults.has('refuses')) return false;
      if (faults.has('silent') && command.name !== 'read') return true;
      if (command.name === 'setPinCode') {
        if (command.code === null) codes.delete(command.user);
        else if (!faults.has('forgets-codes')) codes.set(command.user, command.code);
      } else if (command.name !== 'read') {
        const toggled = bolt === 'locked' ? 'unlocked' : 'locked';
        move(command.name === 'toggleDoor' ? toggled : command.name === 'lockDoor' ? 'locked' : 'unlocked', 'rf', null);
      }
      return true;
    },
    get lockState() {
      return lockState();
    },
    hasCode: (user) => codes.has(user),
  };
}
