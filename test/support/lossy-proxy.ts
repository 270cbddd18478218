// A TCP proxy in front of a server that loses the connection at a chosen moment: before a message arrives there, or after the server has done
// what it says and before its answer arrives here.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Lost = 'message' | 'answer';

export interface LossyProxy {
  readonly port: number;
  /** The next message with this text gets lost, or its answer; resolves when that has happened. */
  lose(what: Lost, text: string): Promise<void>;
  close(): Promise<void>;
}

export async function startLossyProxy(serverPort: number): Promise<LossyProxy> {
  let plan: { readonly what: Lost; readonly text: string; readonly done: () => void } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    let losing: (() => void) | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (bytes) => {
      if (plan !== undefined && bytes.includes(plan.text)) {
        const { what, done } = plan;
        plan = undefined;
        if (what === 'message') {
          cut();
          done();
          return;
        }
        losing = done;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (losing === undefined) client.write(bytes);
      else {
        cut();
        losing();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose: (what, text) =>
      new Promise((done) => {
        plan = { what, text, done };
      }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
