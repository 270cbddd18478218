// The connection of a lock with a login of its own: it speaks for itself and for nobody else (Protocol 3).

import { type Intake, type LoggedIn, type Speaking, type Transport, WayIn } from '../../broker/client.ts';
import type { Connection } from '../../broker/client-handler.ts';
import type { SubscribeDecision } from '../../broker/client-handlers.ts';
import type { InboundPacket, Opened } from '../../broker/inbound-pipeline.ts';
import type { Identity } from '../../domain/locks/identity.ts';
import type { DeviceId, LockId } from '../../domain/locks/lock.ts';
import { decideForward, decidePublish, decideSubscribe } from './access.ts';
import type { Presence } from './presence.ts';
import type { ReportReceiver } from './report-receiver.ts';
import type { Topics } from './topics.ts';

export interface LockConnection extends Connection, LoggedIn {
  readonly lockId: LockId;
}

type LockIdentity = Extract<Identity, { kind: 'lock' }>;

export interface LockConnectionOptions {
  readonly topics: Topics;
  readonly presence: Presence<Connection>;
  readonly receiver: Pick<ReportReceiver, 'receive' | 'isUrgent'>;
  readonly intake: Intake;
}

/** A class, for its methods are shared: there are thousands, and as functions of their own they would be half of what each takes. */
class OwnConnection implements LockConnection, Speaking {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly #identity: LockIdentity;
  readonly #transport: Transport;
  readonly #options: LockConnectionOptions;
  readonly #wayIn: WayIn;

  constructor(identity: LockIdentity, transport: Transport, options: LockConnectionOptions) {
    this.lockId = identity.lockId;
    this.deviceId = identity.deviceId;
    this.#identity = identity;
    this.#transport = transport;
    this.#options = options;
    this.#wayIn = new WayIn(this, transport, options.intake);
  }

  publish(topic: string, payload: string): void {
    this.#transport.publish(topic, payload);
  }

  take(packet: InboundPacket, callback: (error?: Error) => void): void {
    this.#wayIn.take(packet, callback);
  }

  isCurrent(): boolean {
    return this.#options.presence.isCurrent(this);
  }

  isUrgent(): boolean {
    return this.#options.receiver.isUrgent(this);
  }

  maySubscribe(filter: string): SubscribeDecision {
    return decideSubscribe(this.#identity, filter, this.#options.topics);
  }

  mayReceive(topic: string): boolean {
    return decideForward(this.#identity, topic, this.#options.topics);
  }

  ended(reason: string): void {
    if (this.#options.presence.end(this, reason)) this.#wayIn.end();
  }

  close(reason: string): void {
    this.ended(reason);
    this.#transport.close();
  }

  reconnect(reason: string): void {
    this.close(reason);
  }

  open(topic: string): Opened {
    const { topics, receiver } = this.#options;
    const decision = decidePublish(this.#identity, topic, topics);
    if (!decision.allow) return decision;
    const { channel, mayRetain } = decision;
    return { allow: true, mayRetain, receive: (payload) => receiver.receive(this, channel, payload) };
  }
}

/** From here on the lock can be disconnected, also while its login is still under way. */
export function createLockConnection(identity: LockIdentity, transport: Transport, options: LockConnectionOptions): LockConnection {
  const connection = new OwnConnection(identity, transport, options);
  options.presence.register(connection);
  return connection;
}
