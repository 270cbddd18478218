// One object for each connection, from accept to close. What comes in goes this way:
//   bytes -> packet filter -> PUBLISH by the fast path, all else by aedes -> client handler -> ordered acks -> write buffer
import type { Duplex } from 'node:stream';
import { type Origin, originOf } from '../domain/origin.ts';
import type { Log } from '../domain/part.ts';
import type { StatsRecorder } from './broker-stats.ts';
import type {
  Authentication,
  ClientConnection,
  ClientHandler,
  ClientHandlers,
  ConnectRequest,
  SubscribeDecision,
} from './client-handlers.ts';
import { type InboundPacket, InboundPipeline } from './inbound-pipeline.ts';
import type { KeepAlive, KeepAliveWatch } from './keep-alive.ts';
import type { OrderedAcksOptions } from './ordered-acks.ts';
import { publishPacket } from './outgoing-packets.ts';
import { PacketFilter, type PacketFilterOptions } from './packet-filter.ts';
import type { PacketRejection } from './packet-rejections.ts';
import { type ReadScheduler, ReadSlot } from './read-scheduler.ts';
import { WriteBuffer, type WriteBufferOptions } from './write-buffer.ts';

/** What a client says and is sent; where it comes from, when that is known. */
export type ByteStream = Duplex & {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  /** What it comes in on, when that is not the stream itself: counts bytes of which the stream has nothing yet. */
  readonly wire?: { readonly bytesRead: number };
  readonly bytesRead?: number;
};

/** The same for all connections. */
export interface ConnectionServices extends PacketFilterOptions, OrderedAcksOptions, WriteBufferOptions {
  readonly clock: PacketFilterOptions['clock'];
  readonly handlers: ClientHandlers;
  readonly reads: ReadScheduler;
  readonly keepAlives: KeepAliveWatch;
  readonly stats: StatsRecorder;
  readonly log: Log;
}

/** [MQTT-2.3.1-1]; at most 16 commands wait for a lock, so that a number is free again long before it comes round. */
const maxMessageId = 0xffff;

/** A class, for its methods are shared: there are thousands, and most of them idle. */
export class Connection implements ClientConnection {
  readonly stream: ByteStream;
  readonly origin: Origin;
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
  /** Not before something is sent to it. */
  #writeBuffer: WriteBuffer | undefined;
  #messageId = 0;
  #isOver = false;

  constructor(stream: ByteStream, services: ConnectionServices) {
    this.stream = stream;
    this.origin = originOf(stream.remoteAddress);
    this.#services = services;
    this.#readSlot = new ReadSlot(this, services.reads);
    this.#filter = new PacketFilter(stream, services, this, this.#readSlot);
  }

  // The login: a CONNECT, whether the client is still welcome, the CONNACK.

  /** Decides about its CONNECT; when that is a yes, it is a client from now on, and is closed when it falls silent. */
  login(request: ConnectRequest): Authentication {
    const answer = this.#services.handlers.authenticate(request, this);
    if (!answer.allow) return answer;
    this.#client = answer.client;
    this.#inbound = new InboundPipeline(answer.client, this, this.#services);
    this.#keepAlive = this.#services.keepAlives.watch(this, request.keepalive ?? 0);
    return answer;
  }

  isWelcome(): boolean {
    return this.#client?.isWelcome() ?? false;
  }

  /** The CONNACK that accepts this client has gone out. */
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
    const isTaken = this.#inbound?.take(packet, goOn) ?? false;
    if (!isTaken) this.#closeStream();
    return isTaken;
  }

  authorizeSubscribe(filter: string): SubscribeDecision {
    const decision = this.#client?.authorizeSubscribe(filter) ?? { allow: false, reason: 'not connected' };
    if (!decision.allow) this.#services.stats.subscriptionRejected(this.identity(), decision.reason);
    return decision;
  }

  acknowledge(messageIds: readonly number[]): void {
    this.#buffer().acknowledge(messageIds);
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

  publish(topic: string, payload: string): void {
    if (!this.isOpen() || !this.#client?.mayReceive(topic)) {
      this.#services.stats.deliveryWithheld();
      return;
    }
    // What it answers is read before what others say.
    this.#readSlot.prioritize();
    this.#messageId = (this.#messageId % maxMessageId) + 1;
    this.#buffer().send(publishPacket(topic, payload, this.#messageId));
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
    return (this.stream.wire ?? this.stream).bytesRead ?? 0;
  }

  isHeldUp(): boolean {
    return this.stream.readableLength > 0;
  }

  onSilent(): void {
    this.#brokeOff('keep alive timeout');
    this.close('keep alive timeout');
  }

  // Its end.

  /** The packet filter ends it, or there is no room for it. */
  reject(reason: PacketRejection): void {
    this.#filter.reject(reason);
  }

  evict(): void {
    this.reject('gave-way');
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

  /** Aedes has ended it; unless that is the echo of an end that is known already. */
  onReaderError(reason: string): void {
    if (this.#isOver) return;
    this.#brokeOff(reason);
    this.#end(reason);
  }

  #brokeOff(reason: string): void {
    this.#services.stats.brokeOff(reason);
    this.#services.log.debug({ ...this.identity(), reason }, 'A connection broke off.');
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
