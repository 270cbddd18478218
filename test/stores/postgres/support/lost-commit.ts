// A TCP proxy to a PostgreSQL server on which the connection of a COMMIT breaks.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Where it breaks: `before` the server has the COMMIT, or `after` that, before its answer. */
export type Break = 'before' | 'after';

export interface LostCommit {
  readonly port: number;
  /** Whether the commit has come on which the connection broke. */
  isBroken(): boolean;
  /** Whether nobody gets through. */
  isAway(): boolean;
  /** Lets connections through again. */
  mend(): void;
  close(): void;
}

/** Breaks the first COMMIT that comes while `isDue`; `isAway`: then nobody gets through until `mend`. */
export async function loseCommit(options: {
  readonly toPort: number;
  readonly where: Break;
  readonly isAway: boolean;
  readonly isDue: () => boolean;
}): Promise<LostCommit> {
  const { toPort, where, isAway, isDue } = options;
  const sockets = new Set<Socket>();
  let isBroken = false;
  let isMended = false;
  const isCut = (): boolean => isBroken && isAway && !isMended;

  const server = createServer({ noDelay: true }, (near) => {
    if (isCut()) {
      near.destroy();
      return;
    }
    const far = connect({ host: '127.0.0.1', port: toPort, noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => void sockets.delete(from));
    }
    far.on('data', (bytes) => void near.write(bytes)).on('close', () => near.destroy());
    near.on('close', () => far.end());
    near.on('data', (bytes) => {
      if (isBroken || !bytes.includes('COMMIT\0') || !isDue()) {
        far.write(bytes);
        return;
      }
      isBroken = true;
      if (where === 'after') far.write(bytes);
      near.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    isBroken: () => isBroken,
    isAway: isCut,
    mend() {
      isMended = true;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
