// One lock as the bench plays it: keeps the protocol (hello, state, battery; of each command a reply, the new state and an event) at once.
import type { SecureContext } from 'node:tls';
import type { Address } from '../daemon.ts';
import { type BenchLock, cardNumberOf, deviceKey } from '../seed.ts';
import { connectText, createCutter, packetTypes, pingText, pubackText, publishText, qosOf, subscribeText, typeOf } from './packets.ts';
import { openSocket } from './socket.ts';

export interface LoadLockOptions {
  readonly lock: BenchLock;
  readonly address: Address;
  readonly localAddress: string;
  /** TLS, with whom it trusts. */
  readonly secureContext?: SecureContext | undefined;
  readonly keepAliveSeconds: number;
  /** Of its events; another one for each connection that sends any. */
  readonly epoch: string;
  /** A gateway that has not acknowledged it within this time is left. */
  readonly patienceMs?: number | undefined;
}

export interface LoadLock extends BenchLock {
  /** Commands that arrived. */
  commands(): number;
  /** From now on it gives no reply to commands of this kind; to all again when it is undefined. */
  ignore(op: string | undefined): void;
  isOpen(): boolean;
  /** Sends an events message; `acknowledged` is called with its PUBACK. Ids from `firstEventId` on. */
  events(messageId: number, payload: string): void;
  onAcknowledged(listener: (messageId: number) => void): void;
  /** Called once, when its connection has ended. */
  onClosed(listener: () => void): void;
  readonly epoch: string;
  /** The next event's number. */
  nextSeq(): number;
  /** What was collected goes out in one write. */
  flush(): void;
  ping(): void;
  /** Any bytes, for a lock that misbehaves. */
  write(text: string): void;
  /** Written, and not taken by the other side. */
  unsentBytes(): number;
  pauseReading(): void;
  close(): void;
}

/** A lock may have so many messages without PUBACK (Protocol 4.4). */
export const windowAtMost = 20;
/** Packet ids below are those of the reports and replies, in turn: one that is not acknowledged yet must not be used again. */
export const firstEventId = 1_000;
const firstReplyId = 10;
const lastHelloId = 5;
const session = 'bench-session';

/** Resolves when the gateway has acknowledged all that a lock says after its login. */
export function connectLoadLock({
  lock,
  address,
  localAddress,
  secureContext,
  keepAliveSeconds,
  epoch,
  patienceMs,
}: LoadLockOptions): Promise<LoadLock> {
  const topic = `latchd/v1/${lock.deviceId}/`;
  let out = '';
  let commands = 0;
  let ignored: string | undefined;
  let seq = 0;
  let packetId = firstReplyId;
  let underWay = 0;
  const waiting: (readonly [channel: string, payload: string])[] = [];
  let open = true;
  let acknowledged: (messageId: number) => void = () => {};
  let closed = (): void => {};
  const send = (channel: string, payload: string, messageId: number) => {
    out += publishText(topic + channel, messageId, payload);
  };

  /** In turn, and no more at a time than the window takes: so do the usual MQTT clients. */
  function say(channel: string, payload: string): void {
    waiting.push([channel, payload]);
    sayWaiting();
  }

  function sayWaiting(): void {
    while (waiting.length > 0 && underWay < windowAtMost) {
      packetId = packetId + 1 < firstEventId ? packetId + 1 : firstReplyId;
      underWay += 1;
      send(...(waiting.shift() as (typeof waiting)[number]), packetId);
    }
  }

  return new Promise((resolve, reject) => {
    function sayHello(): void {
      const date = Date.now();
      out += subscribeText(1, `${topic}command`);
      send(
        'hello',
        `{"protocol":1,"session":"${session}","uptime":${Math.floor(performance.now())},"date":${date},${told},"cards":${JSON.stringify(lock.cards)},"epoch":"${epoch}","lastSeq":0}`,
        2,
      );
      send('state', `{"session":"${session}","state":"locked","date":${date}}`, 3);
      send('battery', `{"session":"${session}","level":92,"date":${date}}`, lastHelloId);
    }

    /** A peer may send its commands with QoS 0: without a packet id, and without a PUBACK. */
    function obey(qos: number, bytes: Buffer, from: number, to: number): void {
      const topicEnd = from + 2 + bytes.readUInt16BE(from);
      if (qos > 0) out += pubackText(bytes.readUInt16BE(topicEnd));
      const { id, op, ...asked } = JSON.parse(bytes.toString('latin1', qos > 0 ? topicEnd + 2 : topicEnd, to)) as {
        readonly id: string;
        readonly op: string;
        readonly offset?: number;
        readonly limit?: number;
      };
      if (op === ignored) return;
      if (op === 'list-cards') {
        const { offset = 0, limit = 100 } = asked;
        const cards = Array.from({ length: Math.min(limit, lock.cards.count - offset) }, (_, n) => {
          return { cardNumber: cardNumberOf(offset + n), startDate: 0, endDate: 0 };
        });
        say('reply', JSON.stringify({ id, ok: true, result: { cards, total: lock.cards.count } }));
        return;
      }
      const state = op === 'unlock' ? 'unlocked' : 'locked';
      const moves = op === 'unlock' || op === 'lock';
      if (moves) commands += 1;
      say('reply', moves ? `{"id":"${id}","ok":true,"state":"${state}"}` : `{"id":"${id}","ok":true}`);
      if (!moves) return;
      const date = Date.now();
      say('state', `{"session":"${session}","state":"${state}","date":${date}}`);
      say('events', `{"epoch":"${epoch}","events":[{"seq":${++seq},"type":"remote-${op}","date":${date},"commandId":"${id}"}]}`);
    }

    const cut = createCutter((first, bytes, from, to) => {
      const type = typeOf(first);
      if (type === packetTypes.publish) obey(qosOf(first), bytes, from, to);
      else if (type === packetTypes.puback) {
        const messageId = bytes.readUInt16BE(from);
        if (messageId >= firstEventId) acknowledged(messageId);
        else if (messageId >= firstReplyId) {
          underWay -= 1;
          sayWaiting();
        } else if (messageId === lastHelloId) {
          clearTimeout(overdue);
          resolve(opened);
        }
      } else if (type === packetTypes.connack) {
        if (bytes[from + 1] === 0) sayHello();
        else reject(new Error(`the login of ${lock.deviceId} was refused with ${bytes[from + 1]}`));
      }
    });

    const flush = () => {
      if (out === '') return;
      socket?.write(out, 'latin1');
      out = '';
    };
    const opened: LoadLock = {
      ...lock,
      epoch,
      commands: () => commands,
      ignore(op) {
        ignored = op;
      },
      isOpen: () => open,
      onClosed(listener) {
        closed = listener;
      },
      events: (messageId, payload) => send('events', payload, messageId),
      onAcknowledged(listener) {
        acknowledged = listener;
      },
      nextSeq: () => ++seq,
      flush,
      ping: () => void socket?.write(pingText, 'latin1'),
      write: (text) => void socket?.write(text, 'latin1'),
      unsentBytes: () => socket?.writableLength ?? 0,
      pauseReading: () => void socket?.pause(),
      close: () => void socket?.destroy(),
    };

    let socket: Awaited<ReturnType<typeof openSocket>> | undefined;
    const overdue = patienceMs === undefined ? undefined : setTimeout(() => socket?.destroy(), patienceMs);
    openSocket({
      ...address,
      localAddress,
      secureContext,
      onBytes(bytes) {
        cut(bytes);
        flush();
      },
      onClose() {
        open = false;
        clearTimeout(overdue);
        closed();
        reject(new Error(`the connection of ${lock.deviceId} was closed`));
      },
    }).then((connected) => {
      socket = connected;
      connected.write(connectText(lock.deviceId, deviceKey, keepAliveSeconds), 'latin1');
    }, reject);
  });
}

/** As it was registered, so that a hello writes nothing. */
const told = [
  '"modelNum":"SN-9","hardwareRevision":"1.3","firmwareRevision":"6.5.07","featureValue":"F44354CF5F3"',
  '"state":"locked","battery":92,"autoLockTime":0',
].join(',');
