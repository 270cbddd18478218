// Reads what passes through the relay, writes what concerns the lock into the trace, and holds back what somebody wants to have held.
import { grantsOf, type Packet, packetIdOf, readPublish, readSubscribe, returnCodeOf, types } from './mqtt-packets.ts';
import type { Link, Watcher, Way } from './relay.ts';
import type { Acknowledged, Entry, Trace } from './trace.ts';

/** Packets that are held back, on their way to the lock or from it. */
export interface Hold {
  /** Those of connections that still are. */
  readonly entries: readonly Entry[];
  /** Passes on what is held, in its order, and holds nothing more. */
  release(): void;
  /** Passes on of what is held what fits, and goes on holding. */
  pass(fits: (entry: Entry) => boolean): void;
  /** Forgets what is held, and holds nothing more. */
  drop(): void;
}

export interface Observer extends Watcher {
  hold(fits: (entry: Entry) => boolean): Hold;
  /** From now on nothing is held; what was is forgotten. */
  dropAll(): void;
  /** A packet identifier for a PUBLISH of ours, which no gateway uses. */
  nextPacketId(): number;
}

export interface ObserverOptions {
  readonly trace: Trace;
  readonly deviceId: string;
  /** Of the hub that speaks for the lock. */
  readonly hubId: string | undefined;
  /** Such as `latchd/v1`. */
  readonly topicRoot: string;
  /** Whether a command with this id is ours: its reply is none of the gateway's business. */
  isOurs(id: string): boolean;
}

interface HeldPacket {
  readonly entry: Entry;
  readonly way: Way;
  readonly packet: Packet;
}

/** Packet identifiers from here on are ours; a gateway counts from 1 on each connection. */
const firstOwnPacketId = 0xf000;

export function createObserver(options: ObserverOptions): Observer {
  const { trace, deviceId, hubId, topicRoot, isOurs } = options;
  const ownPrefix = `${topicRoot}/${deviceId}/`;
  const holds = new Map<(entry: Entry) => boolean, HeldPacket[]>();
  let packetIds = 0;

  const concerns = ({ connect }: Link): boolean => connect !== undefined && connect.clientId === (hubId ?? deviceId);

  /** Undefined: no line of the trace. */
  function fromLock(link: Link, packet: Packet): Entry | undefined {
    const common = { at: performance.now(), link };
    trace.add({ ...common, kind: 'packet', type: packet.type, bytes: packet.bytes.length });
    if (packet.type === types.connect && link.connect !== undefined) return { ...common, kind: 'connect', connect: link.connect };
    if (packet.type === types.subscribe)
      return { ...common, kind: 'subscribe', packetId: packetIdOf(packet), filters: readSubscribe(packet) };
    if (packet.type !== types.publish) return undefined;
    const { payload, ...published } = readPublish(packet);
    const isOwn = published.topic.startsWith(ownPrefix);
    // A hub speaks for other locks, too.
    if (!isOwn && hubId !== undefined) return undefined;
    const text = payload.toString('utf8');
    const channel = isOwn ? published.topic.slice(ownPrefix.length) : published.topic;
    return { ...common, kind: 'said', ...published, channel, bytes: packet.bytes.length, text, json: parsed(text) };
  }

  function toLock(link: Link, packet: Packet): Entry | undefined {
    const common = { at: performance.now(), link };
    if (packet.type === types.connack) return { ...common, kind: 'connack', code: returnCodeOf(packet) };
    if (packet.type === types.suback) return { ...common, kind: 'suback', packetId: packetIdOf(packet), codes: grantsOf(packet) };
    if (packet.type === types.puback) return { ...common, kind: 'acknowledged', packetId: packetIdOf(packet) };
    if (packet.type !== types.publish) return undefined;
    const { topic, payload } = readPublish(packet);
    if (topic !== `${ownPrefix}command`) return undefined;
    const command = parsed(payload.toString('utf8')) as Pick<
      Entry & { kind: 'commanded' },
      'id' | 'op' | 'args' | 'session' | 'expires' | 'ttl'
    >;
    return { ...common, kind: 'commanded', isOurs: false, ...command };
  }

  /** What answers a command of ours ends here; the lock gets its PUBACK from us. */
  function endsHere(link: Link, packet: Packet, entry: Entry | undefined): boolean {
    if (packet.type === types.puback) return packetIdOf(packet) >= firstOwnPacketId;
    if (entry?.kind !== 'said' || entry.channel !== 'reply' || !isOurs(String(memberOf(entry.json, 'id')))) return false;
    if (entry.qos !== 1) return true;
    const acknowledged: Acknowledged = { kind: 'acknowledged', at: performance.now(), link, packetId: entry.packetId };
    link.toLock(Buffer.from([0x40, 2, entry.packetId >> 8, entry.packetId & 255]));
    trace.add(acknowledged);
    return true;
  }

  function isHeld(entry: Entry, way: Way, packet: Packet): boolean {
    for (const [fits, queue] of holds) {
      if (!fits(entry)) continue;
      queue.push({ entry, way, packet });
      return true;
    }
    return false;
  }

  return {
    nextPacketId: () => firstOwnPacketId + (packetIds++ % 0xfff),
    hold(fits) {
      const queue: HeldPacket[] = [];
      holds.set(fits, queue);
      const passOn = ({ entry, way, packet }: HeldPacket): void => {
        if (!entry.link.isOpen) return;
        if (way === 'from-lock') {
          entry.link.toGateway(packet.bytes);
          return;
        }
        trace.add({ ...entry, at: performance.now() });
        entry.link.toLock(packet.bytes);
      };
      return {
        get entries() {
          return queue.filter(({ entry }) => entry.link.isOpen).map(({ entry }) => entry);
        },
        release() {
          holds.delete(fits);
          for (const one of queue.splice(0)) passOn(one);
        },
        pass(fitsNow) {
          const leaving = queue.filter(({ entry }) => fitsNow(entry));
          for (const one of leaving) queue.splice(queue.indexOf(one), 1);
          for (const one of leaving) passOn(one);
        },
        drop() {
          holds.delete(fits);
          queue.length = 0;
        },
      };
    },
    dropAll: () => holds.clear(),
    onOpened: (link) => trace.add({ kind: 'opened', at: performance.now(), link }),
    onClosed: (link, by) => trace.add({ kind: 'closed', at: performance.now(), link, by }),
    onPacket(link, way, packet) {
      if (!concerns(link)) return false;
      const entry = way === 'from-lock' ? fromLock(link, packet) : toLock(link, packet);
      if (entry !== undefined && way === 'from-lock') trace.add(entry);
      if (way === 'from-lock' && endsHere(link, packet, entry)) return true;
      if (entry !== undefined && isHeld(entry, way, packet)) return true;
      if (entry !== undefined && way === 'to-lock') trace.add(entry);
      return false;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A member of a message that may be anything. */
export function memberOf(message: unknown, name: string): unknown {
  return typeof message === 'object' && message !== null ? (message as Readonly<Record<string, unknown>>)[name] : undefined;
}
