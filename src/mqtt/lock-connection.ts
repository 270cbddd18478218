// The connection of a lock with a login of its own: it speaks for itself and for nobody else (Protocol 3).
import type { Identity } from '../domain/identity.ts';
import type { LockId } from '../domain/lock.ts';
import { decideForward, decidePublish, decideSubscribe } from './access.ts';
import type { Connection } from './connection.ts';
import { createIntake, type Intake, type LoggedIn, type Transport } from './logged-in.ts';
import type { Presence } from './presence.ts';
import type { ReportReceiver } from './report-receiver.ts';
import type { Topics } from './topics.ts';

export interface LockConnection extends Connection, LoggedIn {
  readonly lockId: LockId;
}

export interface LockConnectionOptions {
  readonly topics: Topics;
  readonly presence: Presence<Connection>;
  readonly receiver: Pick<ReportReceiver, 'receive' | 'isUrgent'>;
  readonly intake: Intake;
}

/** From here on the lock can be disconnected, also while its login is still under way. */
export function createLockConnection(
  identity: Extract<Identity, { kind: 'lock' }>,
  transport: Transport,
  { topics, presence, receiver, intake }: LockConnectionOptions,
): LockConnection {
  const { lockId, deviceId } = identity;
  const connection: LockConnection = {
    ...{ lockId, deviceId, publish: transport.publish },
    isCurrent: () => presence.isCurrent(connection),
    isUrgent: () => receiver.isUrgent(connection),
    take: (packet, callback) => inbound.take(packet, callback),
    maySubscribe: (filter) => decideSubscribe(identity, filter, topics),
    mayReceive: (topic) => decideForward(identity, topic, topics),
    ended(reason) {
      if (presence.end(connection, reason)) inbound.end();
    },
    close(reason) {
      connection.ended(reason);
      transport.close();
    },
    reconnect: (reason) => connection.close(reason),
  };
  const inbound = createIntake(connection, transport, intake, (topic) => {
    const decision = decidePublish(identity, topic, topics);
    if (!decision.allow) return decision;
    const { channel, mayRetain } = decision;
    return { allow: true, mayRetain, receive: (payload) => receiver.receive(connection, channel, payload) };
  });
  presence.register(connection);
  return connection;
}
