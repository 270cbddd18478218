// The control socket: a Unix socket in the data directory, for its owner alone, by which an operator on the same machine controls the
// daemon. One JSON line is the request, one JSON line the answer; lines of progress or of a long result may come before it. Its actions are those that no
// caller over the network may use, or only with a token.
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Log, Part } from '../../domain/part.ts';
import { controlSocket, firstLine } from './control-line.ts';

/** Time for a request to arrive, and for a client to read the answer. The action in between may take longer: a backup does. */
const patienceMs = 10_000;
/** Further connections are rejected, because each may hold an answer in memory. */
const mostConnections = 16;
/** What a client may leave unread of a result that comes in lines. */
const mostUnread = 4 * 1024 * 1024;
/** The least time between two lines of progress. */
const progressMs = 200;

/** `action` names the action; the other members are its parameters. */
export interface ControlRequest {
  readonly action: string;
  readonly [member: string]: unknown;
}

/** The client of a request, while its action runs. */
export interface ControlClient {
  /** With a number that grows while the client waits. */
  progress(done: number): void;
  /** One line of a result that comes bit by bit. A client that reads too slowly is disconnected. */
  line(content: object): void;
  /** Aborted when the client leaves. Without this call it is not noticed before the answer. */
  gone(): AbortSignal;
}

/** The actions; each resolves with the members of the answer, or rejects with a sentence. */
export type ControlActions = Readonly<Record<string, (request: ControlRequest, client: ControlClient) => Promise<object>>>;

/** Since the start. */
export interface ControlStats {
  readonly asked: number;
  /** Requests that were refused or failed. */
  readonly failed: number;
  /** Connections without a valid request: too long, too slow, not JSON, too many at once. */
  readonly dropped: number;
}

/** Counts the requests, for the status. */
export interface ControlCounts {
  add(what: keyof ControlStats): void;
  stats(): ControlStats;
}

export function createControlCounts(): ControlCounts {
  let stats: ControlStats = { asked: 0, failed: 0, dropped: 0 };
  return {
    add(what) {
      stats = { ...stats, [what]: stats[what] + 1 };
    },
    stats: () => stats,
  };
}

/** Serves `actions` at `control.sock` in the data directory (mode 0600). */
export function createControl(options: {
  readonly directory: string;
  readonly actions: ControlActions;
  readonly clock: Clock;
  readonly log: Log;
  readonly counts?: Pick<ControlCounts, 'add'>;
}): Part {
  const { directory, actions, clock, log, counts = createControlCounts() } = options;
  const path = controlSocket(directory);
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  const { add: count } = counts;

  async function answer(request: ControlRequest, client: ControlClient): Promise<object> {
    const { action } = request;
    count('asked');
    try {
      const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (run === undefined) throw new DomainError('not-found', 'this latchd knows no such action; is it older than the command?');
      // A GET changes nothing.
      log[action.startsWith('GET ') ? 'debug' : 'info']({ code: 'control', action }, 'an operator on this machine asked for something');
      return { ok: true, ...(await run(request, client)) };
    } catch (error) {
      count('failed');
      if (error instanceof DomainError) return { ok: false, code: error.code, error: error.message, parameters: error.parameters };
      log.warn({ code: 'control-failed', action, err: error }, 'what an operator on this machine asked for failed');
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  }

  async function converse(socket: Socket): Promise<void> {
    const late = clock.timer(patienceMs, () => socket.destroy());
    let request: ControlRequest | undefined;
    try {
      request = parse(await firstLine(socket));
    } catch {
      // The client closed the connection or sent too much.
    } finally {
      late();
    }
    if (request === undefined) {
      count('dropped');
      socket.destroy();
      return;
    }
    const line = `${JSON.stringify(await answer(request, clientOf(socket, clock)))}\n`;
    const unread = clock.timer(patienceMs, () => socket.destroy());
    socket.once('close', unread);
    socket.end(line);
    // Node notices the end of a socket only while it reads.
    socket.resume();
  }

  return {
    name: 'control',
    async start() {
      const opening = createServer((socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        socket.on('error', () => socket.destroy());
        void converse(socket);
      });
      opening.maxConnections = mostConnections;
      opening.on('drop', () => count('dropped'));
      try {
        // A killed process left it behind: the lock of the data directory proves that no other process uses it.
        await rm(path, { force: true });
        await new Promise<void>((resolve, reject) => {
          opening.once('error', reject);
          opening.listen(path, resolve);
        });
        await chmod(path, 0o600);
        server = opening;
      } catch (error) {
        // Doors do not depend on it: the file system may not support sockets, or the path may be longer than 107 bytes, the limit of a
        // socket.
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

function clientOf(socket: Socket, clock: Clock): ControlClient {
  let saidAt = clock.monotonic();
  return {
    progress(progress) {
      if (clock.monotonic() - saidAt < progressMs || socket.writableNeedDrain) return;
      saidAt = clock.monotonic();
      socket.write(`${JSON.stringify({ progress })}\n`);
    },
    line(line) {
      if (socket.writableLength > mostUnread) socket.destroy();
      else socket.write(`${JSON.stringify({ line })}\n`);
    },
    gone() {
      const left = new AbortController();
      if (socket.destroyed) left.abort();
      socket.once('close', () => left.abort());
      // Node notices the end of a socket only while it reads.
      socket.resume();
      return left.signal;
    },
  };
}

function parse(line: string): ControlRequest | undefined {
  const value: unknown = JSON.parse(line);
  return typeof value === 'object' && value !== null && 'action' in value && typeof value.action === 'string'
    ? (value as ControlRequest)
    : undefined;
}
