// One object for each connection, from accept to close. What comes in goes this way:
//   bytes -> packet filter -> PUBLISH by the fast path, all else by aedes -> client handler -> ordered acks -> write buffer
import { type Origin, originOf } from '../domain/origin.ts';
import { type ByteStream, bytesCome, destroyByReset, endByReset, isEncrypted, probeByTcp } from './byte-stream.ts';
import type {
  Authentication,
  ClientConnection,
  ClientHandler,
  ConnectRequest,
  ListenerName,
  SubscribeDecision,
} from './client-handlers.ts';
import type { ConnectionServices } from './connection-services.ts';
import { type InboundPacket, InboundPipeline } from './inbound-pipeline.ts';
import type { KeepAlive } from './keep-alive.ts';
import { connectionOver } from './login-rejections.ts';
import { PacketFilter } from './packet-filter.ts';
import type { PacketRejection } from './packet-rejections.ts';
import { ReadSlot } from './read-scheduler.ts';
import { Subscriptions } from './subscriptions.ts';
import { WriteBuffer } from './write-buffer.ts';

/** A class, for its methods are shared: there are thousands, and most of them idle. */
export class Connection implements ClientConnection {
  readonly stream: ByteStream;
  readonly origin: Origin;
  readonly listener: ListenerName;
  readonly isEncrypted: boolean;
  readonly isRelayed: boolean;
  /** The client of aedes, once the first packet is there. */
  reader: { close(): void } | undefined;
  /** For the connection table. */
  hasPlace = false;
  readonly #services: ConnectionServices;
  readonly #readSlot: ReadSlot;
  readonly #filter: PacketFilter;
  /** Once it has logged in. */
  #client: ClientHandler | undefined;
  #inbound: InboundPipeline | undefined;
  #keepAlive: KeepAlive | undefined;
  /** Of a client that is sent nothing else. */
  #subscriptions: Subscriptions | undefined;
  /** Not before something is sent to it. */
  #writeBuffer: WriteBuffer | undefined;
  #isOver = false;

  constructor(stream: ByteStream, services: ConnectionServices, listener: ListenerName) {
    this.stream = stream;
    this.listener = listener;
    this.isEncrypted = isEncrypted(stream);
    this.isRelayed = stream.relayed !== undefined;
    this.origin = originOf(stream.remoteAddress);
    this.#services = services;
    this.#readSlot = new ReadSlot(this, services.reads);
    this.#filter = new PacketFilter(stream, services, this, this.#readSlot);
  }

  // The login: a CONNECT, whether the client is still welcome, the CONNACK.

  /** Decides about its CONNECT; when that is a yes, it is a client from now on, and is closed when it falls silent. */
  login(request: ConnectRequest): Authentication {
    // A CONNECT may wait in the buffers of a connection that has ended. Nothing would ever end the client that it makes.
    if (this.#isOver || !this.mayServe()) return connectionOver;
    const answer = this.#services.handlers.authenticate(request, this);
    if (!answer.allow) return answer;
    const { client } = answer;
    this.#client = client;
    this.#inbound = new InboundPipeline(client, this, this.#services);
    if (client.onSubscribed !== undefined) this.#subscriptions = new Subscriptions();
    if (client.endsByReset) endByReset(this.stream);
    if (client.usesTcpKeepAlive) probeByTcp(this.stream);
    else this.#keepAlive = this.#services.keepAlives.watch(this, client.keepAliveSeconds ?? request.keepalive ?? 0);
    return answer;
  }

  isWelcome(): boolean {
    return this.#client?.isWelcome() ?? false;
  }

  /** Its CONNACK has gone out. */
  admit(): void {
    this.#filter.admit();
  }

  /** Aedes has handled all that it has of this client: PUBLISHes with QoS 0 and 1 come by the fast path from now on. */
  openFastPath(): void {
    this.#filter.openFastPath();
  }

  // What the client says.

  /** False when the connection is over with it. `goOn`: for QoS 2, called when aedes may go on with its handshake. */
  takePublish(packet: InboundPacket, goOn?: () => void): boolean {
    // What an ended connection still has in its buffers counts no more: the client may be connected anew.
    const isTaken = this.mayServe() && (this.#inbound?.take(packet, goOn) ?? false);
    if (!isTaken) this.#closeStream();
    return isTaken;
  }

  authorizeSubscribe(filter: string, qos: 0 | 1 | 2): SubscribeDecision {
    let decision = this.#client?.authorizeSubscribe(filter) ?? { allow: false, reason: 'not connected' };
    if (decision.allow && this.#subscriptions?.add(filter, qos) === false) decision = { allow: false, reason: 'too-many-filters' };
    if (!decision.allow) this.#services.stats.subscriptionRejected(this.identity(), decision.reason);
    return decision;
  }

  onSubscribed(filter: string): void {
    if (this.isOpen()) this.#client?.onSubscribed?.(filter);
  }

  onUnsubscribed(filters: readonly string[]): void {
    for (const filter of filters) this.#subscriptions?.remove(filter);
  }

  acknowledge(messageIds: readonly number[]): void {
    if (this.mayServe()) this.#buffer().acknowledge(messageIds);
  }

  onPublishRejected(reason: string): void {
    this.#services.stats.publishRejected(this.identity(), reason);
    this.close(`illegal publish: ${reason}`);
  }

  onPublishFailed(error: unknown): void {
    this.#services.stats.publishFailed(this.identity(), error);
    this.close('a message could not be handled');
  }

  // What it is sent. Commands and PUBACKs go out past aedes, which needs several writes and turns of the event loop for each.

  publish(topic: string, payload: string, qos: 0 | 1 = 1): void {
    if (!this.mayServe()) return;
    const granted = this.#subscriptions === undefined ? qos : this.#subscriptions.grantedFor(topic);
    if (!this.isOpen() || granted === undefined || !this.#client?.mayReceive(topic)) {
      this.#services.stats.deliveryWithheld();
      return;
    }
    // What it answers is read before what others say.
    this.#readSlot.prioritize();
    this.#buffer().publish(topic, payload, granted === 0 ? 0 : qos);
  }

  /** False, and the connection is over, for a process that stood still while its lease ended: another one serves this client now. */
  mayServe(): boolean {
    if (this.#services.lease.leftMs() > 0) return true;
    this.close('the lease of this node is over');
    return false;
  }

  #buffer(): WriteBuffer {
    this.#writeBuffer ??= new WriteBuffer(this, this.#services);
    return this.#writeBuffer;
  }

  onStuck(): void {
    this.#services.stats.readerStuck(this.identity());
    this.close('it does not read');
  }

  // Its reads, and its silence.

  isUrgent(): boolean {
    return this.#client?.isUrgent() ?? false;
  }

  resume(): void {
    this.stream.emit('readable');
  }

  onPaused(): void {
    this.#services.stats.readPaused();
  }

  bytesCome(): number {
    return bytesCome(this.stream);
  }

  isHeldUp(): boolean {
    return this.stream.readableLength > 0;
  }

  onSilent(): void {
    this.breakOff('keep alive timeout');
    this.#closeStream();
  }

  silentMs(): number {
    return this.#filter.silentMs();
  }

  // Its end.

  /** The packet filter ends it, or there is no room for it. */
  reject(reason: PacketRejection): void {
    this.#filter.reject(reason);
  }

  onRejected(reason: PacketRejection): void {
    this.#services.stats.packetRejected(this.origin, this.identity(), reason);
  }

  isOpen(): boolean {
    return !this.#isOver;
  }

  close(reason: string): void {
    this.#end(reason);
    this.#closeStream();
  }

  reset(reason: string): void {
    this.#end(reason);
    destroyByReset(this.stream);
    this.#closeStream();
  }

  /** Aedes has ended it, or it is silent; unless that is the echo of an end that is known already. */
  breakOff(reason: string): void {
    if (this.#isOver) return;
    this.#services.stats.brokeOff(reason);
    this.#services.log.debug({ ...this.identity(), reason }, 'A connection broke off.');
    this.#end(reason);
  }

  /** The stream has closed: no timer is left. */
  onClosed(): void {
    this.#keepAlive?.leave();
    this.#readSlot.leave();
    this.#filter.end();
    this.#end('the connection was closed');
  }

  /** What hangs on the login ends, once: whatever comes of it later completes nothing. */
  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      this.#client?.onClose(reason);
    } catch (error) {
      // The end of a connection must be complete whatever its client handler makes of it: a takeover waits for it.
      this.#services.log.error({ code: 'bug', ...this.identity(), err: error }, 'The end of a connection was not handled.');
    }
    this.#inbound?.end();
    this.#writeBuffer?.end();
  }

  #closeStream(): void {
    if (this.reader === undefined) this.stream.destroy();
    else this.reader.close();
  }

  /** For the log. */
  identity(): { readonly deviceId?: string } {
    return this.#client?.identity() ?? {};
  }
}
