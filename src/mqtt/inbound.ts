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
   * connection is to be closed. A PUBACK that has to wait is taken from the broker (QoS 0) and sent here when it is due.
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
  const timers = new Set<() => void>();

  /** Waits for the receipt at most `timeoutMs`; `then` is called once, unless it fails or the connection ends first. */
  function wait(receipt: Promise<Receipt>, bytes: number, then: (receipt: Receipt) => void): void {
    // Also when the connection ends meanwhile: it is the disk that is waited for.
    const release = hold(bytes);
    const cancel = clock.timer(timeoutMs, () => settle(() => onFailed(new Error(`not handled within ${timeoutMs} ms`))));
    timers.add(cancel);
    const settle = (action: () => void) => {
      cancel();
      // False when it has been settled already, or the connection has ended.
      if (timers.delete(cancel)) action();
    };
    receipt.then(
      (value) => {
        release();
        settle(() => then(value));
      },
      (error) => {
        release();
        settle(() => onFailed(error));
      },
    );
  }

  function answerLater(receipt: Receipt | Promise<Receipt>, packet: InboundPacket, callback: (error?: Error) => void): void {
    const { messageId, qos } = packet;
    const complete = order.reserve();
    // The broker reads on only when it has been called back: a reply or a ping behind these events must not wait for the disk.
    // QoS 2 alone stays with the broker, which keeps its handshake.
    if (qos < 2) {
      packet.qos = 0;
      callback();
    }
    const answer = (value: Receipt) =>
      complete(() => {
        if (qos === 1 && value === 'acknowledge' && messageId !== undefined) acknowledge(messageId);
        if (qos < 2) return;
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
      if (receipt instanceof Promise || order.size() > 0) {
        answerLater(receipt, packet, callback);
        return;
      }
      // Neither acknowledged nor closed, and nothing behind it is held up: tried with aedes 1.2 (T3).
      if (receipt === 'leave') packet.qos = 0;
      callback();
    },
    end() {
      // Without its timer a wait is settled: whatever comes of it later completes nothing, nor what stands behind it.
      for (const cancel of timers) cancel();
      timers.clear();
    },
  };
}
