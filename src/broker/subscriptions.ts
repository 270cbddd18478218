// What a client has subscribed to, when it is sent nothing else (MQTT 3.1.1 section 4.7).

type Qos = 0 | 1 | 2;

/** Far more than a device has topics for commands. */
const filtersAtMost = 100;

export class Subscriptions {
  readonly #filters = new Map<string, Qos>();

  /** False when it has too many. `filter` is valid; it replaces the same one. */
  add(filter: string, qos: Qos): boolean {
    if (this.#filters.size >= filtersAtMost && !this.#filters.has(filter)) return false;
    this.#filters.set(filter, qos);
    return true;
  }

  remove(filter: string): void {
    this.#filters.delete(filter);
  }

  /** The highest quality of service that was granted for this topic [MQTT-3.3.5-1]; undefined when it has not subscribed to it. */
  grantedFor(topic: string): Qos | undefined {
    let highest: Qos | undefined;
    for (const [filter, qos] of this.#filters) if (matches(filter, topic) && qos >= (highest ?? 0)) highest = qos;
    return highest;
  }
}

function matches(filter: string, topic: string): boolean {
  // [MQTT-4.7.2-1]
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  const levels = topic.split('/');
  const wanted = filter.split('/');
  const isOpen = wanted.at(-1) === '#';
  if (isOpen) wanted.pop();
  if (isOpen ? levels.length < wanted.length : levels.length !== wanted.length) return false;
  return wanted.every((level, at) => level === '+' || level === levels[at]);
}
