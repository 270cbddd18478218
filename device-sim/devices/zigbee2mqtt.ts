// Zigbee2MQTT 2.x with so many locks of the make Yale. It merges what it has cached into all that it says, and keeps for a sleeping lock
// what did not reach it: all but an unlock.
import { z } from 'zod';
import type { DeviceOptions, SimulatedDevice } from './device.ts';
import { createLooseWire } from './device-wire.ts';
import { parsedJson } from './parsed-json.ts';
import { deviceOf } from './zigbee-announcement.ts';
import { createZigbeeLock, type ZigbeeCommand, type ZigbeeLock } from './zigbee-lock.ts';

const base = 'zigbee2mqtt';
/** The radio tries for so long. */
const radioMs = 2_000;
const linkquality = 120;

const pinCode = z.object({
  user: z.int(),
  user_type: z.string().optional(),
  user_enabled: z.boolean().optional(),
  pin_code: z.string().nullable(),
});
const setMessage = z.object({
  state: z.union([z.string(), z.object({ state: z.string(), code: z.string().optional() }).transform(({ state }) => state)]).optional(),
  pin_code: pinCode.optional(),
  auto_relock_time: z.number().optional(),
});
const getMessage = z.object({ state: z.unknown().optional(), pin_code: z.object({ user: z.int() }).optional() });

const zclNames = { LOCK: 'lockDoor', UNLOCK: 'unlockDoor', TOGGLE: 'toggleDoor' } as const;

export function createZigbee2Mqtt({ address, time, tell, travelMs = 1_000 }: DeviceOptions): SimulatedDevice {
  const wire = createLooseWire();
  const cached = new Map<string, object>();
  /** What waits for a sleeping lock. */
  const waiting: { readonly lock: ZigbeeLock; readonly command: ZigbeeCommand }[] = [];
  let lastLogged = '';
  const locks = Array.from({ length: Number(address) }, (_, index) => openLock(index + 1));

  function openLock(number: number): ZigbeeLock {
    const name = ['Front Door', 'Cellar/Left'][number - 1] ?? `Door ${number}`;
    const ieee = `0x000d6f0012bc${(0x8960 + number).toString(16)}`;
    const report = (members: object): void => {
      const lock = locks[number - 1];
      if (lock !== undefined) publish(lock, members);
    };
    const lock = createZigbeeLock({ name, ieee, sleeps: number === 2, time, travelMs, report, tell: (line) => tell(`${name}: ${line}`) });
    lock.door.faults.onChange((fault, on) => {
      if (fault === 'away' && !on) checkIn(lock);
    });
    return lock;
  }

  /** Faults of the program are those of its first lock. */
  function has(name: string): boolean {
    return locks[0]?.door.faults.has(name) ?? false;
  }

  function log(level: 'info' | 'error', message: string): void {
    const line = JSON.stringify({ level, message });
    // Identical lines in a row are published once.
    if (line !== lastLogged) wire.publish(`${base}/bridge/logging`, line, { qos: 0 });
    lastLogged = line;
  }

  /** `action` and who did it are never cached; everything else is, and is in each message from then on. */
  function publish(lock: ZigbeeLock, fresh: object): void {
    const old = has('cache-off') ? {} : (cached.get(lock.ieee) ?? {});
    const seen = has('last-seen') ? { last_seen: time.wall() } : {};
    const all = { ...old, ...fresh, linkquality, ...seen };
    const kept = Object.entries({ ...cached.get(lock.ieee), ...fresh }).filter(([member]) => !member.startsWith('action'));
    cached.set(lock.ieee, Object.fromEntries(kept));
    const payload = JSON.stringify(Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))));
    log('info', `z2m:mqtt: MQTT publish: topic '${base}/${lock.name}', payload '${payload}'`);
    wire.publish(`${base}/${lock.name}`, payload, { qos: 0 });
  }

  /** Sends a command by radio; `done` once the lock has answered. */
  function send(lock: ZigbeeLock, way: 'set' | 'get', key: string, command: ZigbeeCommand, done: (did: boolean) => void): void {
    const later = lock.door.faults.has('slow') ? 15_000 : 0;
    time.timer(later, () => {
      try {
        const did = lock.receive(command);
        // Any answer of the lock is a sign of life, and is published with what is cached.
        if (has('last-seen') && command.name !== 'read') publish(lock, {});
        done(did);
      } catch (error) {
        if (lock.sleeps && command.name !== 'unlockDoor' && command.name !== 'read') waiting.push({ lock, command });
        else time.timer(radioMs, () => failed(lock, way, key, command.name, (error as Error).message));
      }
    });
  }

  function failed(lock: ZigbeeLock, way: string, key: string, name: string, reason: string): void {
    const what = `ZCL command ${lock.ieee}/1 closuresDoorLock.${name}({"pincodevalue":{"type":"Buffer","data":[]}}) failed (${reason})`;
    log('error', `z2m: Publish '${way}' '${key}' to '${lock.name}' failed: 'Error: ${what}'`);
  }

  /** A sleeping lock is awake, and gets what waited for it. */
  function checkIn(lock: ZigbeeLock): void {
    for (const entry of waiting.splice(0)) {
      if (entry.lock === lock) send(lock, 'set', 'state', entry.command, () => undefined);
      else waiting.push(entry);
    }
  }

  function set(lock: ZigbeeLock, text: string): void {
    const given = setMessage.safeParse(parsedJson(text));
    if (!given.success) {
      log('error', `z2m: Invalid message '${text}', skipping...`);
      return;
    }
    const { state, pin_code: pin, auto_relock_time: seconds } = given.data;
    if (state !== undefined) {
      const name = zclNames[state.toUpperCase() as keyof typeof zclNames];
      const refusal = `Publish 'set' 'state' to '${lock.name}' failed: 'Error: state: value '${state}' not allowed, expected one of LOCK, UNLOCK, TOGGLE'`;
      if (name === undefined) log('error', `z2m: ${refusal}`);
      else send(lock, 'set', 'state', { name }, () => undefined);
    }
    if (pin !== undefined) send(lock, 'set', 'pin_code', { name: 'setPinCode', user: pin.user, code: pin.pin_code }, () => undefined);
    if (seconds !== undefined) send(lock, 'set', 'auto_relock_time', { name: 'read' }, () => publish(lock, { auto_relock_time: seconds }));
  }

  function get(lock: ZigbeeLock, text: string): void {
    const { success, data } = getMessage.safeParse(parsedJson(text));
    if (!success) return;
    if ('state' in data) send(lock, 'get', 'state', { name: 'read' }, () => publish(lock, lock.lockState));
    const user = data.pin_code?.user;
    if (user === undefined) return;
    const users = { ...(cached.get(lock.ieee) as { users?: object } | undefined)?.users };
    send(lock, 'get', 'pin_code', { name: 'read' }, () =>
      publish(lock, { users: { ...users, [user]: { status: lock.hasCode(user) ? 'enabled' : 'available' } } }),
    );
  }

  function announce(): void {
    const retain = { retain: true };
    wire.publish(`${base}/bridge/state`, '{"state":"online"}', retain);
    const advanced = { cache_state: !has('cache-off'), cache_state_persistent: true, last_seen: has('last-seen') ? 'epoch' : 'disable' };
    const config = { advanced, mqtt: { base_topic: base }, availability: { enabled: has('availability') } };
    wire.publish(`${base}/bridge/info`, JSON.stringify({ version: '2.14.1', commit: '3c3d8c1a', config }), retain);
    wire.publish(`${base}/bridge/devices`, JSON.stringify(locks.map(deviceOf)), retain);
    for (const lock of locks) {
      if (has('availability')) wire.publish(`${base}/${lock.name}/availability`, '{"state":"online"}', retain);
      // At its start it says what it had cached, as if it were new.
      if (!has('cache-off') && cached.has(lock.ieee)) publish(lock, {});
    }
    log('info', 'z2m: Zigbee2MQTT started!');
  }

  return {
    doors: locks.map(({ door }) => door),
    rudeTopics: { own: `${base}/${locks[0]?.name}`, others: `${base}/Elsewhere` },
    login: () => ({
      clientId: `mqttjs_${address}`,
      keepAliveSeconds: has('keep-alive-0') ? 0 : 60,
      clean: !has('persistent-session'),
      will: { topic: has('will-elsewhere') ? 'home/gone' : `${base}/bridge/state`, payload: '{"state":"offline"}', qos: 1, retain: true },
    }),
    subscriptions: () => [{ topic: `${base}/#`, qos: 0 }],
    begin(current) {
      wire.attach(current);
      announce();
    },
    hear(topic, text) {
      const [, name, way] = /^zigbee2mqtt\/(.+)\/(set|get)$/.exec(topic) ?? [];
      const lock = locks.find((other) => other.name === name || other.ieee === name);
      if (lock === undefined) return;
      if (way === 'set') set(lock, text);
      else get(lock, text);
    },
    end: () => wire.attach(undefined),
  };
}
