// A bare MQTT 3.1.1 client over a socket, written from the standard and not from our own libraries: it can send what
// no decent client would, and shows each packet that comes back.
import { connect, type Socket } from 'node:net';
import { number, type Packet, packetOf, packetReader } from '../../device-sim/conformance/mqtt-packets.ts';

export { packetIdOf as messageIdOf } from '../../device-sim/conformance/mqtt-packets.ts';

export interface RawClient {
  send(...packets: Buffer[]): void;
  /** The next packet that has not been taken yet. */
  next(): Promise<Packet>;
  readonly received: Packet[];
  readonly closed: Promise<void>;
  isClosed(): boolean;
  destroy(): void;
}

/** `from`: the address that it comes from, when that matters. */
export async function openRaw({ host, port }: { host: string; port: number }, from?: string): Promise<RawClient> {
  const socket: Socket = connect({ host, port, noDelay: true, ...(from !== undefined && { localAddress: from }) });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => {});
  const received: Packet[] = [];
  let taken = 0;
  let ended = false;
  let wake = () => {};
  const read = packetReader((packet) => received.push(packet));
  socket.on('data', (chunk) => {
    read(chunk);
    wake();
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      ended = true;
      resolve();
      wake();
    });
  });

  return {
    received,
    closed,
    isClosed: () => ended,
    send: (...packets) => void socket.write(Buffer.concat(packets)),
    async next() {
      while (taken >= received.length) {
        if (ended) throw new Error('the connection was closed');
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return received[taken++] as Packet;
    },
    destroy: () => void socket.destroy(),
  };
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

export interface RawConnect {
  readonly clientId: string;
  readonly username?: string;
  readonly password?: string;
  readonly keepalive?: number;
  readonly clean?: boolean;
  readonly protocol?: string;
  readonly version?: number;
  readonly will?: { topic: string; payload: string; qos: number; retain: boolean };
}

export function connectPacket(options: RawConnect): Buffer {
  const { clientId, username, password, keepalive = 60, clean = true, protocol = 'MQTT', version = 4, will } = options;
  let flags = clean ? 2 : 0;
  if (will !== undefined) flags |= 4 | (will.qos << 3) | (will.retain ? 32 : 0);
  if (password !== undefined) flags |= 64;
  if (username !== undefined) flags |= 128;
  const rest = will === undefined ? [] : [text(will.topic), text(will.payload)];
  if (username !== undefined) rest.push(text(username));
  if (password !== undefined) rest.push(text(password));
  return packetOf(0x10, text(protocol), Buffer.from([version, flags]), number(keepalive), text(clientId), ...rest);
}

export function publishPacket(
  topic: string,
  payload: string | Buffer,
  messageId: number,
  { qos = 1, retain = false, dup = false } = {},
): Buffer {
  const first = 0x30 | (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0);
  return packetOf(first, text(topic), ...(qos > 0 ? [number(messageId)] : []), Buffer.from(payload));
}

export function subscribePacket(messageId: number, ...filters: string[]): Buffer {
  return packetOf(0x82, number(messageId), ...filters.flatMap((filter) => [text(filter), Buffer.from([1])]));
}

export const pingPacket = packetOf(0xc0);
export const disconnectPacket = packetOf(0xe0);

/** Packet types by name. */
export const types = { connack: 2, publish: 3, puback: 4, pubrec: 5, suback: 9, pingresp: 13 } as const;

/** The two parts of a PUBLISH with QoS 1. */
export function published(packet: Packet): { readonly topic: string; readonly messageId: number; readonly payload: string } {
  const end = 2 + packet.body.readUInt16BE(0);
  return {
    topic: packet.body.subarray(2, end).toString(),
    messageId: packet.body.readUInt16BE(end),
    payload: packet.body.subarray(end + 2).toString(),
  };
}

export function pubackPacket(messageId: number): Buffer {
  return packetOf(0x40, number(messageId));
}
