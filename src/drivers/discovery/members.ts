// The members of an announcement as they are written: with short names, and with a base for its topics.

export const maxTopicLength = 512;

/** The short names of the members that we read. */
const longNames: Readonly<Record<string, string>> = {
  ...{ cmd_t: 'command_topic', stat_t: 'state_topic', val_tpl: 'value_template', cmd_tpl: 'command_template', uniq_id: 'unique_id' },
  ...{ avty: 'availability', avty_t: 'availability_topic', avty_mode: 'availability_mode', avty_tpl: 'availability_template' },
  ...{ pl_avail: 'payload_available', pl_not_avail: 'payload_not_available', t: 'topic', opt: 'optimistic', cod_fmt: 'code_format' },
  ...{ pl_lock: 'payload_lock', pl_unlk: 'payload_unlock', stat_locked: 'state_locked', stat_unlocked: 'state_unlocked' },
  ...{ stat_jam: 'state_jammed', stat_jammed: 'state_jammed', dev: 'device', dev_cla: 'device_class', o: 'origin', cmps: 'components' },
  ...{ p: 'platform', ids: 'identifiers', mf: 'manufacturer', mdl: 'model' },
};

/** undefined: it is no JSON. */
export function readObject(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch {
    return undefined;
  }
}

/** With long names at every depth that we read; undefined: it is no object. */
export function withLongNames(given: unknown, depth = 0): Record<string, unknown> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const named = Object.entries(given).map(([name, value]) => {
    const long = Object.hasOwn(longNames, name) ? (longNames[name] as string) : name;
    if (depth > 0 || long === 'components') return [long, value] as const;
    if (Array.isArray(value)) return [long, value.map((item) => withLongNames(item, 1) ?? item)] as const;
    return [long, withLongNames(value, 1) ?? value] as const;
  });
  return Object.fromEntries(named);
}

/** `~` at the beginning or the end of a topic stands for the member `~`. */
export function withBase(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { '~': base } = given;
  if (typeof base !== 'string') return given;
  const whole = (topic: unknown): unknown => {
    if (typeof topic !== 'string' || topic.length > maxTopicLength) return topic;
    if (topic.startsWith('~')) return `${base}${topic.slice(1)}`;
    return topic.endsWith('~') ? `${topic.slice(0, -1)}${base}` : topic;
  };
  const topics = Object.entries(given).map(([name, value]) => [name, name === 'topic' || name.endsWith('_topic') ? whole(value) : value]);
  const made: Record<string, unknown> = Object.fromEntries(topics);
  const { availability } = made;
  if (Array.isArray(availability)) {
    made['availability'] = availability.map((one) => (typeof one === 'object' && one !== null ? { ...one, topic: whole(one.topic) } : one));
  }
  return made;
}
