// Builds and parses the topics between latchd and Home Assistant, and the names by which Home Assistant knows what latchd announces. The only
// place where they are spelt.
import type { LockId } from '../../domain/locks/lock.ts';

/** What Home Assistant asks a lock for: to move its bolt, to lock itself after another time, or to end an alarm. */
export interface HomeCommandTopic {
  readonly kind: 'bolt' | 'auto-lock' | 'alarm';
  readonly lockId: LockId;
}

export interface HomeTopics {
  /** Retained: `online`, or `offline` when the connection ends. */
  readonly status: string;
  readonly gatewayState: string;
  lockState(lockId: LockId): string;
  lockOnline(lockId: LockId): string;
  lockAttributes(lockId: LockId): string;
  lockEvent(lockId: LockId): string;
  lockAlarms(lockId: LockId): string;
  lockRefused(lockId: LockId): string;
  /** On which Home Assistant asks. */
  lockCommand({ kind, lockId }: HomeCommandTopic): string;
  /** Filters for all of them. */
  readonly commandFilters: readonly string[];
  /** undefined: it is no topic of a command to a lock of this gateway. */
  commandOf(topic: string): HomeCommandTopic | undefined;
  /** By which Home Assistant knows the gateway (without a lock) or a lock as a device: `latchd_3f9c0a17_7`. Names and addresses are not in it. */
  deviceName(lockId?: LockId): string;
  readonly gatewayConfig: string;
  lockConfig(lockId: LockId): string;
  /** A filter for the configs of all devices of this broker, also of others. */
  readonly ownConfigs: string;
  /** On which Home Assistant says that it has started. */
  readonly birth: string;
}

const endings = { bolt: 'set', 'auto-lock': 'auto-lock/set', alarm: 'alarm/set' } as const;
const kindOfEnding = new Map(Object.entries(endings).map(([kind, ending]) => [ending as string, kind as HomeCommandTopic['kind']]));

/**
 * `prefix` and `discoveryPrefix` are topics without slashes at their ends; `gatewayId` is 8 hex digits, which no other gateway of the same broker
 * has.
 */
export function homeTopics(options: { readonly prefix: string; readonly discoveryPrefix: string; readonly gatewayId: string }): HomeTopics {
  const { prefix, discoveryPrefix, gatewayId } = options;
  const own = `${prefix}/${gatewayId}`;
  const deviceName = (lockId?: LockId): string => (lockId === undefined ? `latchd_${gatewayId}` : `latchd_${gatewayId}_${lockId}`);
  const configOf = (device: string): string => `${discoveryPrefix}/device/${device}/config`;

  return {
    status: `${own}/status`,
    gatewayState: `${own}/state`,
    lockState: (lockId) => `${own}/${lockId}/state`,
    lockOnline: (lockId) => `${own}/${lockId}/online`,
    lockAttributes: (lockId) => `${own}/${lockId}/attributes`,
    lockEvent: (lockId) => `${own}/${lockId}/event`,
    lockAlarms: (lockId) => `${own}/${lockId}/alarms`,
    lockRefused: (lockId) => `${own}/${lockId}/refused`,
    lockCommand: ({ kind, lockId }) => `${own}/${lockId}/${endings[kind]}`,
    commandFilters: Object.values(endings).map((ending) => `${own}/+/${ending}`),
    commandOf(topic) {
      if (!topic.startsWith(`${own}/`)) return undefined;
      const [, digits, ending = ''] = /^([1-9]\d{0,14})\/(.+)$/.exec(topic.slice(own.length + 1)) ?? [];
      const kind = kindOfEnding.get(ending);
      return kind === undefined ? undefined : { kind, lockId: Number(digits) as LockId };
    },
    deviceName,
    gatewayConfig: configOf(deviceName()),
    lockConfig: (lockId) => configOf(deviceName(lockId)),
    ownConfigs: configOf('+'),
    birth: `${discoveryPrefix}/status`,
  };
}
