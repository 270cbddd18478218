// A device of another make as the broker's client: it speaks for its own lock, on its own topics, and for nobody else.
import type {
  ClientConnection,
  ClientHandler,
  ConnectRequest,
  PublishFlags,
  Receipt,
  SubscribeDecision,
} from '../broker/client-handlers.ts';
import type { DeviceId, Lock, LockId } from '../domain/locks/lock.ts';
import type { LockSession } from '../domain/locks/lock-link.ts';
import type { CaptureTap, WireLine } from './capture-tap.ts';
import type { DeviceKind, DeviceProtocol } from './device-protocol.ts';
import { LockOverProtocol } from './protocol-session.ts';
import type { ProtocolSessionOptions } from './session-host.ts';
import { matchesFilter } from './topic-filter.ts';

/** What all clients of one kind share. */
export interface DeviceClientOptions extends Pick<ProtocolSessionOptions, 'clock' | 'reports' | 'records'> {
  readonly kind: DeviceKind<object>;
  readonly captures: CaptureTap;
  /** The lock has not been removed, given another password or other settings since. */
  isStill(lock: Lock): boolean;
  capabilities: (lockId: LockId, changed: Parameters<ProtocolSessionOptions['capabilities']>[0]) => void;
  ended(client: DeviceClient): void;
  /** It spoke of a topic that is not its own. */
  droppedForeign(): void;
  onBug(lockId: LockId, error: unknown): void;
}

/** A longer silence is never waited for. */
const longestKeepAliveSeconds = 300;
/** A device with a long log tells all of it at once. */
const mostUnderWay = 1_000;
/** A command is never sent twice, so nothing is gained by a receipt of it. */
const commandQos = 0;

/** A class, for its methods are shared: there are thousands. */
export class DeviceClient implements ClientHandler {
  readonly lockId: LockId;
  readonly clientId: string;
  readonly keepAliveSeconds: number;
  readonly usesTcpKeepAlive: boolean;
  /** A device knows no expiry: what it has not got by the end, it must not get at all. */
  readonly endsByReset = true;
  readonly #lock: Lock;
  readonly #connection: ClientConnection;
  readonly #options: DeviceClientOptions;
  readonly #protocol: DeviceProtocol;
  readonly #spoken: LockOverProtocol;
  readonly #prefixes: readonly string[];
  /** Of the topics of its commands, those that it has not subscribed to yet. */
  #unheard: readonly string[];
  #hasBegun = false;

  /** `own`: the options of the lock, as its kind checks them. */
  constructor(lock: Lock, own: object, request: ConnectRequest, connection: ClientConnection, options: DeviceClientOptions) {
    const { kind } = options;
    const { lockId, deviceId } = lock;
    this.lockId = lockId;
    this.clientId = `${kind.kind}/${deviceId}`;
    this.keepAliveSeconds = Math.min(request.keepalive ?? 0, longestKeepAliveSeconds);
    this.usesTcpKeepAlive = this.keepAliveSeconds === 0;
    this.#lock = lock;
    this.#connection = connection;
    this.#options = options;
    this.#prefixes = kind.prefixes(own, deviceId);
    this.#unheard = kind.commandTopics(own, deviceId);
    this.#protocol = kind.create({ deviceId, options: own });
    this.#spoken = new LockOverProtocol({
      ...{ lockId, clock: options.clock, reports: options.reports, records: options.records, protocol: this.#protocol },
      publish: (topic, payload) => this.#publish(topic, payload),
      isSilent: () => this.#silence(),
      onDeadline: () => connection.reset('it did not answer in time'),
      capabilities: (changed) => options.capabilities(lockId, changed),
      onBug: (error) => this.#broken(error),
    });
    this.#capture(() => ({ from: 'device', connect: loginOf(request) }));
  }

  get isEncrypted(): boolean {
    return this.#connection.isEncrypted;
  }
  identity(): { readonly lockId: LockId; readonly deviceId: DeviceId } {
    return { lockId: this.lockId, deviceId: this.#lock.deviceId };
  }
  session(): LockSession | undefined {
    return this.#spoken.session();
  }
  close(reason: string): void {
    this.#connection.close(reason);
  }

  isWelcome(): boolean {
    return this.#options.isStill(this.#lock);
  }
  isUrgent(): boolean {
    return this.#spoken.isWaiting();
  }
  maxUnderWay(): number {
    return mostUnderWay;
  }

  authorizeSubscribe(filter: string): SubscribeDecision {
    return this.#isOwn(filter) ? { allow: true } : { allow: false, reason: 'foreign-topic' };
  }
  mayReceive(topic: string): boolean {
    return this.#isOwn(topic);
  }

  onSubscribed(filter: string): void {
    if (this.#hasBegun) return;
    this.#unheard = this.#unheard.filter((topic) => !matchesFilter(filter, topic));
    if (this.#unheard.length > 0) return;
    this.#hasBegun = true;
    void this.#spoken.apply(() => this.#protocol.begin(this.#options.clock.now()));
  }

  onPublish(topic: string, payload: Buffer, { qos, retain }: PublishFlags): Receipt | Promise<Receipt> {
    this.#capture(() => ({ from: 'device', topic, qos, retain, payload: payload.toString() }));
    if (!this.#isOwn(topic)) {
      // A device may tell others of itself: it is never closed for that, and nobody hears it.
      this.#options.droppedForeign();
      return 'acknowledge';
    }
    return this.#spoken.apply(() => this.#protocol.hear({ topic, payload, isHistory: false }, this.#options.clock.now()));
  }

  onClose(reason: string): void {
    this.#spoken.end(reason);
    this.#options.ended(this);
  }

  #isOwn(topic: string): boolean {
    return this.#prefixes.some((prefix) => topic.startsWith(prefix));
  }

  #publish(topic: string, payload: string): void {
    this.#capture(() => ({ from: 'gateway', topic, qos: commandQos, retain: false, payload }));
    this.#connection.publish(topic, payload, commandQos);
  }

  /** While its keep alive is 0, TCP proves that it is there. */
  #silence(): string | undefined {
    const isSilent = !this.usesTcpKeepAlive && this.#connection.silentMs() > this.keepAliveSeconds * 1_000;
    return isSilent ? 'the lock was silent for longer than its keep alive' : undefined;
  }

  #broken(error: unknown): void {
    this.#options.onBug(this.lockId, error);
    this.#connection.close('a message could not be handled');
  }

  #capture(line: () => WireLine): void {
    const { captures, kind } = this.#options;
    if (captures.isOn(kind.kind)) captures.heard(kind.kind, this.lockId, line());
  }
}

function loginOf({ clientId, keepalive = 0, clean = true, will }: ConnectRequest) {
  const { topic = '', qos = 0, retain = false, payload = '' } = will ?? {};
  return {
    clientId,
    keepAlive: keepalive,
    clean,
    will: will === undefined ? null : { topic, qos, retain, payload: payload.toString() },
  };
}
