// Each message that latchd publishes for Home Assistant: its topic, its text, whether the broker retains it.
import { type LockRole, roleSuffices } from '../../domain/accounts/account.ts';
import type { AlarmService } from '../../domain/alarms/alarm-service.ts';
import type { LastRecords } from '../../domain/board/last-records.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Drivers } from '../../domain/locks/driver.ts';
import type { Lock, LockId, OpenState } from '../../domain/locks/lock.ts';
import type { StatusStore } from '../../domain/locks/lock-ports.ts';
import type { DoorStates } from '../../domain/records/door-states.ts';
import type { LockRecord } from '../../domain/records/record.ts';
import type { HomeBroker } from './broker-port.ts';
import { gatewayConfigText, type HomeIdentity, type LockToAnnounce, lockConfigText } from './discovery.ts';
import { type HomeRefusal, recordEventText, refusalTexts } from './events.ts';
import { alarmsText, gatewayStateText, lastActionText, lockStateText } from './states.ts';

export interface HomeMessagesOptions extends HomeIdentity {
  readonly clock: Pick<Clock, 'now'>;
  readonly broker: Pick<HomeBroker, 'publish'>;
  readonly statuses: Pick<StatusStore, 'get'>;
  readonly link: Pick<Drivers, 'session' | 'capabilities'>;
  readonly alarms: Pick<AlarmService, 'ofLock' | 'active'>;
  readonly lastRecords: Pick<LastRecords, 'of'>;
  readonly doors: Pick<DoorStates, 'of'>;
  readonly takesCommands: boolean;
  readonly hasCode: () => boolean;
}

/** The retained messages about what a lock says. */
export const lockStateKinds = ['state', 'online', 'attributes', 'alarms'] as const;
export type LockStateKind = (typeof lockStateKinds)[number];

export function createHomeMessages(options: HomeMessagesOptions) {
  const { clock, broker, topics, statuses, link, alarms, lastRecords, doors, takesCommands, hasCode } = options;
  const topicOf: Readonly<Record<LockStateKind, (lockId: LockId) => string>> = {
    state: topics.lockState,
    online: topics.lockOnline,
    attributes: topics.lockAttributes,
    alarms: topics.lockAlarms,
  };

  function retain(topic: string, text: string): void {
    broker.publish(topic, text, { retain: true, qos: 1 });
  }
  function stateOf(lock: Lock, moving: OpenState | undefined): string {
    const { lockId } = lock;
    const [status, capabilities, door] = [statuses.get(lockId), link.capabilities(lock), doors.of(lockId)];
    return lockStateText({ lock, status, capabilities, alarms: alarms.ofLock(lockId), moving, door });
  }

  return {
    /** The last message of an announcement. */
    online: (): void => retain(topics.status, 'online'),

    gatewayConfig: (): void => retain(topics.gatewayConfig, gatewayConfigText(options)),
    gatewayState: (): void => retain(topics.gatewayState, gatewayStateText(alarms, options.version)),

    /** What the config of a lock depends on, now. */
    toAnnounce(lock: Lock, role: LockRole): LockToAnnounce {
      const hasDoor = doors.of(lock.lockId) !== undefined;
      return { lock, role, capabilities: link.capabilities(lock), hasDoor, takesCommands, hasCode: hasCode() };
    },
    config(announced: LockToAnnounce): void {
      const { lockId } = announced.lock;
      retain(topics.lockConfig(lockId), lockConfigText(options, announced));
      if (mayKnowWho(announced.role)) return;
      // The role may have been a higher one.
      for (const kind of forManagers) retain(topicOf[kind](lockId), '');
    },
    state(lock: Lock, role: LockRole, moving: OpenState | undefined, kind: LockStateKind): void {
      const { lockId } = lock;
      if (forManagers.includes(kind) && !mayKnowWho(role)) return;
      const texts: Readonly<Record<LockStateKind, () => string>> = {
        state: () => stateOf(lock, moving),
        online: () => (link.session(lockId) === undefined ? 'offline' : 'online'),
        attributes: () => lastActionText(lastRecords.of(lockId)),
        alarms: () => alarmsText(alarms.ofLock(lockId)),
      };
      retain(topicOf[kind](lockId), texts[kind]());
    },
    /** Takes a lock away, with all that was said of it. */
    nothingOf(lockId: LockId): void {
      retain(topics.lockConfig(lockId), '');
      for (const kind of lockStateKinds) retain(topicOf[kind](lockId), '');
    },

    event(record: LockRecord, role: LockRole): void {
      const text = recordEventText(record, clock.now(), mayKnowWho(role));
      if (text !== undefined) broker.publish(topics.lockEvent(record.lockId), text, { retain: false, qos: 1 });
    },
    refusal(lockId: LockId, refusal: HomeRefusal): void {
      const { refused, event } = refusalTexts(refusal, clock.now());
      broker.publish(topics.lockRefused(lockId), refused, { retain: false, qos: 0 });
      broker.publish(topics.lockEvent(lockId), event, { retain: false, qos: 1 });
    },
  };
}

const forManagers: readonly LockStateKind[] = ['attributes', 'alarms'];

function mayKnowWho(role: LockRole): boolean {
  return roleSuffices(role, 'manager');
}
