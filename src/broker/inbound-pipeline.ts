// The PUBLISHes of one client on their way in: handed over in the order of arrival, acknowledged in the same order, and only when
// the client handler says so (Protocol 3 and 4.4).
import type { ClientHandler, PublishFlags, PublishRejection, Receipt } from './client-handlers.ts';
import { type Due, OrderedAcks, type OrderedAcksOptions } from './ordered-acks.ts';

/** A PUBLISH as aedes or the fast path holds it; what is changed here is what aedes goes on with. */
export interface InboundPacket {
  readonly topic: string;
  payload: Buffer | string;
  readonly messageId?: number;
  qos: 0 | 1 | 2;
  readonly retain: boolean;
}

/** The connection. */
interface Owner {
  /** PUBACKs are due, in this order. */
  acknowledge(messageIds: readonly number[]): void;
  /** An illegal publish, or too many messages under way: closes the connection. */
  onPublishRejected(reason: string): void;
  /** The handling threw, rejected or took too long: closes the connection. */
  onPublishFailed(error: unknown): void;
}

/** A lock has at most 20 event messages under way (Protocol 4.4); this leaves room for all else, and bounds the memory one can take. */
export const usualUnderWay = 64;
/**
 * So many for each of them may be handled, and wait only because the PUBACK of an event goes before theirs: each is no more than its number. A
 * door that is used six times a second while the database is away says a dozen of them a second.
 */
export const behindEach = 16;
/** Made once, and not for each message: by `qos`, then by `retain`. */
const publishFlags = ([0, 1, 2] as const).map((qos) => [false, true].map((retain): PublishFlags => ({ qos, retain })));
const tooManyUnderWay: PublishRejection = { allow: false, reason: 'too-many-under-way' };

/** A class, for its methods are shared: there are thousands, and most of them idle. */
export class InboundPipeline {
  readonly #client: Pick<ClientHandler, 'maxUnderWay' | 'onPublish'>;
  readonly #owner: Owner;
  readonly #options: OrderedAcksOptions;
  /** Not before something is waited for. */
  #acks: OrderedAcks | undefined;
  #isOver = false;

  constructor(client: Pick<ClientHandler, 'maxUnderWay' | 'onPublish'>, owner: Owner, options: OrderedAcksOptions) {
    this.#client = client;
    this.#owner = owner;
    this.#options = options;
  }

  /**
   * False when the connection is over with this packet. PUBACKs are taken from aedes (QoS 0) and sent from here when they are due, so that
   * it reads on at once: a reply or a ping behind events must not wait for the disk. A packet with QoS 2 stays with aedes, which keeps its
   * handshake: `goOn` is called when the receipt is there.
   */
  take(packet: InboundPacket, goOn?: () => void): boolean {
    if (this.#isOver) return false;
    const { topic, payload, qos, retain, messageId } = packet;
    const waiting = this.#acks?.size() ?? 0;
    let receipt: Receipt | Promise<Receipt> | PublishRejection;
    try {
      const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
      const flags = publishFlags[qos]?.[Number(retain)] as PublishFlags;
      receipt = waiting === 0 || this.#hasRoom(waiting) ? this.#client.onPublish(topic, bytes, flags) : tooManyUnderWay;
    } catch (error) {
      this.fail(error);
      return false;
    }
    if (typeof receipt === 'object' && 'allow' in receipt) {
      this.#owner.onPublishRejected(receipt.reason);
      return false;
    }
    if (qos !== 2) packet.qos = 0;
    // Nothing of the packet is held on to until its PUBACK is due.
    const due: Due = {
      messageIds: qos === 1 && messageId !== undefined ? [messageId] : [],
      goOn: qos === 2 ? goingOn(packet, goOn) : undefined,
    };
    if (!(receipt instanceof Promise) && waiting === 0) this.answer(receipt, due);
    else {
      this.#acks ??= new OrderedAcks(this, this.#options);
      this.#acks.add(receipt, payload.length, due);
      // The client handler may have closed the connection meanwhile.
      if (this.#isOver) this.#acks.end();
    }
    return true;
  }

  #hasRoom(waiting: number): boolean {
    const unhandled = this.#acks?.unhandled() ?? 0;
    const most = this.#client.maxUnderWay?.() ?? usualUnderWay;
    return unhandled < most && waiting - unhandled < behindEach * most;
  }

  /** The connection has ended: nothing is acknowledged any more, and all timers end. Whatever comes of it later completes nothing. */
  end(): void {
    this.#isOver = true;
    this.#acks?.end();
  }

  /** The receipt is there, and all before it are answered. */
  answer(receipt: Receipt, { messageIds, goOn }: Due): void {
    if (this.#isOver) return;
    try {
      if (goOn !== undefined) goOn(receipt);
      else if (receipt === 'acknowledge' && messageIds.length > 0) this.#owner.acknowledge(messageIds);
    } catch (error) {
      // Aedes goes on within `goOn`: what it throws must not end the process (Fault T15).
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.end();
    this.#owner.onPublishFailed(error);
  }
}

const nothing = Buffer.alloc(0);

function goingOn(packet: InboundPacket, goOn: (() => void) | undefined): (receipt: Receipt) => void {
  return (receipt) => {
    if (receipt === 'leave') packet.qos = 0;
    // It has arrived, and aedes holds the packet until the PUBREL: twenty of each client (Fault T12).
    packet.payload = nothing;
    goOn?.();
  };
}
