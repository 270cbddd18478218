// A TCP proxy whose connections can stand still both ways and flow on, as a network that stalls: nothing is lost, everything is late.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface StallingProxy {
  readonly port: number;
  /** Once so many more bytes have passed, both ways together (default 0: at once), nothing passes, on new connections either. */
  stall(afterBytes?: number): void;
  flow(): void;
  close(): Promise<void>;
}

export async function startStallingProxy(serverPort: number): Promise<StallingProxy> {
  const sockets = new Set<Socket>();
  /** What was read before it stood still and has yet to pass. */
  let held: (() => void)[] = [];
  let passed = 0;
  /** Nothing passes once `passed` is there. */
  let stallsAt = Number.POSITIVE_INFINITY;
  const isStalled = (): boolean => passed >= stallsAt;

  function pass(bytes: Buffer, to: Socket): void {
    const now = bytes.subarray(0, Math.max(0, stallsAt - passed));
    passed += now.length;
    if (now.length > 0) to.write(now);
    if (now.length < bytes.length) held.push(() => pass(bytes.subarray(now.length), to));
    if (isStalled()) for (const socket of sockets) socket.pause();
  }
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: serverPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => pass(bytes, to));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => void sockets.delete(from));
      if (isStalled()) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stall(afterBytes = 0) {
      stallsAt = passed + afterBytes;
      if (isStalled()) for (const socket of sockets) socket.pause();
    },
    flow() {
      stallsAt = Number.POSITIVE_INFINITY;
      const waiting = held;
      held = [];
      for (const go of waiting) go();
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
