// The connection of a hub: it speaks for the locks bound to it, each with a session of its own (Protocol 2, 3 and 6).
// Who is bound is asked anew at every message, so that an unbinding takes effect at once.

import { type Intake, type LoggedIn, type Speaking, type Transport, WayIn } from '../../broker/client.ts';
import type { Connection } from '../../broker/client-handler.ts';
import type { Receipt } from '../../broker/client-handlers.ts';
import { type Identity, lockBehind, type Registered } from '../../domain/locks/identity.ts';
import type { Lock, LockId } from '../../domain/locks/lock.ts';
import { decideHubForward, decideHubPublish, decideHubSubscribe } from './access.ts';
import type { Presence } from './presence.ts';
import type { ReportReceiver } from './report-receiver.ts';
import type { ReportChannel, Topics } from './topics.ts';

export interface HubConnection extends LoggedIn {
  /** False after its own status said `offline`: then none of its locks is online. */
  isAvailable(): boolean;
}

export interface HubConnectionOptions {
  readonly topics: Topics;
  readonly locks: Registered['locks'];
  readonly hubPresence: Presence<HubConnection>;
  /** That of the locks: which connection each of them has now. */
  readonly presence: Presence<Connection>;
  readonly receiver: Pick<ReportReceiver, 'receive' | 'isUrgent'>;
  readonly intake: Intake;
}

/** Messages that a hub may have without PUBACK: 20 of events for each lock (Protocol 4.4), and room for all else. */
const underWayForOneLock = 20;
const underWayBesides = 64;

/** From here on the hub can be disconnected, also while its login is still under way. */
export function createHubConnection(
  { deviceId }: Extract<Identity, { kind: 'hub' }>,
  transport: Transport,
  { topics, locks, hubPresence, presence, receiver, intake }: HubConnectionOptions,
): HubConnection {
  const channels = new Map<LockId, Connection>();
  let available = true;

  const bound = (lockDevice: Parameters<typeof lockBehind>[2]): Lock | undefined => lockBehind(locks, deviceId, lockDevice);

  /** The lock's connection within this one; a new one, without a session, when the last was ended (Protocol 5.4 rule 3). */
  function channelOf(lock: Lock): Connection {
    const open = channels.get(lock.lockId);
    if (open !== undefined && presence.isCurrent(open)) return open;
    const channel: Connection = {
      lockId: lock.lockId,
      deviceId: lock.deviceId,
      publish(topic, payload) {
        if (presence.isCurrent(channel)) transport.publish(topic, payload);
      },
      // The hub and its other locks stay.
      close: (reason) => void presence.end(channel, reason),
      reconnect: (reason) => hub.close(reason),
      isUrgent: () => hub.isUrgent(),
    };
    channels.set(lock.lockId, channel);
    presence.register(channel);
    return channel;
  }

  function endChannels(reason: string): void {
    for (const channel of channels.values()) channel.close(reason);
    channels.clear();
  }

  function ownStatus(payload: Buffer): Receipt {
    const text = payload.toString('utf8');
    if (text === 'online') available = true;
    if (text === 'offline') {
      available = false;
      endChannels('its hub is offline');
    }
    return 'acknowledge';
  }

  function lockMessage(lock: Lock, channel: ReportChannel, payload: Buffer): Receipt | Promise<Receipt> {
    // Events count whether or not a lock is online; all else would put one online behind a hub that is not.
    if (!available && channel !== 'events') return 'acknowledge';
    return receiver.receive(channelOf(lock), channel, payload);
  }

  const hub: HubConnection & Speaking = {
    deviceId,
    isAvailable: () => available,
    isCurrent: () => hubPresence.isCurrent(hub),
    isUrgent: () => [...channels.values()].some(receiver.isUrgent),
    take: (packet, callback) => inbound.take(packet, callback),
    open(topic) {
      const decision = decideHubPublish(deviceId, topic, topics, bound);
      if (!decision.allow) return decision;
      if (decision.lock === undefined) return { allow: true, mayRetain: true, receive: ownStatus };
      const { lock, channel, mayRetain } = decision;
      return { allow: true, mayRetain, receive: (payload) => lockMessage(lock, channel, payload) };
    },
    maxUnderWay: () => underWayBesides + underWayForOneLock * channels.size,
    maySubscribe: (filter) => decideHubSubscribe(filter, topics, bound),
    mayReceive: (topic) => decideHubForward(topic, topics, bound),
    ended(reason) {
      if (!hubPresence.end(hub, reason)) return;
      endChannels(reason);
      inbound.end();
    },
    close(reason) {
      hub.ended(reason);
      transport.close();
    },
  };
  const inbound = new WayIn(hub, transport, intake);
  hubPresence.register(hub);
  return hub;
}
