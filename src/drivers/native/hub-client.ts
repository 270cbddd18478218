// A hub as the broker's client: it speaks for the locks bound to it, each with a session of its own (Protocol 8).
// Who is bound is asked anew at every message, so that an unbinding takes effect at once.
import type { ClientConnection, ClientHandler, Receipt } from '../../broker/client-handlers.ts';
import type { DeviceId, Lock, LockId } from '../../domain/locks/lock.ts';
import { decideHubForward, decideHubPublish, decideHubSubscribe } from './access.ts';
import { type Identity, lockBehind, type Registered } from './identity.ts';
import type { LockClientOptions } from './lock-client.ts';
import type { LockLine } from './lock-line.ts';
import type { Presence } from './presence.ts';
import type { ReportChannel } from './topics.ts';

export interface HubClient extends ClientHandler {
  readonly deviceId: DeviceId;
  /** False after its own status said `offline`: then none of its locks is online. */
  isAvailable(): boolean;
  close(reason: string): void;
}

export interface HubClientOptions extends LockClientOptions {
  readonly locks: Registered['locks'];
  readonly hubPresence: Presence<HubClient>;
}

/** Messages that a hub may have without PUBACK: 20 of events for each lock (Protocol 4.4), and room for all else. */
const underWayForOneLock = 20;
const underWayBesides = 64;

/** The client handler of one hub's connection. */
export function createHubClient(
  identity: Extract<Identity, { kind: 'hub' }>,
  connection: ClientConnection,
  { topics, locks, hubPresence, presence, receiver, isStill }: HubClientOptions,
): HubClient {
  const { deviceId } = identity;
  const lines = new Map<LockId, LockLine>();
  let available = true;

  const bound = (lockDevice: DeviceId): Lock | undefined => lockBehind(locks, deviceId, lockDevice);

  /** The lock's line within this connection; a new one, without a session, when the last was ended (Protocol 5.4 rule 3). */
  function lineOf(lock: Lock): LockLine {
    const open = lines.get(lock.lockId);
    if (open !== undefined && presence.isCurrent(open)) return open;
    const line: LockLine = {
      lockId: lock.lockId,
      deviceId: lock.deviceId,
      isEncrypted: connection.isEncrypted,
      publish(topic, payload) {
        if (presence.isCurrent(line)) connection.publish(topic, payload);
      },
      // The hub and its other locks stay.
      close: (reason) => void presence.end(line, reason),
      reconnect: (reason) => connection.close(reason),
      isUrgent: () => hub.isUrgent(),
    };
    lines.set(lock.lockId, line);
    presence.register(line);
    return line;
  }

  function endLines(reason: string): void {
    for (const line of lines.values()) line.close(reason);
    lines.clear();
  }

  function ownStatus(payload: Buffer): Receipt {
    const text = payload.toString('utf8');
    if (text === 'online') available = true;
    if (text === 'offline') {
      available = false;
      endLines('its hub is offline');
    }
    return 'acknowledge';
  }

  function lockMessage(lock: Lock, channel: ReportChannel, payload: Buffer): Receipt | Promise<Receipt> {
    // Events count whether or not a lock is online; all else would put one online behind a hub that is not.
    if (!available && channel !== 'events') return 'acknowledge';
    return receiver.receive(lineOf(lock), channel, payload);
  }

  const hub: HubClient = {
    deviceId,
    clientId: deviceId,
    identity: () => ({ deviceId }),
    isAvailable: () => available,
    isWelcome: () => isStill(identity),
    isUrgent: () => [...lines.values()].some(receiver.isUrgent),
    maxUnderWay: () => underWayBesides + underWayForOneLock * lines.size,
    authorizeSubscribe: (filter) => decideHubSubscribe(filter, topics, bound),
    mayReceive: (topic) => decideHubForward(topic, topics, bound),
    onPublish(topic, payload) {
      const decision = decideHubPublish(deviceId, topic, topics, bound);
      if (!decision.allow) return decision;
      return decision.lock === undefined ? ownStatus(payload) : lockMessage(decision.lock, decision.channel, payload);
    },
    onClose(reason) {
      if (hubPresence.end(hub, reason)) endLines(reason);
    },
    close: (reason) => connection.close(reason),
  };
  return hub;
}
