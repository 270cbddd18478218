// A device that waits to be paired, as the broker's client (Protocol 7). It can say hello and receives nothing; no part of it
// knows the locks, their presence or their sessions, so that nothing it says can touch one.
import type { ClientConnection, ClientHandler } from '../../broker/client-handlers.ts';
import { decode } from '../payload.ts';
import { decidePendingPublish, type UnknownDevice } from './access.ts';
import { helloMessage } from './messages.ts';
import type { NativePairing, PairingRefusal } from './pairing-service.ts';
import type { Topics } from './topics.ts';

export interface PendingDeviceOptions {
  readonly topics: Topics;
  readonly pairing: Pick<NativePairing, 'arrive'>;
  /** A name of ours: with its own it would take over the session of the lock that is registered under it (Fault T11). */
  readonly clientId: string;
}

/** The client, or why there is no room for it. */
export function createPendingDevice(
  { deviceId, keyHash }: UnknownDevice,
  connection: ClientConnection,
  { topics, pairing, clientId }: PendingDeviceOptions,
): ClientHandler | PairingRefusal {
  const { address } = connection.origin;
  const session = pairing.arrive({ deviceId, keyHash, address }, (reason) => connection.close(reason));
  if (typeof session === 'string') return session;
  return {
    clientId,
    identity: () => ({ deviceId }),
    isWelcome: () => connection.isOpen(),
    isUrgent: () => false,
    authorizeSubscribe: () => ({ allow: false, reason: 'not-paired' }),
    mayReceive: () => false,
    onPublish(topic, payload) {
      const decision = decidePendingPublish(deviceId, topic, topics);
      if (!decision.allow) return decision;
      const message = decision.channel === 'hello' ? decode(payload, helloMessage) : undefined;
      if (message?.ok) {
        const { protocol: _protocol, session: _session, uptime: _uptime, features: _features, limits: _limits, ...report } = message.value;
        session.hello(report);
      }
      return 'acknowledge';
    },
    onClose: session.ended,
  };
}
