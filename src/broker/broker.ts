// The embedded MQTT broker: takes connections, finds room for them, and hands each of them to aedes when its first packet is whole.
// What clients may do and what becomes of what they say is for the client handlers.

import type { Clock } from '../domain/clock.ts';
import { endlessLease, type Lease } from '../domain/lease.ts';
import { originOf } from '../domain/origin.ts';
import type { Log, Part } from '../domain/part.ts';
import { createRateLimitedLog } from '../domain/rate-limited-log.ts';
import type { TickBatcher } from '../domain/tick-batcher.ts';
import { type MqttServer, type MqttServerOptions, startMqttServer } from './aedes.ts';
import { type BrokerStats, StatsRecorder } from './broker-stats.ts';
import type { ByteStream } from './byte-stream.ts';
import type { ClientHandlers } from './client-handlers.ts';
import type { Connection } from './connection.ts';
import type { ConnectionServices } from './connection-services.ts';
import { type ConnectionLimits, ConnectionTable, defaultConnectionLimits } from './connection-table.ts';
import { createEntrance } from './entrance.ts';
import { KeepAliveWatch } from './keep-alive.ts';
import { type BrokerAddresses, type BrokerEndpoints, createListeners } from './listeners.ts';
import { createLoginRejections } from './login-rejections.ts';
import { defaultPacketLimits, type PacketLimits } from './packet-limits.ts';
import { type ReadLimits, ReadScheduler, ReadSlot } from './read-scheduler.ts';
import { createRelay, type OpenRelay, type RelayedListener } from './relay.ts';
import type { WriteBuffer } from './write-buffer.ts';

export interface BrokerOptions extends Pick<MqttServerOptions, 'checkedBy'> {
  readonly endpoints: BrokerEndpoints;
  readonly handlers: ClientHandlers;
  readonly clock: Clock;
  readonly tickBatcher: TickBatcher;
  readonly log: Log;
  /** By default one that does not end. */
  readonly lease?: Lease;
  /** Passes connections on while this node has no lease; absent: then they are closed. */
  readonly openRelay?: OpenRelay | undefined;
  /** A message that takes longer to handle costs its client the connection. */
  readonly hookTimeoutMs?: number;
  /** What a client may send, how many there may be, and how they share the event loop. */
  readonly limits?: Partial<PacketLimits & ConnectionLimits & ReadLimits>;
}

export interface Broker extends Part {
  /** Where it listens, once started. */
  addresses(): BrokerAddresses;
  /** Closes all connections; the clients may come back. */
  disconnectAll(reason: string): void;
  /** Serves a connection that came in elsewhere, such as a WebSocket, as if it had come to a listener. */
  accept(stream: ByteStream): void;
  /** Serves a connection that another node passes on; closes it when this one has no lease either. */
  acceptRelayed(stream: ByteStream, listener: RelayedListener): void;
  /** Listens before the broker starts: for a node that passes connections on. */
  readonly listening: Part;
  stats(): BrokerStats;
}

const stopTimeoutMs = 2_000;

/** A broker for these client handlers. It listens from `start` on. */
export function createBroker(options: BrokerOptions): Broker {
  const { handlers, clock, tickBatcher, log, checkedBy, lease = endlessLease, hookTimeoutMs = 15_000 } = options;
  const connectionLimits = { ...defaultConnectionLimits, ...options.limits };
  const limited = createRateLimitedLog({ clock, log });
  const stats = new StatsRecorder(limited, connectionLimits);
  const table = new ConnectionTable<Connection>(connectionLimits);
  const reads = new ReadScheduler({ clock, drain: tickBatcher.drain, limits: options.limits });
  const loginRejections = createLoginRejections({ clock, limited });
  const services: ConnectionServices = {
    handlers,
    clock,
    reads,
    keepAlives: new KeepAliveWatch({ clock }),
    limits: { ...defaultPacketLimits, ...options.limits },
    stats,
    log,
    lease,
    timeoutMs: hookTimeoutMs,
    hold: (bytes) => reads.hold(bytes),
    flushSoon: tickBatcher.batch('packets', (buffer: WriteBuffer) => buffer.flush()),
  };
  let server: MqttServer | undefined;
  const enter = createEntrance({ table, services, server: () => server });
  const relay = options.openRelay && createRelay(options.openRelay, options.clock);
  const accept: typeof enter = (stream, listener) => {
    if (relay === undefined || lease.leftMs() > 0) enter(stream, listener);
    else relay(stream, listener);
  };
  const listeners = createListeners(options.endpoints, {
    log,
    readSlot: (owner) => new ReadSlot(owner, reads),
    accept,
    onHandshakeFailed: (remoteAddress, reason) => stats.handshakeFailed(remoteAddress, reason),
    onOutsider: (remoteAddress) => stats.packetRejected(originOf(remoteAddress), {}, 'other-network'),
  });

  function disconnectAll(reason: string): void {
    for (const connection of table.all()) connection.close(reason);
  }

  /** Also when the process ends without a stop, so that what lies in the kernel for a client that knows no expiry is taken back. */
  function destroyAll(): void {
    for (const { stream } of table.all()) stream.destroy();
  }

  /** The listeners first, so that nobody comes in while the others go. */
  async function stop(): Promise<void> {
    const stopping = server;
    server = undefined;
    listeners.close();
    disconnectAll('the gateway stops');
    if (stopping !== undefined) await within(clock, stopTimeoutMs, (onClosed) => stopping.close(onClosed));
    listeners.endHandshakes();
    destroyAll();
    process.off('exit', destroyAll);
  }

  let listening: Promise<void> | undefined;
  const listen = (): Promise<void> => (listening ??= listeners.start());

  return {
    name: 'mqtt',
    listening: {
      name: 'mqtt-listeners',
      start: listen,
      async stop() {
        listeners.close();
        listeners.endHandshakes();
      },
    },
    async start() {
      process.on('exit', destroyAll);
      server = await startMqttServer({
        ...{ checkedBy, loginRejections, stats, log },
        connectionOf: (stream) => table.of(stream),
        onAdmitted(connection) {
          connection.admit();
          table.keep(connection);
        },
      });
      try {
        await listen();
      } catch (error) {
        await stop();
        throw error;
      }
      log.info(listeners.addresses(), 'Listening for locks (MQTT).');
    },
    stop,
    addresses: listeners.addresses,
    disconnectAll,
    accept: (stream) => accept(stream, 'mqtt'),
    acceptRelayed: enter,
    stats: () => ({
      ...stats.stats(),
      ...reads.stats(),
      openConnections: table.size(),
      refusalsWaiting: loginRejections.waiting(),
      slowedNetworks: loginRejections.slowed(),
      ...listeners.stats(),
    }),
  };
}

/** Resolves when `begin` has called back, or after that time. */
function within(clock: Clock, ms: number, begin: (onDone: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.timer(ms, resolve);
    begin(() => {
      cancel();
      resolve();
    });
  });
}
