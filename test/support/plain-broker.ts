// Aedes behind the frame guard and nothing else: no access rules, sessions as the clients want them.
import { createServer, type Socket } from 'node:net';
import { Aedes, type Client } from 'aedes';
import { type Forwarder, forwardNothing } from '../../src/broker/forward-nothing.ts';
import { defaultFrameLimits, type FrameLimits, guardFrames } from '../../src/broker/packet-filter.ts';
import type { FrameRefusal } from '../../src/broker/packet-rejections.ts';
import { pubackPackets } from '../../src/broker/packets.ts';
import { Outbox } from '../../src/broker/write-buffer.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';
import { realClock } from './mqtt-clock.ts';

export interface PlainBrokerOptions {
  readonly guarded: boolean;
  /**
   * Publishes go to this and to nobody else, as in the gateway: nothing is forwarded, and with the guard those of QoS 0 and 1 go past
   * Aedes, which then is not asked to acknowledge them either.
   */
  readonly receive?: (topic: string, payload: Buffer | string) => void;
  readonly limits?: Partial<FrameLimits>;
  onRefused?(refusal: FrameRefusal): void;
}

/** Listens on a free port of the loopback. */
export async function startPlainBroker({ guarded, receive, limits, onRefused = () => {} }: PlainBrokerOptions) {
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
  const flushSoon = createTickBatcher().batch('packets', (outbox: Outbox) => outbox.flush());
  aedes.on('connackSent', ({ returnCode }, client) => returnCode === 0 && admit.get(client)?.());
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const guard = guarded
      ? guardFrames(socket, { clock: realClock, limits: { ...defaultFrameLimits, ...limits } }, { onRefused })
      : undefined;
    const client = aedes.handle(socket);
    if (guard === undefined) return;
    socket.on('close', () => guard.end());
    admit.set(client, () => guard.admit());
    if (receive === undefined) return;
    const outbox = new Outbox(socket, flushSoon);
    guard.divert({
      take({ topic, payload, messageId }) {
        receive(topic, payload);
        if (messageId !== undefined) outbox.send(pubackPackets([messageId]));
        return true;
      },
    });
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
