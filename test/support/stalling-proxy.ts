// A TCP proxy whose connections can stand still both ways and flow on, as a network that stalls: nothing is lost, everything is late.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface StallingProxy {
  readonly port: number;
  /** Nothing passes from now on, on new connections either. */
  stall(): void;
  flow(): void;
  close(): Promise<void>;
}

export async function startStallingProxy(serverPort: number): Promise<StallingProxy> {
  const sockets = new Set<Socket>();
  let isStalled = false;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: serverPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void to.write(bytes));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => void sockets.delete(from));
      if (isStalled) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    flow() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
