// Home Assistant's rules for the discovery of a device over MQTT, read from its documentation and its schemas, and written down anew: what it would
// drop or pass over in silence is an error here, so that a slip is seen. It shares nothing with the code that makes the payloads.
import { z } from 'zod';

const text = z.string().min(1);
const publishTopic = text.regex(/^[^+#\0]+$/, 'a topic for publishing has no wildcards');
const subscribeTopic = publishTopic;
const template = text;
const qos = z.literal([0, 1, 2]);
const webAddress = z.url({ protocol: /^https?$/ });

const availability = {
  availability: z
    .array(z.strictObject({ topic: subscribeTopic, payload_available: text.optional(), payload_not_available: text.optional() }))
    .min(1)
    .optional(),
  availability_mode: z.enum(['all', 'any', 'latest']).optional(),
};

const device = z
  .strictObject({
    identifiers: z.array(text).optional(),
    connections: z.array(z.tuple([z.literal('mac'), z.string().regex(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/)])).optional(),
    manufacturer: text.optional(),
    model: text.optional(),
    model_id: text.optional(),
    name: text.optional(),
    hw_version: text.optional(),
    sw_version: text.optional(),
    serial_number: text.optional(),
    via_device: text.optional(),
    suggested_area: text.optional(),
    configuration_url: webAddress.optional(),
  })
  .refine(
    ({ identifiers = [], connections = [] }) => identifiers.length + connections.length > 0,
    'a device has something that identifies it',
  );

/** Without a name an entity has that of its device class; a name of null is that of the device. */
const entity = {
  unique_id: text,
  name: text.nullable().optional(),
  entity_category: z.enum(['diagnostic', 'config']).optional(),
  enabled_by_default: z.boolean().optional(),
  icon: text.optional(),
  json_attributes_topic: subscribeTopic.optional(),
  qos: qos.optional(),
  ...availability,
};
const state = { state_topic: subscribeTopic, value_template: template.optional() };
const command = {
  command_topic: publishTopic,
  command_template: template.optional(),
  retain: z.literal(false).optional(),
  /** The broker drops what it could not deliver so long; older versions leave it out, in a component alone. */
  message_expiry_interval: z.int().positive().optional(),
};

const lock = z.strictObject({
  platform: z.literal('lock'),
  ...entity,
  ...state,
  ...command,
  optimistic: z.literal(false).optional(),
  code_format: text.refine((pattern) => new RegExp(pattern) !== undefined).optional(),
  payload_lock: text.optional(),
  payload_unlock: text.optional(),
});
const binarySensor = z.strictObject({
  platform: z.literal('binary_sensor'),
  ...entity,
  ...state,
  device_class: z.enum(['door', 'problem', 'tamper', 'connectivity', 'battery', 'lock']).optional(),
  payload_on: text.optional(),
  payload_off: text.optional(),
});
const sensor = z.strictObject({
  platform: z.literal('sensor'),
  ...entity,
  ...state,
  device_class: z.literal('battery').optional(),
  unit_of_measurement: z.literal('%').optional(),
  state_class: z.literal('measurement').optional(),
});
const eventOfPlatform = z.strictObject({ platform: z.literal('event'), ...entity, ...state, event_types: z.array(text).min(1) });
const number = z
  .strictObject({
    platform: z.literal('number'),
    ...entity,
    ...state,
    ...command,
    device_class: z.literal('duration').optional(),
    unit_of_measurement: z.literal('s').optional(),
    min: z.number(),
    max: z.number(),
    step: z.number().positive(),
    mode: z.enum(['auto', 'box', 'slider']).optional(),
    optimistic: z.literal(false).optional(),
  })
  .refine(({ min, max }) => min < max, 'the least is below the most');
const button = z.strictObject({ platform: z.literal('button'), ...entity, ...command, payload_press: text.optional() });

/** The platform alone: it takes away an entity that was announced before. */
const removed = z.strictObject({ platform: z.enum(['lock', 'binary_sensor', 'sensor', 'event', 'number', 'button']) });
const component = z.union([removed, z.discriminatedUnion('platform', [lock, binarySensor, sensor, eventOfPlatform, number, button])]);

const root = z
  .strictObject({
    device,
    origin: z.strictObject({ name: text, sw_version: text.optional(), support_url: webAddress.optional() }),
    components: z.record(z.string().regex(/^[a-zA-Z0-9_-]+$/), component),
    ...availability,
  })
  .refine(({ components }) => {
    const ids = Object.values(components).flatMap((one) => ('unique_id' in one ? one.unique_id : []));
    return new Set(ids).size === ids.length;
  }, 'each entity has an id of its own');

/** A component as Home Assistant gets it. */
export interface DiscoveredComponent {
  readonly platform: string;
  readonly [member: string]: unknown;
}

export interface DiscoveredDevice {
  readonly device: Readonly<Record<string, unknown>>;
  readonly origin: Readonly<Record<string, unknown>>;
  readonly availability?: readonly { readonly topic: string }[] | undefined;
  readonly components: Readonly<Record<string, DiscoveredComponent>>;
}

/** The device as Home Assistant would take it over. Throws for anything that it would drop, change or pass over. */
export function discovered(topic: string, payload: string, discoveryPrefix = 'homeassistant'): DiscoveredDevice {
  if (!new RegExp(`^${discoveryPrefix}/device/([a-zA-Z0-9_-]+/)?[a-zA-Z0-9_-]+/config$`).test(topic))
    throw new Error(`Home Assistant does not look at ${topic}`);
  const device: DiscoveredDevice = root.parse(JSON.parse(payload));
  return device;
}

/** The entities that there are, by key; not those that are only taken away. */
export function entitiesOf({ components }: DiscoveredDevice): readonly string[] {
  return Object.entries(components).flatMap(([key, one]) => (Object.keys(one).length > 1 ? [key] : []));
}
