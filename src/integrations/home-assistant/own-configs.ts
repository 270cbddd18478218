// What the broker has retained of locks that Home Assistant is not to see any more: somebody removed them, or took the role away, while the gateway was
// not connected. Home Assistant would show them for ever.
import type { Clock } from '../../domain/clock.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { HomeBroker, HomeMessage } from './broker-port.ts';
import type { HomeTopics } from './topics.ts';

/** How long the broker may take to send all that it has retained. */
const listenMs = 2_000;
/** More than any gateway has locks: whoever may publish there could invent them. */
const foundAtMost = 20_000;

export interface OwnConfigs {
  /** Listens for a while, then takes away what nobody announces. */
  look(): void;
  /** True: the message was for this. */
  heard(message: HomeMessage): boolean;
  stop(): void;
}

export function createOwnConfigs(options: {
  readonly clock: Pick<Clock, 'timer'>;
  readonly topics: HomeTopics;
  readonly broker: Pick<HomeBroker, 'publish' | 'subscribe' | 'unsubscribe'>;
  readonly isAnnounced: (lockId: LockId) => boolean;
}): OwnConfigs {
  const { clock, topics, broker, isAnnounced } = options;
  // Beside `…/latchd_G/config` lie `…/latchd_G_7/config` and so on.
  const beginning = topics.gatewayConfig.replace(/\/config$/, '_');
  const found = new Map<string, LockId>();
  let cancel: (() => void) | undefined;

  function empty(topic: string): void {
    broker.publish(topic, '', { retain: true, qos: 1 });
  }
  function takeAway(): void {
    cancel = undefined;
    broker.unsubscribe([topics.ownConfigs]);
    for (const [topic, lockId] of found) {
      if (isAnnounced(lockId)) continue;
      empty(topic);
      for (const topicOf of [topics.lockState, topics.lockOnline, topics.lockAttributes, topics.lockAlarms]) empty(topicOf(lockId));
    }
    found.clear();
  }

  return {
    look() {
      found.clear();
      cancel?.();
      broker.subscribe([topics.ownConfigs], { stored: 'send' });
      cancel = clock.timer(listenMs, takeAway);
    },
    heard({ topic, payload }) {
      if (!topic.endsWith('/config')) return false;
      const [digits] = topic.startsWith(beginning) ? (/^\d{1,15}(?=\/config$)/.exec(topic.slice(beginning.length)) ?? []) : [];
      if (digits !== undefined && payload.length > 0 && cancel !== undefined && found.size < foundAtMost)
        found.set(topic, Number(digits) as LockId);
      return true;
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
