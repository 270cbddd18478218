// Stands between a lock and its gateway: takes the lock's connection, opens one to the gateway, and passes on whole packets of both
// directions, unless somebody who watches takes one out. It can also cut a connection, freeze it, and refuse the next ones.
import { type AddressInfo, connect as connectTcp, createServer, isIP, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, TLSSocket } from 'node:tls';
import { type Connect, connackPacket, type Packet, packetReader, readConnect, types } from './mqtt-packets.ts';

export type Way = 'from-lock' | 'to-lock';

/** One connection of an MQTT client to the relay. */
export interface Link {
  readonly number: number;
  /** Undefined until its CONNECT has come. */
  readonly connect: Connect | undefined;
  readonly isOpen: boolean;
  toLock(bytes: Buffer): void;
  toGateway(bytes: Buffer): void;
  /** Ends it on both sides at once: to the lock by a reset, or by a FIN, as a gateway that stops does it. */
  cut(how: 'reset' | 'end'): void;
  /** From now on it stays open and carries nothing: what comes is seen and thrown away. */
  freeze(): void;
}

/** What is called as things happen; `onPacket` returns true when it has taken the packet, which is then not passed on. */
export interface Watcher {
  onOpened(link: Link): void;
  onPacket(link: Link, way: Way, packet: Packet): boolean;
  onClosed(link: Link, by: 'lock' | 'us' | 'gateway'): void;
}

export interface RelayOptions {
  /** Where the lock connects. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Certificate chain and key in PEM, when the lock speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The MQTT port of the gateway; `ca` in PEM when that of `mqtts:` is not known to the machine. */
  readonly gateway: { readonly url: URL; readonly ca?: string };
  readonly watcher: Watcher;
  /** Gets a sentence when the gateway cannot be reached, or a TLS handshake of the lock fails. */
  readonly onTrouble: (sentence: string) => void;
}

export interface Relay {
  readonly port: number;
  /** The return code with which the next CONNECTs are refused; undefined: they go to the gateway. */
  refuseWith: number | undefined;
  close(): Promise<void>;
}

/** Rejects when it cannot listen there, with what to do. */
export async function openRelay(options: RelayOptions): Promise<Relay> {
  const links = new Set<Link>();
  let count = 0;
  const relay = { refuseWith: undefined as number | undefined };
  const accept = (near: Socket): void => {
    const link = openLink(near, { ...options, number: ++count, refusal: () => relay.refuseWith, onGone: () => links.delete(link) });
    links.add(link);
    options.watcher.onOpened(link);
  };
  const server: Server =
    options.tls === undefined ? createServer({ noDelay: true }, accept) : createTlsServer({ ...options.tls, noDelay: true }, accept);
  server.on('tlsClientError', ({ message }: Error) =>
    options.onTrouble(`a TLS handshake with the lock failed (does it trust --tls-cert?): ${message.trim()}`),
  );
  const { host, port } = options.listen;
  await new Promise<void>((resolve, reject) => {
    const refuse = ({ message }: Error): void =>
      reject(new Error(`no lock can connect to ${host}, port ${port} (take another --listen): ${message}`));
    server.once('error', refuse).listen(options.listen, resolve);
  });
  return Object.assign(relay, {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const link of links) link.cut('end');
      await closed;
    },
  });
}

interface LinkOptions extends RelayOptions {
  readonly number: number;
  refusal(): number | undefined;
  onGone(): void;
}

function openLink(near: Socket, { number, gateway, watcher, refusal, onGone, onTrouble }: LinkOptions): Link {
  let connect: Connect | undefined;
  let far: Socket | undefined;
  let isFrozen = false;
  let isOpen = true;

  const link: Link = {
    number,
    get connect() {
      return connect;
    },
    get isOpen() {
      return isOpen;
    },
    toLock: (bytes) => void (isOpen && !isFrozen && near.write(bytes)),
    toGateway: (bytes) => void (isOpen && !isFrozen && far?.write(bytes)),
    cut(how) {
      if (how === 'reset' && !(near instanceof TLSSocket)) near.resetAndDestroy();
      else near.end(() => near.destroy());
      over('us');
    },
    freeze() {
      isFrozen = true;
    },
  };

  function over(by: Parameters<Watcher['onClosed']>[1]): void {
    if (!isOpen) return;
    isOpen = false;
    far?.destroy();
    onGone();
    watcher.onClosed(link, by);
  }

  function begin(packet: Packet): void {
    connect = readConnect(packet);
    const code = refusal();
    if (code === undefined) {
      far = openFar();
      return;
    }
    near.write(connackPacket(code));
    near.end();
  }

  function openFar(): Socket {
    const socket = connectTo(gateway);
    socket.on('error', ({ message }) => onTrouble(`the connection to ${gateway.url.href} failed: ${message}`));
    socket.on(
      'data',
      reading('to-lock', (bytes) => link.toLock(bytes)),
    );
    socket.on('close', () => {
      // A frozen connection looks alive to the lock, whatever the gateway does.
      if (isFrozen) return;
      near.end(() => near.destroy());
      over('gateway');
    });
    return socket;
  }

  /** What is no MQTT ends the connection. */
  function reading(way: Way, pass: (bytes: Buffer) => void): (chunk: Buffer) => void {
    const read = packetReader((packet) => {
      if (way === 'from-lock' && packet.type === types.connect && connect === undefined) begin(packet);
      if (isFrozen && way === 'to-lock') return;
      if (!watcher.onPacket(link, way, packet)) pass(packet.bytes);
    });
    return (chunk) => {
      try {
        read(chunk);
      } catch {
        link.cut('end');
      }
    };
  }

  near.on('error', ({ message }) => {
    if (connect === undefined) onTrouble(`a connection of the lock failed before its CONNECT: ${message}`);
  });
  near.on(
    'data',
    reading('from-lock', (bytes) => link.toGateway(bytes)),
  );
  near.on('close', () => over('lock'));
  return link;
}

/** A connection to the MQTT port of the gateway. */
function connectTo({ url, ca }: RelayOptions['gateway']): Socket {
  // An address of IPv6 stands in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'mqtt:') return connectTcp({ host, port: Number(url.port || 1883), noDelay: true });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port: Number(url.port || 8883), ...servername, ...(ca !== undefined && { ca }) }).setNoDelay(true);
}
