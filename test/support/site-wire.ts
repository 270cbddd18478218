// The network between locks and gateway: a relay on a port of its own that stays when the gateway is restarted elsewhere,
// can go half-open, and remembers every byte, so that a test sees what was really said and not what either side believes.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Wire {
  /** Where locks connect, such as `mqtt://127.0.0.1:40123`. */
  readonly url: string;
  /** From now on connections go to this gateway; undefined: nobody is there. */
  lead(mqttUrl: string | undefined): void;
  /** From now on connections of this lock go to this gateway, wherever those of others go. */
  leadLock(deviceId: string, mqttUrl: string): void;
  /** Everything that went to locks, of all connections, those that have ended included. */
  toLocks(): string;
  fromLocks(): string;
  /** A command that went to this lock. */
  command(deviceId: string, id: string): { readonly session: string; readonly expires: number } | undefined;
  /** Shows from now on what passes, in pieces as they come; undefined: nobody looks any more. */
  watch(see: ((deviceId: string, bytes: string, way: 'to-lock' | 'from-lock') => void) | undefined): void;
  /** How often this text went to locks. */
  sent(text: string): number;
  /** Half-open: the connection of this lock stays up and carries nothing, either way, until `thaw`. */
  freeze(deviceId: string): void;
  /** Freezes it when what passes next, either way, says so: `at` gives how many bytes of it still pass. One at a time for each lock. */
  freezeAt(deviceId: string, at: Trap): void;
  /**
   * What was held goes on its way. That the gateway has ended the connection meanwhile is lost: the lock learns of it by `reset`.
   */
  thaw(deviceId: string): void;
  /** What this lock says on a connection that the gateway has ended is answered by a reset at last. */
  reset(deviceId: string): void;
  close(): Promise<void>;
}

/** Asked about everything that passes until it gives a number. */
export type Trap = (bytes: string, way: 'to-lock' | 'from-lock') => number | undefined;

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  deviceId: string;
  toLock: string;
  fromLock: string;
  held: (() => void)[] | undefined;
  trap: Trap | undefined;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

function targetOf(mqttUrl: string): Target {
  const { hostname, port } = new URL(mqttUrl);
  return { host: hostname, port: Number(port) };
}

/** The client id: the first name in a CONNECT. */
const clientId = /[0-9a-f]{12}/;

/** Listens on a free port of the loopback. */
export async function openWire(): Promise<Wire> {
  const lines: Line[] = [];
  /** Looking through all of them would take a round of thousands of connections longer than its locks do. */
  const linesByLock = new Map<string, Line[]>();
  let see: Parameters<Wire['watch']>[0];
  let target: Target | undefined;
  const targets = new Map<string, Target>();

  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => undefined);
    if (targets.size > 0) {
      // Which lock it is, its first packet says.
      near.once('data', (bytes) => {
        near.unshift(bytes);
        open(near, targets.get(clientId.exec(bytes.toString('latin1'))?.[0] ?? '') ?? target);
      });
    } else open(near, target);
  });
  function open(near: Socket, to: Target | undefined): void {
    if (to === undefined) {
      near.destroy();
      return;
    }
    const far = connect({ ...to, noDelay: true });
    far.on('error', () => undefined);
    const line: Line = { near, far, deviceId: '', toLock: '', fromLock: '', held: undefined, trap: undefined };
    lines.push(line);
    const pass = (action: () => void): void => {
      if (line.held === undefined) action();
      else line.held.push(action);
    };
    const toFar = (bytes: Buffer): void => {
      line.fromLock += bytes.toString('latin1');
      const [deviceId] = line.deviceId === '' ? (clientId.exec(line.fromLock) ?? []) : [];
      if (deviceId !== undefined) {
        line.deviceId = deviceId;
        linesByLock.set(deviceId, [...linesOf(deviceId), line]);
      }
      see?.(line.deviceId, bytes.toString('latin1'), 'from-lock');
      if (!far.destroyed) far.write(bytes);
    };
    const toNear = (bytes: Buffer): void => {
      line.toLock += bytes.toString('latin1');
      see?.(line.deviceId, bytes.toString('latin1'), 'to-lock');
      near.write(bytes);
    };
    const carry = (bytes: Buffer, way: Parameters<Trap>[1], to: (bytes: Buffer) => void): void => {
      const cut = line.held === undefined ? line.trap?.(bytes.toString('latin1'), way) : undefined;
      if (cut === undefined) {
        pass(() => to(bytes));
        return;
      }
      line.trap = undefined;
      if (cut > 0) to(bytes.subarray(0, cut));
      line.held = cut < bytes.length ? [() => to(bytes.subarray(cut))] : [];
    };
    near.on('data', (bytes) => carry(bytes, 'from-lock', toFar));
    far.on('data', (bytes) => carry(bytes, 'to-lock', toNear));
    near.on('close', () => pass(() => far.destroy()));
    far.on('close', () => {
      if (line.held === undefined) near.end(() => near.destroy());
    });
  }
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));

  const linesOf = (deviceId: string): readonly Line[] => linesByLock.get(deviceId) ?? [];
  const toLocks = (): string => lines.map((line) => line.toLock).join('\n');

  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(mqttUrl) {
      target = mqttUrl === undefined ? undefined : targetOf(mqttUrl);
    },
    leadLock: (deviceId, mqttUrl) => void targets.set(deviceId, targetOf(mqttUrl)),
    toLocks,
    fromLocks: () => lines.map((line) => line.fromLock).join('\n'),
    command(deviceId, id) {
      for (const { toLock } of linesOf(deviceId)) {
        const at = toLock.lastIndexOf(`{"id":"${id}"`);
        if (at < 0) continue;
        const { session, expires } = JSON.parse(toLock.slice(at, toLock.indexOf('}', toLock.indexOf('"expires"', at)) + 1));
        return { session, expires };
      }
      return undefined;
    },
    watch(next) {
      see = next;
    },
    sent: (text) => toLocks().split(text).length - 1,
    freeze(deviceId) {
      for (const line of linesOf(deviceId)) line.held ??= [];
    },
    freezeAt(deviceId, at) {
      for (const line of linesOf(deviceId)) line.trap = at;
    },
    thaw(deviceId) {
      for (const line of linesOf(deviceId)) {
        line.trap = undefined;
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
