// A lock with a login of its own, as the broker's client: it speaks for itself and for nobody else (Protocol 3).
import type { ClientConnection, ClientHandler, PublishRejection, Receipt, SubscribeDecision } from '../../broker/client-handlers.ts';
import type { DeviceId, LockId } from '../../domain/locks/lock.ts';
import { decideForward, decidePublish, decideSubscribe } from './access.ts';
import type { Identity } from './identity.ts';
import type { LockLine } from './lock-line.ts';
import type { Presence } from './presence.ts';
import type { ReportReceiver } from './report-receiver.ts';
import type { Topics } from './topics.ts';

type LockIdentity = Extract<Identity, { kind: 'lock' }>;

export interface LockClientOptions {
  readonly topics: Topics;
  readonly presence: Presence<LockLine>;
  readonly receiver: Pick<ReportReceiver, 'receive' | 'isUrgent'>;
  /** The identity has not been removed or changed since. */
  readonly isStill: (identity: Identity) => boolean;
}

/** A class, for its methods are shared: there are thousands. */
export class LockClient implements LockLine, ClientHandler {
  readonly lockId: LockId;
  readonly deviceId: DeviceId;
  readonly #identity: LockIdentity;
  readonly #connection: ClientConnection;
  readonly #options: LockClientOptions;

  constructor(identity: LockIdentity, connection: ClientConnection, options: LockClientOptions) {
    this.lockId = identity.lockId;
    this.deviceId = identity.deviceId;
    this.#identity = identity;
    this.#connection = connection;
    this.#options = options;
  }

  get clientId(): string {
    return this.deviceId;
  }
  get isEncrypted(): boolean {
    return this.#connection.isEncrypted;
  }

  identity(): { readonly lockId: LockId; readonly deviceId: DeviceId } {
    return { lockId: this.lockId, deviceId: this.deviceId };
  }

  isWelcome(): boolean {
    return this.#options.isStill(this.#identity);
  }

  isUrgent(): boolean {
    return this.#options.receiver.isUrgent(this);
  }

  authorizeSubscribe(filter: string): SubscribeDecision {
    return decideSubscribe(this.#identity, filter, this.#options.topics);
  }

  mayReceive(topic: string): boolean {
    return decideForward(this.#identity, topic, this.#options.topics);
  }

  onPublish(topic: string, payload: Buffer): Receipt | Promise<Receipt> | PublishRejection {
    const { topics, receiver } = this.#options;
    const decision = decidePublish(this.#identity, topic, topics);
    return decision.allow ? receiver.receive(this, decision.channel, payload) : decision;
  }

  onClose(reason: string): void {
    this.#options.presence.end(this, reason);
  }

  publish(topic: string, payload: string): void {
    this.#connection.publish(topic, payload);
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  reconnect(reason: string): void {
    this.close(reason);
  }
}
