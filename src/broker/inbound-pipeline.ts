// The PUBLISHes of one connection on their way in: allowed or not, handed over in the order of arrival, acknowledged in the
// same order, and only when the receiver says so (Protocol 3 and 4.4, MQTT-4.6.0-2).

import type { Clock } from '../domain/ports.ts';
import type { Receipt } from './client-handlers.ts';
import { InOrder, type Place } from './ordered-acks.ts';

/** A PUBLISH as the broker holds it; what is changed here is what the broker goes on with. */
export interface InboundPacket {
  readonly topic: string;
  payload: Buffer | string;
  readonly messageId?: number;
  qos: 0 | 1 | 2;
  retain: boolean;
}

/** What becomes of a message on some topic: who takes it, or why it is illegal. */
export type Opened =
  | { readonly allow: true; readonly mayRetain: boolean; receive(payload: Buffer): Receipt | Promise<Receipt> }
  | { readonly allow: false; readonly reason: string };

/** The same for all connections. */
export interface InboundOptions {
  readonly clock: Clock;
  /** Longest wait for one message. */
  readonly timeoutMs: number;
  /** So many bytes wait for the disk, until the returned function is called. */
  hold(bytes: number): () => void;
}

/** The connection. */
export interface InboundOwner {
  open(topic: string): Opened;
  /** How many messages may be under way. */
  maxUnderWay(): number;
  /** PUBACKs are due, in this order. */
  acknowledge(messageIds: readonly number[]): void;
  /** An illegal publish, or too many messages under way: closes the connection. */
  onRefused(reason: string): void;
  /** The handling threw, rejected or took too long: closes the connection. */
  onFailed(error: unknown): void;
}

/** A lock has at most 20 event messages under way (Protocol 4.4); this leaves room for all else, and bounds the memory one can take. */
export const usualUnderWay = 64;

/** Messages that something comes before: their own flush, or another message. Those right behind one another with the same flush are one. */
interface UnderWay extends Place<UnderWay> {
  /** On the monotonic clock. Those behind it have later ones. */
  readonly until: number;
  receipt: Receipt;
  /** What is waited for. */
  readonly awaited: Promise<Receipt> | undefined;
  messages: number;
  /** Of the PUBACKs that are due then. */
  readonly messageIds: number[];
  /** They no longer wait for the disk. */
  readonly releases: (() => void)[];
  /** With QoS 2: what is due instead. */
  readonly goOn: ((receipt: Receipt) => void) | undefined;
}

/** A class, for its methods are shared: there are thousands, and most of them idle. */
export class Inbound {
  readonly #owner: InboundOwner;
  readonly #options: InboundOptions;
  /** Not before something is waited for. */
  #order: InOrder<UnderWay> | undefined;
  /** What entered last, as long as it waits. */
  #last: UnderWay | undefined;
  #underWay = 0;
  #over = false;
  #cancelTimer: (() => void) | undefined;

  constructor(owner: InboundOwner, options: InboundOptions) {
    this.#owner = owner;
    this.#options = options;
  }

  /**
   * Calls back exactly once and soon: without an error when the broker may go on to the next packet, with one when the
   * connection is to be closed. PUBACKs are taken from the broker (QoS 0) and sent here when they are due.
   */
  take(packet: InboundPacket, callback: (error?: Error) => void): void {
    const opened = this.#owner.open(packet.topic);
    if (!opened.allow || this.#underWay >= this.#owner.maxUnderWay()) {
      this.#owner.onRefused(opened.allow ? 'too-many-under-way' : opened.reason);
      callback(new Error('not allowed'));
      return;
    }
    if (!opened.mayRetain) packet.retain = false;
    let receipt: Receipt | Promise<Receipt>;
    try {
      const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
      receipt = opened.receive(payload);
    } catch (error) {
      this.#fail(error);
      callback(new Error('failed'));
      return;
    }
    const { qos, messageId, payload } = packet;
    if (qos === 2) {
      // Stays with the broker, which keeps its handshake: it is called back when the receipt is there.
      this.#answerWhenDue(receipt, payload.length, undefined, goingOn(packet, callback));
      return;
    }
    // Taken from the broker, which reads on at once: a reply or a ping behind events must not wait for the disk. The PUBACK
    // is sent from here, when it is due; nothing of the packet is kept until then.
    packet.qos = 0;
    callback();
    this.#answerWhenDue(receipt, payload.length, qos === 1 ? messageId : undefined);
  }

  /** The connection has ended: nothing is acknowledged any more, and all timers end. Whatever comes of it later completes nothing. */
  end(): void {
    this.#over = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.end();
    this.#owner.onFailed(error);
  }

  #answer(receipt: Receipt, messageIds: readonly number[], goOn: UnderWay['goOn']): void {
    if (goOn !== undefined) goOn(receipt);
    else if (receipt === 'acknowledge' && messageIds.length > 0) this.#owner.acknowledge(messageIds);
  }

  /**
   * One timer for all that is waited for, and it is not stopped when the last of it is there: one each, or one for each
   * flush, would cost more than the wait is worth.
   */
  #watch({ until }: UnderWay): void {
    const { clock, timeoutMs } = this.#options;
    this.#cancelTimer = clock.timer(Math.max(0, until - clock.monotonic()), () => {
      this.#cancelTimer = undefined;
      const oldest = this.#order?.oldest();
      if (oldest === undefined) return;
      if (clock.monotonic() >= oldest.until) this.#fail(new Error(`not handled within ${timeoutMs} ms`));
      else this.#watch(oldest);
    });
  }

  /** Answers when the receipt is there and all before it are answered, within `timeoutMs`; unless the connection ends first. */
  #answerWhenDue(receipt: Receipt | Promise<Receipt>, bytes: number, messageId?: number, goOn?: UnderWay['goOn']): void {
    const messageIds = messageId === undefined ? [] : [messageId];
    const awaited = receipt instanceof Promise ? receipt : undefined;
    if (awaited === undefined && this.#underWay === 0) {
      if (!this.#over) this.#answer(receipt as Receipt, messageIds, goOn);
      return;
    }
    const { clock, timeoutMs, hold } = this.#options;
    this.#underWay++;
    const last = this.#last;
    if (awaited !== undefined && goOn === undefined && last !== undefined && last.awaited === awaited && last.goOn === undefined) {
      last.messages++;
      last.messageIds.push(...messageIds);
      last.releases.push(hold(bytes));
      return;
    }
    const until = clock.monotonic() + timeoutMs;
    const releases = awaited === undefined ? [] : [hold(bytes)];
    const place: UnderWay = { done: false, next: undefined, until, receipt: 'leave', awaited, messages: 1, messageIds, releases, goOn };
    this.#order ??= new InOrder((done) => this.#finish(done));
    this.#order.enter(place);
    this.#last = place;
    if (awaited !== undefined) this.#wait(awaited, place);
    else this.#settle(place, receipt as Receipt);
  }

  #finish(done: UnderWay): void {
    if (this.#last === done) this.#last = undefined;
    this.#underWay -= done.messages;
    this.#answer(done.receipt, done.messageIds, done.goOn);
  }

  /** Apart from all else, so that what waits holds on to its place and not to its packet: thousands wait for a flush. */
  #wait(awaited: Promise<Receipt>, place: UnderWay): void {
    if (this.#cancelTimer === undefined) this.#watch(place);
    // Released also when the connection ends meanwhile: it is the disk that is waited for.
    awaited.then(
      (value) => {
        for (const release of place.releases) release();
        this.#settle(place, value);
      },
      (error) => {
        for (const release of place.releases) release();
        this.#fail(error);
      },
    );
  }

  #settle(place: UnderWay, receipt: Receipt): void {
    place.receipt = receipt;
    if (!this.#over) this.#order?.complete(place);
  }
}

const nothing = Buffer.alloc(0);

function goingOn(packet: InboundPacket, callback: () => void): (receipt: Receipt) => void {
  return (receipt) => {
    if (receipt === 'leave') packet.qos = 0;
    // It has arrived, and the broker keeps the packet until the PUBREL: twenty of each lock (T12).
    packet.payload = nothing;
    callback();
  };
}
