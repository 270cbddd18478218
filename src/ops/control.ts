// The way in for the operator on the same machine: a Unix socket in the data directory, for its owner alone. One JSON line
// asks, one JSON line answers. What it can do is what no caller over the network may.
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Log, Part } from '../domain/part.ts';

const fileName = 'control.sock';
const idleMs = 10_000;
const longestLine = 4_096;

/** What is asked: `action` says which of the actions, the other members are for that one. */
export interface ControlRequest {
  readonly action: string;
  readonly [member: string]: unknown;
}

/** What can be asked; each resolves with the answer's members, or rejects with a sentence. */
export type ControlActions = Readonly<Record<string, (request: ControlRequest) => Promise<object>>>;

/** Serves `actions` at `control.sock` in the data directory (mode 0600). */
export function createControl(options: { readonly directory: string; readonly actions: ControlActions; readonly log: Log }): Part {
  const { directory, actions, log } = options;
  const path = `${directory}/${fileName}`;
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  async function answer(line: string): Promise<object> {
    try {
      const request = JSON.parse(line) as ControlRequest;
      const { action } = request;
      const run = typeof action === 'string' && Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (run === undefined) return { ok: false, error: 'there is no such action' };
      log.info({ code: 'control', action }, 'an operator on this machine asked for something');
      return { ok: true, ...(await run(request)) };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  }

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(idleMs, () => socket.destroy());
    firstLine(socket).then(
      async (line) => socket.end(`${JSON.stringify(await answer(line))}\n`),
      () => socket.destroy(),
    );
  }

  return {
    name: 'control',
    async start() {
      const opening = createServer(serve);
      try {
        // Left behind by a process that was killed; the lock of the data directory says that nobody has it open.
        await rm(path, { force: true });
        await new Promise<void>((resolve, reject) => {
          opening.once('error', reject);
          opening.listen(path, resolve);
        });
        await chmod(path, 0o600);
        server = opening;
      } catch (error) {
        // Doors do not depend on it: a file system without sockets, or a path longer than a socket's may be (107 bytes).
        log.warn({ code: 'control-unavailable', path, err: error }, 'commands of an operator on this machine cannot reach the daemon');
      }
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        if (server === undefined) resolve();
        else server.close(() => resolve());
      });
      server = undefined;
    },
  };
}

/** Asks the running daemon; rejects with a sentence when none runs on that data directory, or when it refuses. */
export async function askControl(directory: string, request: ControlRequest): Promise<Readonly<Record<string, unknown>>> {
  const socket = connect(`${directory}/${fileName}`);
  const asked = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', () => reject(new Error(`no latchd is running on ${directory}`)));
  });
  await asked;
  socket.write(`${JSON.stringify(request)}\n`);
  const line = await firstLine(socket);
  socket.destroy();
  const { ok, error, ...answer } = JSON.parse(line) as Record<string, unknown>;
  if (ok !== true) throw new Error(String(error));
  return answer;
}

/** Rejects when the connection ends before it, or when it is longer than any that makes sense. */
function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > longestLine) reject(new Error('the line is too long'));
    });
    socket.once('close', () => reject(new Error('the connection ended before the line did')));
  });
}
