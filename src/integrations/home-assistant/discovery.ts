// What Home Assistant is told that there is: one retained config for each lock and one for the gateway, as a device with its entities. An entity that
// is not there is announced by its platform alone, which takes away what an earlier setting made.
import type { LockRole } from '../../domain/accounts/account.ts';
import { roleSuffices } from '../../domain/accounts/account.ts';
import type { Capabilities } from '../../domain/locks/capabilities.ts';
import { type Lock, macOf, nativeKind } from '../../domain/locks/lock.ts';
import { homeEventTypes } from './events.ts';
import type { HomeTopics } from './topics.ts';

/** What is the same for everything that this gateway announces. */
export interface HomeIdentity {
  readonly topics: HomeTopics;
  /** Of latchd. */
  readonly version: string;
  /** Where people read more; undefined: there is no page. */
  readonly supportUrl: string | undefined;
}

/** What the config of a lock depends on. */
export interface LockToAnnounce {
  readonly lock: Lock;
  /** Of the account for which latchd speaks. */
  readonly role: LockRole;
  readonly capabilities: Pick<Capabilities, 'autoLock' | 'battery'>;
  /** The lock has reported a door. */
  readonly hasDoor: boolean;
  /** Home Assistant may give commands; else it only looks on. */
  readonly takesCommands: boolean;
  /** An unlock needs the code. */
  readonly hasCode: boolean;
}

type Platform = 'lock' | 'binary_sensor' | 'sensor' | 'event' | 'number' | 'button';
type Component = { readonly platform: Platform } & Readonly<Record<string, unknown>>;

/** Seconds after which a broker drops a command that it could not deliver; an older Home Assistant does not send it, and the date in it is judged. */
const commandExpirySeconds = 5;
/** The digits of a code; Home Assistant refuses others itself. */
const codeFormat = '^\\d{4,9}$';
const autoLockAtMost = 65_535;

/** The moment of the click, in epoch milliseconds, as Home Assistant writes it into a command. */
const sentAt = '"at":{{ (now().timestamp() * 1000) | int }}';
const boltTemplate = `{"do":"{{ value }}",${sentAt}{% if code %},"code":{{ code | tojson }}{% endif %}}`;
const autoLockTemplate = `{"seconds":{{ value | int }},${sentAt}}`;
const alarmTemplate = `{"do":"{{ value }}",${sentAt}}`;
/** On is "not surely locked": an unlocked, moving or jammed bolt. */
const surelyLocked = "{{ 'None' if value_json.lock is none else 'LOCKED' if value_json.lock == 'LOCKED' else 'UNLOCKED' }}";

const diagnostic = { entity_category: 'diagnostic' } as const;
/** Whoever wants these switches them on in Home Assistant. */
const setting = { entity_category: 'config', enabled_by_default: false } as const;

/** The config of a lock, for `lockConfig`. */
export function lockConfigText({ topics, version, supportUrl }: HomeIdentity, announced: LockToAnnounce): string {
  const { lock } = announced;
  const { lockId, alias, name, modelNum, hardwareRevision, firmwareRevision, groupName } = lock;
  return JSON.stringify({
    device: {
      identifiers: [topics.deviceName(lockId)],
      // The devices of other makes have an id here that is no address on a network.
      ...(lock.driver.kind === nativeKind && { connections: [['mac', macOf(lock.deviceId).toLowerCase()]] }),
      name: alias || name,
      manufacturer: 'latchd',
      ...said({ model: modelNum, hw_version: hardwareRevision, sw_version: firmwareRevision, suggested_area: groupName }),
      via_device: topics.deviceName(),
    },
    origin: originOf(version, supportUrl),
    availability: [{ topic: topics.status }, { topic: topics.lockOnline(lockId) }],
    availability_mode: 'all',
    components: lockComponents(topics, announced),
  });
}

/** The config of the gateway itself, for `gatewayConfig`. */
export function gatewayConfigText({ topics, version, supportUrl }: HomeIdentity): string {
  const id = (key: string) => ({ unique_id: `${topics.deviceName()}_${key}`, ...diagnostic });
  const state = { state_topic: topics.gatewayState, availability: [{ topic: topics.status }] };
  return JSON.stringify({
    device: { identifiers: [topics.deviceName()], name: 'latchd', manufacturer: 'latchd', sw_version: version },
    origin: originOf(version, supportUrl),
    components: {
      // Without availability of its own it can say that the gateway is away.
      connected: {
        platform: 'binary_sensor',
        ...id('connected'),
        device_class: 'connectivity',
        state_topic: topics.status,
        ...onlineOrNot,
      },
      problem: { platform: 'binary_sensor', ...id('problem'), device_class: 'problem', ...state, ...memberShown('problem') },
      version: { platform: 'sensor', ...id('version'), name: 'Version', ...state, ...memberShown('version') },
    },
  });
}

const onlineOrNot = { payload_on: 'online', payload_off: 'offline' } as const;
const memberShown = (member: string) => ({ value_template: `{{ value_json.${member} }}` });

function originOf(version: string, supportUrl: string | undefined) {
  return { name: 'latchd', sw_version: version, ...(supportUrl !== undefined && { support_url: supportUrl }) };
}

/** The members that are known. */
function said(members: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}

/** By their keys. Entities with a device class have the name that Home Assistant gives to that class, in the language of its user. */
function lockComponents(topics: HomeTopics, announced: LockToAnnounce): Readonly<Record<string, Component>> {
  const { role, capabilities, hasDoor, takesCommands } = announced;
  const { lockId } = announced.lock;
  const state = { state_topic: topics.lockState(lockId) };
  const entity = (key: string, platform: Platform, more: object): Component => ({
    platform,
    unique_id: `${topics.deviceName(lockId)}_${key}`,
    ...more,
  });
  const ifSo = (isThere: boolean, component: Component): Component => (isThere ? component : { platform: component.platform });
  const alarms = roleSuffices(role, 'manager') ? { json_attributes_topic: topics.lockAlarms(lockId) } : {};

  return {
    lock: ifSo(takesCommands, entity('lock', 'lock', lockEntity(topics, announced))),
    bolt: ifSo(!takesCommands, entity('bolt', 'binary_sensor', boltEntity(topics, announced))),
    battery: ifSo(
      capabilities.battery === 'percent',
      entity('battery', 'sensor', {
        ...{ device_class: 'battery', unit_of_measurement: '%', state_class: 'measurement', ...diagnostic, ...state },
        ...memberShown('battery'),
      }),
    ),
    // Not announced by its platform alone: after a start it may be known a moment later, and Home Assistant would forget its history.
    ...(hasDoor && {
      door: entity('door', 'binary_sensor', {
        device_class: 'door',
        payload_on: 'open',
        payload_off: 'closed',
        ...state,
        ...memberShown('door'),
      }),
    }),
    problem: entity('problem', 'binary_sensor', { device_class: 'problem', ...diagnostic, ...state, ...memberShown('problem'), ...alarms }),
    tamper: entity('tamper', 'binary_sensor', { device_class: 'tamper', ...state, ...memberShown('tamper') }),
    // Unavailable with the gateway alone, else it could never say that the lock is away.
    connected: entity('connected', 'binary_sensor', {
      ...{ device_class: 'connectivity', ...diagnostic, state_topic: topics.lockOnline(lockId), ...onlineOrNot },
      availability: [{ topic: topics.status }],
    }),
    who: entity('who', 'event', { name: 'Who', state_topic: topics.lockEvent(lockId), event_types: homeEventTypes }),
    auto_lock: ifSo(takesCommands && capabilities.autoLock, entity('auto_lock', 'number', autoLockEntity(topics, announced))),
    end_alarm: ifSo(takesCommands, entity('end_alarm', 'button', endAlarmEntity(topics, announced))),
  };
}

/** Has the name of the device. */
function boltBase(topics: HomeTopics, { lock: { lockId }, role }: LockToAnnounce) {
  const attributes = roleSuffices(role, 'manager') ? { json_attributes_topic: topics.lockAttributes(lockId) } : {};
  return { name: null, state_topic: topics.lockState(lockId), ...attributes };
}

function boltEntity(topics: HomeTopics, announced: LockToAnnounce) {
  return {
    ...boltBase(topics, announced),
    ...{ device_class: 'lock', payload_on: 'UNLOCKED', payload_off: 'LOCKED', value_template: surelyLocked },
  };
}

function lockEntity(topics: HomeTopics, announced: LockToAnnounce) {
  return {
    ...boltBase(topics, announced),
    ...memberShown('lock'),
    ...commandOn(topics.lockCommand({ kind: 'bolt', lockId: announced.lock.lockId }), boltTemplate),
    optimistic: false,
    ...(announced.hasCode && { code_format: codeFormat }),
  };
}

function autoLockEntity(topics: HomeTopics, { lock: { lockId } }: LockToAnnounce) {
  return {
    ...{ name: 'Auto-lock time', device_class: 'duration', unit_of_measurement: 's', ...setting },
    ...{ min: 0, max: autoLockAtMost, step: 1, mode: 'box', state_topic: topics.lockState(lockId), ...memberShown('autoLock') },
    ...commandOn(topics.lockCommand({ kind: 'auto-lock', lockId }), autoLockTemplate),
    optimistic: false,
  };
}

function endAlarmEntity(topics: HomeTopics, { lock: { lockId } }: LockToAnnounce) {
  return {
    ...{ name: 'End alarms', payload_press: 'SEEN', ...setting },
    ...commandOn(topics.lockCommand({ kind: 'alarm', lockId }), alarmTemplate),
  };
}

function commandOn(command_topic: string, command_template: string) {
  return { command_topic, command_template, qos: 0, retain: false, message_expiry_interval: commandExpirySeconds };
}
