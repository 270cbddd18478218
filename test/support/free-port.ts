// A port for a program that takes no 0, or that must come back at the same one.
import { createServer } from 'node:net';

/** Below those that the kernel gives to connections going out: one of them would take it while the program is down. */
const [lowestPort, ports] = [12_000, 20_000];

/** A port of the loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * ports);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
