// The network between locks and gateway: a relay on a port of its own that stays when the gateway is restarted elsewhere,
// can go half-open, and remembers every byte, so that a test sees what was really said and not what either side believes.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Wire {
  /** Where locks connect, such as `mqtt://127.0.0.1:40123`. */
  readonly url: string;
  /** From now on connections go to this gateway; undefined: nobody is there. */
  lead(mqttUrl: string | undefined): void;
  /** Everything that went to locks, of all connections, those that have ended included. */
  toLocks(): string;
  fromLocks(): string;
  /** How often this text went to locks. */
  sent(text: string): number;
  /** Half-open: the connection of this lock stays up and carries nothing, either way, until `thaw`. */
  freeze(deviceId: string): void;
  /**
   * What was held goes on its way. That the gateway has ended the connection meanwhile is lost: the lock learns of it by `reset`.
   */
  thaw(deviceId: string): void;
  /** What this lock says on a connection that the gateway has ended is answered by a reset at last. */
  reset(deviceId: string): void;
  close(): Promise<void>;
}

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  toLock: string;
  fromLock: string;
  held: (() => void)[] | undefined;
}

/** Listens on a free port of the loopback. */
export async function openWire(): Promise<Wire> {
  const lines: Line[] = [];
  let target: { readonly host: string; readonly port: number } | undefined;

  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => undefined);
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = connect({ ...target, noDelay: true });
    far.on('error', () => undefined);
    const line: Line = { near, far, toLock: '', fromLock: '', held: undefined };
    lines.push(line);
    const pass = (action: () => void): void => {
      if (line.held === undefined) action();
      else line.held.push(action);
    };
    near.on('data', (bytes) =>
      pass(() => {
        line.fromLock += bytes.toString('latin1');
        if (!far.destroyed) far.write(bytes);
      }),
    );
    far.on('data', (bytes) =>
      pass(() => {
        line.toLock += bytes.toString('latin1');
        near.write(bytes);
      }),
    );
    near.on('close', () => pass(() => far.destroy()));
    far.on('close', () => {
      if (line.held === undefined) near.end(() => near.destroy());
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));

  // A lock names itself in its CONNECT.
  const linesOf = (deviceId: string): Line[] => lines.filter((line) => line.fromLock.includes(deviceId));
  const toLocks = (): string => lines.map((line) => line.toLock).join('\n');

  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(mqttUrl) {
      const url = mqttUrl === undefined ? undefined : new URL(mqttUrl);
      target = url && { host: url.hostname, port: Number(url.port) };
    },
    toLocks,
    fromLocks: () => lines.map((line) => line.fromLock).join('\n'),
    sent: (text) => toLocks().split(text).length - 1,
    freeze(deviceId) {
      for (const line of linesOf(deviceId)) line.held ??= [];
    },
    thaw(deviceId) {
      for (const line of linesOf(deviceId)) {
        const held = line.held ?? [];
        line.held = undefined;
        for (const action of held) action();
      }
    },
    reset(deviceId) {
      for (const { near, far } of linesOf(deviceId)) if (far.destroyed) near.destroy();
    },
    async close() {
      for (const { near, far } of lines) {
        near.destroy();
        far.destroy();
      }
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
