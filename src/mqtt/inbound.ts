// The PUBLISHes of one connection on their way in: allowed or not, handed over in the order of arrival, acknowledged in the
// same order, and only when the receiver says so (Protocol 3 and 4.4, MQTT-4.6.0-2).
import type { Clock } from '../domain/ports.ts';
import { createInOrder, type Place } from './in-order.ts';
import type { Receipt } from './kept-messages.ts';

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

export interface InboundOptions {
  readonly clock: Clock;
  /** Longest wait for one message. */
  readonly timeoutMs: number;
  /** How many may be under way; 64 for a lock. */
  maxUnderWay?(): number;
  /** So many bytes wait for the disk, until the returned function is called. */
  hold?(bytes: number): () => void;
  open(topic: string): Opened;
  /** An illegal publish, or too many messages under way: closes the connection. */
  onRefused(reason: string): void;
  /** The handling threw, rejected or took too long: closes the connection. */
  onFailed(error: unknown): void;
}

export interface Inbound {
  /**
   * Calls back exactly once and soon: without an error when the broker may go on to the next packet, with one when the
   * connection is to be closed. PUBACKs are taken from the broker (QoS 0) and sent here when they are due.
   */
  take(packet: InboundPacket, callback: (error?: Error) => void): void;
  /** The connection has ended: nothing is acknowledged any more, and all timers end. */
  end(): void;
}

/** A lock has at most 20 event messages under way (Protocol 4.4); this leaves room for all else, and bounds the memory one can take. */
const usualUnderWay = 64;

/** A message that something comes before: its own flush, or another message. */
interface UnderWay extends Place {
  /** On the monotonic clock. Those behind it have later ones. */
  readonly until: number;
  receipt: Receipt;
  /** Of the PUBACK that is due then, if any. */
  readonly messageId: number | undefined;
  /** With QoS 2: what is due instead. */
  readonly goOn: ((receipt: Receipt) => void) | undefined;
}

export function createInbound(acknowledge: (messageId: number) => void, options: InboundOptions): Inbound {
  const { clock, timeoutMs, maxUnderWay = () => usualUnderWay, hold = () => () => {}, open, onRefused, onFailed } = options;
  const order = createInOrder<UnderWay>(answer);
  let over = false;
  let cancelTimer: (() => void) | undefined;

  function end(): void {
    over = true;
    cancelTimer?.();
    cancelTimer = undefined;
  }

  function fail(error: unknown): void {
    if (over) return;
    end();
    onFailed(error);
  }

  function answer({ receipt, messageId, goOn }: UnderWay): void {
    if (goOn !== undefined) goOn(receipt);
    else if (receipt === 'acknowledge' && messageId !== undefined) acknowledge(messageId);
  }

  /**
   * One timer for all that is waited for, and it is not stopped when the last of it is there: one each, or one for each
   * flush, would cost more than the wait is worth.
   */
  function watch({ until }: UnderWay): void {
    cancelTimer = clock.timer(Math.max(0, until - clock.monotonic()), () => {
      cancelTimer = undefined;
      const oldest = order.oldest();
      if (oldest === undefined) return;
      if (clock.monotonic() >= oldest.until) fail(new Error(`not handled within ${timeoutMs} ms`));
      else watch(oldest);
    });
  }

  /** Answers when the receipt is there and all before it are answered, within `timeoutMs`; unless the connection ends first. */
  function answerWhenDue(receipt: Receipt | Promise<Receipt>, bytes: number, messageId?: number, goOn?: UnderWay['goOn']): void {
    const place: UnderWay = { done: false, until: clock.monotonic() + timeoutMs, receipt: 'leave', messageId, goOn };
    order.enter(place);
    if (receipt instanceof Promise) wait(receipt, place, hold(bytes));
    else settle(place, receipt);
  }

  /** Apart from all else, so that what waits holds on to its place and not to its packet: thousands wait for a flush. */
  function wait(receipt: Promise<Receipt>, place: UnderWay, release: () => void): void {
    if (cancelTimer === undefined) watch(place);
    // Released also when the connection ends meanwhile: it is the disk that is waited for.
    receipt.then(
      (value) => {
        release();
        settle(place, value);
      },
      (error) => {
        release();
        fail(error);
      },
    );
  }

  function settle(place: UnderWay, receipt: Receipt): void {
    place.receipt = receipt;
    if (!over) order.complete(place);
  }

  return {
    take(packet, callback) {
      const opened = open(packet.topic);
      if (!opened.allow || order.size() >= maxUnderWay()) {
        onRefused(opened.allow ? 'too-many-under-way' : opened.reason);
        callback(new Error('not allowed'));
        return;
      }
      if (!opened.mayRetain) packet.retain = false;
      let receipt: Receipt | Promise<Receipt>;
      try {
        const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
        receipt = opened.receive(payload);
      } catch (error) {
        fail(error);
        callback(new Error('failed'));
        return;
      }
      const { qos, messageId, payload } = packet;
      if (qos === 2) {
        // Stays with the broker, which keeps its handshake: it is called back when the receipt is there.
        answerWhenDue(receipt, payload.length, undefined, goingOn(packet, callback));
        return;
      }
      // Taken from the broker, which reads on at once: a reply or a ping behind events must not wait for the disk. The PUBACK
      // is sent from here, when it is due; nothing of the packet is kept until then.
      packet.qos = 0;
      callback();
      answerWhenDue(receipt, payload.length, qos === 1 ? messageId : undefined);
    },
    // Whatever comes of it later completes nothing, nor what stands behind it.
    end,
  };
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
