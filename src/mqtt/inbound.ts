// One PUBLISH of a lock on its way in: allowed or not, handed over in the order of arrival, acknowledged in the same
// order, and only when the receiver says so (Protocol 3 and 4.4, MQTT-4.6.0-2).
import type { Clock } from '../domain/ports.ts';
import { decidePublish } from './access.ts';
import type { Connection } from './connection.ts';
import type { InOrder } from './in-order.ts';
import type { Receipt, ReportReceiver } from './report-receiver.ts';
import type { Topics } from './topics.ts';

/** A PUBLISH as the broker holds it; what is changed here is what the broker goes on with. */
export interface InboundPacket {
  readonly topic: string;
  readonly payload: Buffer | string;
  qos: 0 | 1 | 2;
  retain: boolean;
}

export interface InboundOptions {
  readonly topics: Topics;
  readonly receiver: Pick<ReportReceiver, 'receive'>;
  readonly clock: Clock;
  /** Longest wait for one message. */
  readonly timeoutMs: number;
  /** An illegal publish, or a connection that has too many messages under way. */
  onRefused(connection: Connection, reason: string): void;
  /** The handling threw, rejected or took too long. */
  onFailed(connection: Connection, error: unknown): void;
}

/** A lock has at most 20 event messages under way (Protocol 4.4); this leaves room for all else, and bounds the memory one can take. */
const maxUnderWay = 64;

/**
 * Calls back once: without an error when the broker may acknowledge (for `leave` with the QoS set to 0, so that it does not),
 * with one when the connection is to be closed.
 */
export function createInbound({ topics, receiver, clock, timeoutMs, onRefused, onFailed }: InboundOptions) {
  return (connection: Connection, order: InOrder, packet: InboundPacket, callback: (error?: Error) => void): void => {
    const decision = decidePublish(connection, packet.topic, topics);
    const refusal = decision.allow ? (order.size() >= maxUnderWay ? 'too-many-under-way' : undefined) : decision.reason;
    if (!decision.allow || refusal !== undefined) {
      onRefused(connection, refusal ?? '');
      callback(new Error('this publish is not allowed'));
      return;
    }
    if (!decision.mayRetain) packet.retain = false;

    const complete = order.reserve();
    let settled = false;
    const succeed = (receipt: Receipt) => {
      if (settled) return;
      settled = true;
      cancelTimer?.();
      complete(() => {
        // Not acknowledged, not closed, and nothing behind it is held up: tried with aedes 1.2 (T3).
        if (receipt === 'leave') packet.qos = 0;
        callback();
      });
    };
    const fail = (error: unknown) => {
      if (settled) return;
      settled = true;
      cancelTimer?.();
      onFailed(connection, error);
      complete(() => callback(new Error('this message could not be handled')));
    };

    let cancelTimer: (() => void) | undefined;
    try {
      const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
      const receipt = receiver.receive(connection, decision.channel, payload);
      if (receipt instanceof Promise) {
        cancelTimer = clock.timer(timeoutMs, () => fail(new Error(`not handled within ${timeoutMs} ms`)));
        receipt.then(succeed, fail);
      } else succeed(receipt);
    } catch (error) {
      fail(error);
    }
  };
}
