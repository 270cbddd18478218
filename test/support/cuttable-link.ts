// The network to one server: a TCP proxy on the loopback that can be cut, and mended.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `silent`: nothing passes, and nobody is told. `one-way`: what is asked arrives, and no answer comes back. `refused`: all connections end. */
export const cuts = ['silent', 'one-way', 'refused'] as const;
export type Cut = (typeof cuts)[number];

export interface CuttableLink {
  readonly port: number;
  cut(how: Cut): void;
  /** What waits in its connections passes then. */
  mend(): void;
  close(): void;
}

export async function createCuttableLink(toPort: number): Promise<CuttableLink> {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let state: Cut | undefined;

  function apply({ near, far }: { readonly near: Socket; readonly far: Socket }): void {
    if (state === 'refused') near.destroy();
    else {
      flow(near, far, state !== 'silent');
      flow(far, near, state === undefined);
    }
  }
  function become(next: Cut | undefined): void {
    state = next;
    for (const pair of pairs) apply(pair);
  }
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port: toPort, noDelay: true });
    const pair = { near, far };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    apply(pair);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: become,
    mend: () => become(undefined),
    close() {
      for (const { near } of pairs) near.destroy();
      server.close();
    },
  };
}

function flow(from: Socket, to: Socket, passes: boolean): void {
  from.unpipe(to);
  if (passes) from.pipe(to);
  else from.pause();
}
