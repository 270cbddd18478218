// A TCP listener that knows its open sockets, so that it can be stopped for good.
import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../domain/part.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly log: Log;
  accept(socket: Socket): void;
}

export interface Listener {
  /** @throws Error with one sentence for the operator when it cannot listen there */
  start(): Promise<void>;
  /** No new connections from now on; those that are open stay. */
  close(): void;
  destroySockets(): void;
  address(): { readonly host: string; readonly port: number };
  openSockets(): number;
}

export function createListener({ host, port, log, accept }: ListenerOptions): Listener {
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  return {
    async start() {
      // Small messages both ways: without TCP_NODELAY a command could wait 40 ms for an acknowledgement of the last.
      const opening = createServer({ noDelay: true }, (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        // A reset between two owners of the socket must not end the process.
        socket.on('error', () => {});
        accept(socket);
      });
      await new Promise<void>((resolve, reject) => {
        opening.once('listening', resolve);
        opening.once('error', (error: NodeJS.ErrnoException) => {
          const why = error.code === 'EADDRINUSE' ? 'the port is in use already' : (error.code ?? error.message);
          reject(new Error(`Cannot listen for MQTT on ${host}, port ${port}: ${why}.`, { cause: error }));
        });
        // After a power cut all locks come at once; beyond the queue the kernel lets them wait for seconds (T16).
        opening.listen({ port, host, backlog: 4_096 });
      });
      opening.on('error', (error) => log.error({ err: error }, 'The MQTT listener reports an error.'));
      server = opening;
    },
    close() {
      server?.close();
      server = undefined;
    },
    destroySockets() {
      for (const socket of sockets) socket.destroy();
    },
    address() {
      const address = server?.address();
      if (typeof address !== 'object' || address === null) throw new Error('the MQTT listener is not started');
      return { host: address.address, port: address.port };
    },
    openSockets: () => sockets.size,
  };
}
