// The connection of a device that waits to be paired (Protocol 7). It can say hello and receives nothing; no part of it
// knows the locks, their presence or their sessions, so that nothing it says can touch one.

import { type Intake, type LoggedIn, type Speaking, type Transport, WayIn } from '../../broker/client.ts';
import type { PairingRefusal, PairingService, Visit } from '../../domain/locks/pairing-service.ts';
import { decidePendingPublish, type Newcomer } from './access.ts';
import { helloMessage } from './messages.ts';
import { decode } from './payload.ts';
import type { Topics } from './topics.ts';

export interface PendingConnectionOptions {
  readonly topics: Topics;
  readonly pairing: Pick<PairingService, 'arrive'>;
  readonly intake: Intake;
}

/** The connection, or why there is no room for it. */
export function createPendingConnection(
  { deviceId, keyHash }: Newcomer,
  address: string,
  transport: Transport,
  { topics, pairing, intake }: PendingConnectionOptions,
): LoggedIn | PairingRefusal {
  let visit: Visit | undefined;

  const connection: Speaking = {
    deviceId,
    isCurrent: () => visit !== undefined,
    isUrgent: () => false,
    take: (packet, callback) => inbound.take(packet, callback),
    open(topic) {
      const decision = decidePendingPublish(deviceId, topic, topics);
      if (!decision.allow) return decision;
      return {
        allow: true,
        mayRetain: false,
        receive(payload) {
          const message = decision.channel === 'hello' ? decode(payload, helloMessage) : undefined;
          if (message?.ok) {
            const { protocol: _protocol, session: _session, uptime: _uptime, ...report } = message.value;
            visit?.hello(report);
          }
          return 'acknowledge';
        },
      };
    },
    maySubscribe: () => ({ allow: false, reason: 'not-paired' }),
    mayReceive: () => false,
    ended() {
      visit?.ended();
      visit = undefined;
      inbound.end();
    },
    close(reason) {
      connection.ended(reason);
      transport.close();
    },
  };
  const inbound = new WayIn(connection, transport, intake);
  const arrived = pairing.arrive({ deviceId, keyHash, address }, (reason) => connection.close(reason));
  if (typeof arrived === 'string') return arrived;
  visit = arrived;
  return connection;
}
