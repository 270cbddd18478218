// Builds and parses topic names (Protocol 3). The only place where they are spelt.
import type { DeviceId } from '../../domain/locks/lock.ts';

/** The six topics on which a lock speaks; `command` is the one on which it is spoken to. */
export const reportChannels = ['status', 'hello', 'state', 'battery', 'events', 'reply'] as const;
export type ReportChannel = (typeof reportChannels)[number];
export type Channel = ReportChannel | 'command';

const channels: readonly string[] = [...reportChannels, 'command'];

export interface Topics {
  /** `latchd/v1/a4c1387f02e9/state` for ('a4c1387f02e9', 'state'). */
  build(deviceId: DeviceId, channel: Channel): string;
  /** The parts of an exact topic of ours; undefined for any other text, wildcards included. */
  parse(topic: string): ParsedTopic | undefined;
}

interface ParsedTopic {
  readonly deviceId: DeviceId;
  readonly channel: Channel;
}

/** Topic names below a root such as `latchd/v1` (no slash at its ends). */
export function createTopics(root: string): Topics {
  const prefix = `${root}/`;
  let lastTopic: string | undefined;
  let lastParsed: ParsedTopic | undefined;

  function parseAnew(topic: string): ParsedTopic | undefined {
    if (!topic.startsWith(prefix)) return undefined;
    const [deviceId, channel, ...rest] = topic.slice(prefix.length).split('/');
    if (deviceId === undefined || channel === undefined || rest.length > 0) return undefined;
    if (!/^[0-9a-f]{12}$/.test(deviceId) || !channels.includes(channel)) return undefined;
    return { deviceId: deviceId as DeviceId, channel: channel as Channel };
  }

  return {
    build: (deviceId, channel) => `${prefix}${deviceId}/${channel}`,
    parse(topic) {
      // A lock says much on one topic before another lock has its turn.
      if (topic === lastTopic) return lastParsed;
      lastTopic = topic;
      lastParsed = parseAnew(topic);
      return lastParsed;
    },
  };
}
