// One lock as the bench plays it: keeps the protocol (hello, state, battery, a reply to each command) and does it at once.
import type { SecureContext } from 'node:tls';
import type { Address } from '../daemon.ts';
import { type BenchLock, deviceKey } from '../seed.ts';
import { connectText, createCutter, packetTypes, pingText, pubackText, publishText, qosOf, subscribeText, typeOf } from './packets.ts';
import { openSocket } from './socket.ts';

export interface LoadLockOptions {
  readonly lock: BenchLock;
  readonly address: Address;
  readonly localAddress: string;
  /** TLS, with whom it trusts. */
  readonly secureContext?: SecureContext | undefined;
  readonly keepAliveSeconds: number;
  /** Also says its new state and sends the event of the command, as a whole lock does; without, the reply alone. */
  readonly talkative: boolean;
  /** Of its events; another one for each connection that sends any. */
  readonly epoch: string;
}

export interface LoadLock extends BenchLock {
  /** Commands that arrived. */
  commands(): number;
  isOpen(): boolean;
  /** Sends an events message; `acknowledged` is called with its PUBACK. Ids from `firstEventId` on. */
  events(messageId: number, payload: string): void;
  onAcknowledged(listener: (messageId: number) => void): void;
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

/** Packet ids below are those of the reports and replies. */
export const firstEventId = 1_000;
const replyId = 10;
const lastHelloId = 5;
const session = 'bench-session';

/** Resolves when the gateway has acknowledged all that a lock says after its login. */
export function connectLoadLock({
  lock,
  address,
  localAddress,
  secureContext,
  keepAliveSeconds,
  talkative,
  epoch,
}: LoadLockOptions): Promise<LoadLock> {
  const topic = `latchd/v1/${lock.deviceId}/`;
  let out = '';
  let commands = 0;
  let seq = 0;
  let open = true;
  let acknowledged: (messageId: number) => void = () => {};
  const send = (channel: string, messageId: number, payload: string) => {
    out += publishText(topic + channel, messageId, payload);
  };

  return new Promise((resolve, reject) => {
    function sayHello(): void {
      const date = Date.now();
      out += subscribeText(1, `${topic}command`);
      send(
        'hello',
        2,
        `{"protocol":1,"session":"${session}","uptime":${Math.floor(performance.now())},"date":${date},${told},"epoch":"${epoch}","lastSeq":0}`,
      );
      send('state', 3, `{"session":"${session}","state":"locked","date":${date}}`);
      send('battery', lastHelloId, `{"session":"${session}","level":92,"date":${date}}`);
    }

    /** A peer may send its commands with QoS 0: without a packet id, and without a PUBACK. */
    function obey(qos: number, bytes: Buffer, from: number, to: number): void {
      const topicEnd = from + 2 + bytes.readUInt16BE(from);
      if (qos > 0) out += pubackText(bytes.readUInt16BE(topicEnd));
      const { id, op } = JSON.parse(bytes.toString('latin1', qos > 0 ? topicEnd + 2 : topicEnd, to)) as { id: string; op: string };
      const state = op === 'unlock' ? 'unlocked' : 'locked';
      const moves = op === 'unlock' || op === 'lock';
      if (moves) commands += 1;
      send('reply', replyId, moves ? `{"id":"${id}","ok":true,"state":"${state}"}` : `{"id":"${id}","ok":true}`);
      if (!moves || !talkative) return;
      const date = Date.now();
      send('state', replyId + 1, `{"session":"${session}","state":"${state}","date":${date}}`);
      send(
        'events',
        replyId + 2,
        `{"epoch":"${epoch}","events":[{"seq":${++seq},"type":"remote-${op}","date":${date},"commandId":"${id}"}]}`,
      );
    }

    const cut = createCutter((first, bytes, from, to) => {
      const type = typeOf(first);
      if (type === packetTypes.publish) obey(qosOf(first), bytes, from, to);
      else if (type === packetTypes.puback) {
        const messageId = bytes.readUInt16BE(from);
        if (messageId >= firstEventId) acknowledged(messageId);
        else if (messageId === lastHelloId) resolve(opened);
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
      isOpen: () => open,
      events: (messageId, payload) => send('events', messageId, payload),
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
        reject(new Error(`the connection of ${lock.deviceId} was closed`));
      },
    }).then((connected) => {
      socket = connected;
      connected.write(connectText(lock.deviceId, deviceKey, keepAliveSeconds), 'latin1');
    }, reject);
  });
}

/** As it was registered, so that a hello writes nothing; the digest is that of no cards. */
const told = [
  '"modelNum":"SN-9","hardwareRevision":"1.3","firmwareRevision":"6.5.07","featureValue":"F44354CF5F3"',
  '"state":"locked","battery":92,"autoLockTime":0,"cards":{"count":0,"digest":"e3b0c44298fc1c14"}',
].join(',');
