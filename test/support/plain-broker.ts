// Aedes behind the packet filter and nothing else: no access rules, sessions as the clients want them.
import { createServer, type Socket } from 'node:net';
import { Aedes, type Client } from 'aedes';
import { type Forwarder, forwardNothing } from '../../src/broker/aedes.ts';
import type { InboundPacket } from '../../src/broker/inbound-pipeline.ts';
import { pubackPackets } from '../../src/broker/outgoing-packets.ts';
import { PacketFilter } from '../../src/broker/packet-filter.ts';
import { defaultPacketLimits, type PacketLimits } from '../../src/broker/packet-limits.ts';
import type { PacketRejection } from '../../src/broker/packet-rejections.ts';
import { WriteBuffer } from '../../src/broker/write-buffer.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';
import { realClock } from './mqtt-clock.ts';

export interface PlainBrokerOptions {
  readonly guarded: boolean;
  /**
   * Publishes go to this and to nobody else, as in the gateway: nothing is forwarded, and with the guard those of QoS 0 and 1 go past
   * Aedes, which then is not asked to acknowledge them either.
   */
  readonly receive?: (topic: string, payload: Buffer | string) => void;
  readonly limits?: Partial<PacketLimits>;
  onRejected?(rejection: PacketRejection): void;
}

/** Listens on a free port of the loopback. */
export async function startPlainBroker({ guarded, receive, limits, onRejected = () => {} }: PlainBrokerOptions) {
  const aedes = await Aedes.createBroker({
    concurrency: 5_000,
    ...(receive && {
      authorizePublish: (_client, packet, callback) => {
        receive(packet.topic, packet.payload);
        callback();
      },
    }),
  });
  if (receive !== undefined) forwardNothing(aedes as Forwarder);
  const admit = new WeakMap<Client, () => void>();
  const sockets = new Set<Socket>();
  const flushSoon = createTickBatcher().batch('packets', (buffer: WriteBuffer) => buffer.flush());
  aedes.on('connackSent', ({ returnCode }, client) => returnCode === 0 && admit.get(client)?.());
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const buffer = new WriteBuffer({ stream: socket, mayServe: () => true, onStuck: () => {} }, { clock: realClock, flushSoon });
    const owner = {
      onRejected,
      onPaused: () => {},
      takePublish({ topic, payload, messageId }: InboundPacket) {
        receive?.(topic, payload);
        if (messageId !== undefined) buffer.send(pubackPackets([messageId]));
        return true;
      },
    };
    const filter = guarded
      ? new PacketFilter(socket, { clock: realClock, limits: { ...defaultPacketLimits, ...limits } }, owner)
      : undefined;
    const client = aedes.handle(socket);
    if (filter === undefined) return;
    socket.on('close', () => filter.end());
    admit.set(client, () => filter.admit());
    if (receive !== undefined) filter.openFastPath();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };

  return {
    ...{ port, aedes },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => aedes.close(resolve));
      await closed;
    },
  };
}
