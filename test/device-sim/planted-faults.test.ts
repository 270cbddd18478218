// Each kind of place in which a fault is planted, seen on the wire, beside a lock without it.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFleet } from '../../device-sim/fleet.ts';
import { createFleetLock, type FleetLock } from '../../device-sim/fleet-lock.ts';
import { completeProfile, lockProfile } from '../../device-sim/lock-profile.ts';
import { type PlantedFaultName, plantedFaults } from '../../device-sim/planted-faults.ts';
import { createSystemTime } from '../../device-sim/time-source.ts';
import type { DeviceId } from '../../src/domain/locks/lock.ts';
import { createTopics } from '../../src/drivers/native/topics.ts';
import { type ListeningBroker, startListeningBroker } from './support/listening-broker.ts';

const deviceId = 'a4c1387f02e9' as DeviceId;
let folder: string;
let broker: ListeningBroker;
let made: FleetLock[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planted-'));
  broker = await startListeningBroker();
  made = [];
});

afterEach(async () => {
  await Promise.all(made.map((lock) => lock.stop()));
  await broker.stop();
  await rm(folder, { recursive: true });
});

/** A lock that is online, with a card and a passcode in it. */
async function connected(plant: PlantedFaultName | undefined) {
  const features = ['credentials', 'hours', 'once'];
  const profile = lockProfile.parse({ boltTravelMs: 5, autoLockSeconds: 0, features, clock: 'set', passcodes: ['0042'] });
  const lock = await createFleetLock({
    ...{ number: 1, name: 'Test', deviceId, profile: completeProfile(profile) },
    ...{ file: join(folder, 'lock.json'), flush: false, url: broker.url, topics: createTopics('latchd/v1') },
    ...{ reconnect: { minMs: 10, maxMs: 40 }, seed: 1, time: createSystemTime(), hub: undefined, pairs: false },
    ...{ tell: () => undefined, onTurnedAway: () => undefined },
    planted: plant === undefined ? undefined : plantedFaults[plant],
  });
  made.push(lock);
  lock.memory.change({ deviceKey: 'the-key' });
  await lock.memory.saved();
  lock.connect();
  await lock.handle.whenOnline();
  await broker.until(({ channel }) => channel === 'status');
  return lock.handle;
}

type Lock = Awaited<ReturnType<typeof connected>>;

let asked = 0;

/** Says a command, and resolves with its first reply. */
async function ask(lock: Lock, op: string, changes: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const command = { id: `c${++asked}`, session: lock.session, op, args: {}, expires: 1_000_000, ttl: 10_000, ...changes };
  broker.command(deviceId, command);
  return replyTo(command.id);
}

const replyTo = (id: string) =>
  broker.until(({ channel, payload }) => channel === 'reply' && JSON.parse(payload).id === id).then(({ payload }) => JSON.parse(payload));

const payloads = (wanted: string) => broker.heard.filter(({ channel }) => channel === wanted).map(({ payload }) => JSON.parse(payload));

async function reconnected(lock: Lock): Promise<void> {
  broker.forget();
  broker.kick();
  await broker.until(({ payload }) => payload === 'online');
  await lock.whenOnline();
}

async function restarted(lock: Lock): Promise<void> {
  lock.powerCut();
  await broker.until(({ payload }) => payload === 'offline');
  broker.forget();
  await lock.powerOn();
  await broker.until(({ payload }) => payload === 'online');
}

/** What is to be seen of a rule: the same question to a lock with the fault and to one without. */
const seen: readonly {
  readonly plant: PlantedFaultName;
  readonly what: string;
  readonly look: (lock: Lock) => Promise<unknown>;
  readonly polite: unknown;
  readonly planted: unknown;
}[] = [
  {
    plant: 'persistent-session',
    what: 'the clean session of its CONNECT',
    look: async () => broker.connects.map((connect) => (connect as { clean: boolean }).clean),
    polite: [true],
    planted: [false],
  },
  {
    plant: 'same-session',
    what: 'whether its session is another one after a reconnect',
    async look(lock) {
      const { session } = lock;
      await reconnected(lock);
      return lock.session === session;
    },
    polite: false,
    planted: true,
  },
  {
    plant: 'retained-replies',
    what: 'the flags of a reply',
    async look(lock) {
      await ask(lock, 'get-status');
      return broker.heard.filter(({ channel }) => channel === 'reply').map(({ qos, retain }) => [qos, retain]);
    },
    polite: [[1, false]],
    planted: [[1, true]],
  },
  {
    plant: 'obeys-late',
    what: 'the bolt after a late command',
    async look(lock) {
      await ask(lock, 'unlock', { expires: -1 });
      return lock.state;
    },
    polite: 'locked',
    planted: 'unlocked',
  },
  {
    plant: 'does-it-twice',
    what: 'the bolt after a command that came again',
    async look(lock) {
      await ask(lock, 'unlock', { id: 'same' });
      await ask(lock, 'lock');
      broker.forget();
      await ask(lock, 'unlock', { id: 'same' });
      return lock.state;
    },
    polite: 'locked',
    planted: 'unlocked',
  },
  {
    plant: 'reply-on-new-connection',
    what: 'replies after a reconnect, when the bolt was on its way',
    async look(lock) {
      lock.script([{ kind: 'disconnect' }]);
      broker.command(deviceId, { id: 'cut', session: lock.session, op: 'unlock', args: {}, expires: 1_000_000, ttl: 10_000 });
      broker.forget();
      await broker.until(({ payload }) => payload === 'online');
      await lock.whenOnline();
      await ask(lock, 'get-status');
      return payloads('reply').filter(({ id }) => id === 'cut').length;
    },
    polite: 0,
    planted: 1,
  },
  {
    plant: 'no-window',
    what: 'events messages without PUBACK',
    async look(lock) {
      broker.leaveEvents(true);
      for (let times = 0; times < 25; times++) {
        lock.tamper();
        await lock.whenSaved();
      }
      await ask(lock, 'get-status');
      return payloads('events').length;
    },
    polite: 20,
    planted: 25,
  },
  {
    plant: 'renumbers',
    what: 'the seqs of events that had no PUBACK',
    async look(lock) {
      broker.leaveEvents(true);
      lock.tamper();
      await broker.until(({ channel }) => channel === 'events');
      broker.leaveEvents(false);
      await reconnected(lock);
      await broker.until(({ channel }) => channel === 'events');
      return payloads('events').flatMap(({ events }) => events.map(({ seq }: { seq: number }) => seq));
    },
    polite: [1],
    planted: [2],
  },
  {
    plant: 'seq-again',
    what: 'the seq of an event after a power cut',
    async look(lock) {
      lock.tamper();
      await lock.whenEventsAcknowledged();
      await restarted(lock);
      lock.tamper();
      await broker.until(({ channel }) => channel === 'events');
      return payloads('events').flatMap(({ events }) => events.map(({ seq }: { seq: number }) => seq));
    },
    polite: [2],
    planted: [1],
  },
  {
    plant: 'once-is-for-ever',
    what: 'a one-time code at the second try',
    async look(lock) {
      const item = { kind: 'passcode', number: '4711', startDate: 0, endDate: 0, once: true };
      await ask(lock, 'put-credentials', { args: { items: [item] } });
      const first = await lock.enterPasscode('4711');
      const second = await lock.enterPasscode('4711');
      return [first.done, second.done];
    },
    polite: [true, false],
    planted: [true, true],
  },
  {
    plant: 'loses-cards-with-power',
    what: 'how many it holds after a power cut',
    async look(lock) {
      await restarted(lock);
      return payloads('hello').map(({ credentials }) => credentials.count);
    },
    polite: [1],
    planted: [0],
  },
];

describe('a planted fault shows on the wire', () => {
  it.each(seen)('$plant: $what', async ({ plant, look, polite, planted }) => {
    expect(await look(await connected(undefined))).toEqual(polite);
    await made.pop()?.stop();
    await rm(join(folder, 'lock.json'));
    await broker.stop();
    broker = await startListeningBroker();
    expect(await look(await connected(plant))).toEqual(planted);
  });
});

describe('the table of planted faults', () => {
  it('has thirty and more, each with the rule that it breaks', () => {
    expect(Object.keys(plantedFaults).length).toBeGreaterThanOrEqual(30);
    expect(Object.values(plantedFaults).filter(({ rule }) => !/^Protocol \d/.test(rule))).toEqual([]);
  });

  it('is not for locks behind a hub', () => {
    expect(() => createFleet({ gatewayUrl: '', mqttUrl: '', token: '', stateDir: folder, hubs: 1, plant: 'no-online' })).toThrow(
      'behind a hub',
    );
  });

  it('is printed by --plants, and a name that is not in it is refused', () => {
    const sim = (...given: string[]) => execFileSync('node', ['dist/device-sim/main.js', ...given], { encoding: 'utf8', stdio: 'pipe' });
    expect(sim('--plants').split('\n')).toContainEqual(
      expect.stringMatching(/^obeys-late +Protocol .* moves the bolt for a command whose time is over$/),
    );
    expect(() => sim('--plant', 'nonsense')).toThrow('there is no such fault; --plants lists them');
  });
});
