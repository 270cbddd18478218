// How a floor, in its process, tells the bench where it listens, and ends when the bench is gone.
import type { AddressInfo, Server } from 'node:net';

export async function announce(servers: Readonly<Record<string, Server>>): Promise<void> {
  const addresses: Record<string, { host: string; port: number }> = {};
  for (const [name, server] of Object.entries(servers)) {
    await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve));
    addresses[name] = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }
  process.once('disconnect', () => process.exit(0));
  process.send?.(addresses);
}
