// Topic filters of MQTT.

/** Whether this filter matches the topic [MQTT-4.7.1-2] [MQTT-4.7.1-3]. */
export function matchesFilter(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  for (const [place, level] of wanted.entries()) {
    if (level === '#') return true;
    if (level !== '+' && level !== levels[place]) return false;
    if (place >= levels.length) return false;
  }
  return wanted.length === levels.length;
}
