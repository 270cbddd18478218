// What announces itself: a configuration with long or short names of its members, alone or as a part of a device.
import { z } from 'zod';
import { maxTopicLength, readObject, withBase, withLongNames } from './members.ts';
import { type Template, templateOf } from './template.ts';

/** A battery in percent, of the device with one of these ids. */
export interface BatterySensor {
  readonly deviceIds: readonly string[];
  readonly stateTopic: string;
  readonly value: Template;
}

export interface AvailabilityTopic {
  readonly topic: string;
  readonly value: Template;
  readonly available: string;
  readonly notAvailable: string;
}

export interface LockEntity {
  readonly uniqueId: string;
  readonly name: string;
  readonly make: string;
  readonly model: string;
  readonly deviceIds: readonly string[];
  /** It is another gateway of ours, or this one: speaking to it would be a loop. */
  readonly isOurs: boolean;
  readonly commandTopic: string;
  readonly stateTopic: string;
  readonly value: Template;
  readonly payloads: { readonly lock: string; readonly unlock: string };
  readonly states: { readonly locked: string; readonly unlocked: string; readonly jammed: string };
  readonly availability: readonly AvailabilityTopic[];
  readonly availabilityMode: 'all' | 'any' | 'latest';
  /** What is not understood; null: nothing. */
  readonly refused: string | null;
}

export interface DeviceAnnouncement {
  readonly locks: readonly LockEntity[];
  readonly batteries: readonly BatterySensor[];
}

const maxComponents = 256;
const maxAvailabilityTopics = 8;

const text = z.string().max(8_192);
const short = text.nullish().transform((given) => given ?? undefined);
const device = z.object({
  identifiers: z
    .union([text, z.array(text).max(32)])
    .optional()
    .transform((given) => (given === undefined ? [] : [given].flat())),
  name: short,
  manufacturer: short,
  model: short,
});
const entity = z.object({
  platform: short,
  unique_id: short,
  name: short,
  device: device.optional(),
  origin: z.object({ name: short }).optional(),
  device_class: short,
  command_topic: short,
  state_topic: short,
  value_template: short,
  command_template: short,
  optimistic: z.boolean().optional(),
  code_format: short,
  payload_lock: short,
  payload_unlock: short,
  state_locked: short,
  state_unlocked: short,
  state_jammed: short,
  payload_available: short,
  payload_not_available: short,
  availability_topic: short,
  availability_template: short,
  availability_mode: z.enum(['all', 'any', 'latest']).optional(),
  availability: z
    .array(z.object({ topic: text, value_template: short, payload_available: short, payload_not_available: short }))
    .optional(),
});
type Entity = z.infer<typeof entity>;

const nothing: DeviceAnnouncement = { locks: [], batteries: [] };

/**
 * @param component the level of the topic after the prefix: `lock`, `sensor` or `device`
 * @param payload at most as long as the caller allows; whatever is in it, this does not throw
 */
export function readAnnouncement(component: string, payload: Buffer): DeviceAnnouncement {
  const given = withLongNames(readObject(payload));
  if (given === undefined) return nothing;
  if (component !== 'device') return announcementOf(component, [given]);
  const { components, ...common } = given;
  if (typeof components !== 'object' || components === null) return nothing;
  const parts = Object.values(components).slice(0, maxComponents);
  return announcementOf(
    undefined,
    parts.flatMap((part) => {
      const own = withLongNames(part);
      return own === undefined ? [] : [{ ...common, ...own }];
    }),
  );
}

function announcementOf(component: string | undefined, given: readonly Readonly<Record<string, unknown>>[]): DeviceAnnouncement {
  const locks: LockEntity[] = [];
  const batteries: BatterySensor[] = [];
  for (const members of given) {
    const { data } = entity.safeParse(withBase(members));
    if (data === undefined) continue;
    const platform = component ?? data.platform;
    const lock = platform === 'lock' ? lockOf(data) : undefined;
    const battery = platform === 'sensor' ? batteryOf(data) : undefined;
    if (lock !== undefined) locks.push(lock);
    if (battery !== undefined) batteries.push(battery);
  }
  return { locks, batteries };
}

function batteryOf({ device_class, device: of, state_topic, value_template }: Entity): BatterySensor | undefined {
  const value = templateOf(value_template);
  const deviceIds = of?.identifiers ?? [];
  if (device_class !== 'battery' || value === undefined || deviceIds.length === 0 || !isTopic(state_topic)) return undefined;
  return { deviceIds, stateTopic: state_topic, value };
}

/** Without a unique id nobody could register it. */
function lockOf(given: Entity): LockEntity | undefined {
  const { unique_id: uniqueId, device: of } = given;
  if (uniqueId === undefined || uniqueId === '' || uniqueId.length > 256) return undefined;
  const availability = availabilityOf(given);
  return {
    uniqueId,
    name: (given.name ?? of?.name ?? uniqueId).slice(0, 256),
    make: (of?.manufacturer ?? '').slice(0, 128),
    model: (of?.model ?? '').slice(0, 128),
    deviceIds: of?.identifiers ?? [],
    isOurs: given.origin?.name === 'latchd' || uniqueId.startsWith('latchd_'),
    commandTopic: given.command_topic ?? '',
    stateTopic: given.state_topic ?? '',
    value: templateOf(given.value_template) ?? (() => undefined),
    payloads: { lock: given.payload_lock ?? 'LOCK', unlock: given.payload_unlock ?? 'UNLOCK' },
    states: {
      locked: given.state_locked ?? 'LOCKED',
      unlocked: given.state_unlocked ?? 'UNLOCKED',
      jammed: given.state_jammed ?? 'JAMMED',
    },
    availability: availability.flatMap(({ topic, template, ...payloads }) => {
      const value = templateOf(template);
      return value === undefined ? [] : [{ topic, value, ...payloads }];
    }),
    availabilityMode: given.availability_mode ?? 'latest',
    refused: refusalOf(given, availability),
  };
}

interface GivenAvailability {
  readonly topic: string;
  readonly template: string | undefined;
  readonly available: string;
  readonly notAvailable: string;
}

function availabilityOf(given: Entity): readonly GivenAvailability[] {
  const { availability_topic: alone, availability_template: template } = given;
  const payloads = (from: Pick<Entity, 'payload_available' | 'payload_not_available'>) => ({
    available: from.payload_available ?? 'online',
    notAvailable: from.payload_not_available ?? 'offline',
  });
  if (given.availability !== undefined)
    return given.availability.map((one) => ({ topic: one.topic, template: one.value_template, ...payloads(one) }));
  return alone === undefined ? [] : [{ topic: alone, template, ...payloads(given) }];
}

/** By the short name of the member that stands in the way. */
function refusalOf(given: Entity, availability: readonly GivenAvailability[]): string | null {
  if (!isTopic(given.command_topic)) return 'no cmd_t';
  if (!isTopic(given.state_topic)) return 'no stat_t';
  // Our own command would come back as its state.
  if (given.command_topic === given.state_topic) return 'cmd_t is stat_t';
  if (given.optimistic === true) return 'opt';
  if (given.code_format !== undefined) return 'cod_fmt';
  if (templateOf(given.value_template) === undefined) return `val_tpl: ${shown(given.value_template)}`;
  if (!isPlain(given.command_template)) return `cmd_tpl: ${shown(given.command_template)}`;
  if (availability.length > maxAvailabilityTopics || availability.some(({ topic }) => !isTopic(topic))) return 'avty';
  const strange = availability.find(({ template }) => templateOf(template) === undefined);
  return strange === undefined ? null : `avty_tpl: ${shown(strange.template)}`;
}

function isPlain(template: string | undefined): boolean {
  return template === undefined || /^\s*\{\{\s*value\s*\}\}\s*$/.test(template);
}
function shown(template = ''): string {
  return template.length > 120 ? `${template.slice(0, 119)}…` : template;
}

/** One topic to publish to, or to subscribe to alone. */
function isTopic(topic: string | undefined): topic is string {
  return topic !== undefined && topic !== '' && topic.length <= maxTopicLength && !/[+#\0]/.test(topic);
}
