// The PUBLISHes of one connection on their way in: allowed or not, handed over in the order of arrival, acknowledged in the
// same order, and only when the receiver says so (Protocol 3 and 4.4, MQTT-4.6.0-2).
import type { Clock } from '../domain/ports.ts';
import { createInOrder } from './in-order.ts';
import type { Receipt } from './report-receiver.ts';

/** A PUBLISH as the broker holds it; what is changed here is what the broker goes on with. */
export interface InboundPacket {
  readonly topic: string;
  readonly payload: Buffer | string;
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

export function createInbound(acknowledge: (messageId: number) => void, options: InboundOptions): Inbound {
  const { clock, timeoutMs, maxUnderWay = () => usualUnderWay, hold = () => () => {}, open, onRefused, onFailed } = options;
  const order = createInOrder();
  /** What is waited for, in the order of the deadlines. */
  const waits = new Set<{ readonly until: number }>();
  let cancelTimer: (() => void) | undefined;

  /** One timer for all that is waited for: one each would cost more than the wait is worth. */
  function watch(): void {
    const [oldest] = waits;
    if (oldest === undefined) return;
    const leftMs = oldest.until - clock.monotonic();
    cancelTimer = clock.timer(Math.max(0, leftMs), () => {
      cancelTimer = undefined;
      if (!waits.has(oldest) || clock.monotonic() < oldest.until) return watch();
      waits.delete(oldest);
      onFailed(new Error(`not handled within ${timeoutMs} ms`));
      watch();
    });
  }

  /** Waits for the receipt at most `timeoutMs`; `then` is called once, unless it fails or the connection ends first. */
  function wait(receipt: Promise<Receipt>, bytes: number, then: (receipt: Receipt) => void): void {
    // Also when the connection ends meanwhile: it is the disk that is waited for.
    const release = hold(bytes);
    const one = { until: clock.monotonic() + timeoutMs };
    waits.add(one);
    if (cancelTimer === undefined) watch();
    /** False when it has failed already, or the connection has ended. */
    const settled = (): boolean => {
      release();
      const waited = waits.delete(one);
      if (waits.size === 0) stopWatching();
      return waited;
    };
    receipt.then(
      (value) => void (settled() && then(value)),
      (error) => void (settled() && onFailed(error)),
    );
  }

  function stopWatching(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  /** The PUBACK is sent from here, when it is due; nothing of the packet is kept until then. */
  function answerWhenDue(receipt: Receipt | Promise<Receipt>, messageId: number | undefined, bytes: number): void {
    const complete = order.reserve();
    const answer = (value: Receipt) =>
      complete(() => {
        if (value === 'acknowledge' && messageId !== undefined) acknowledge(messageId);
      });
    if (receipt instanceof Promise) wait(receipt, bytes, answer);
    else answer(receipt);
  }

  /** QoS 2 stays with the broker, which keeps its handshake: it is called back when the receipt is there. */
  function callBackWhenDue(receipt: Receipt | Promise<Receipt>, packet: InboundPacket, callback: (error?: Error) => void): void {
    const complete = order.reserve();
    const answer = (value: Receipt) =>
      complete(() => {
        if (value === 'leave') packet.qos = 0;
        callback();
      });
    if (receipt instanceof Promise) wait(receipt, packet.payload.length, answer);
    else answer(receipt);
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
        onFailed(error);
        callback(new Error('failed'));
        return;
      }
      const { qos, messageId, payload } = packet;
      if (qos === 2) return callBackWhenDue(receipt, packet, callback);
      // Taken from the broker, which reads on at once: a reply or a ping behind events must not wait for the disk.
      packet.qos = 0;
      callback();
      answerWhenDue(receipt, qos === 1 ? messageId : undefined, payload.length);
    },
    end() {
      // Whatever comes of it later completes nothing, nor what stands behind it.
      waits.clear();
      stopWatching();
    },
  };
}
