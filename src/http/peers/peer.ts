// Another node as this one reaches it: connections that stay open, in which both show a certificate of the cluster, and what its monotonic
// clock says.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Clock } from '../../domain/clock.ts';
import { counterPath, lockLinkPath, lockLinkProtocol, stopPath } from './peer-requests.ts';
import { createTurns, type Turns } from './turns.ts';

/** What a node shows to others, and whose certificates it believes (PEM). */
export interface PeerIdentity extends SecureContextOptions {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export interface Peer {
  /** Begins a request; `headers`: name, value, name, value. */
  ask(method: string, path: string, headers: readonly string[]): ClientRequest;
  /** A turn to ask. It is given back when the request has a connection. */
  readonly takeTurn: Turns['take'];
  /** What the clock of the other node shows, or less, when the own one shows `moment`. Rejects as `look` does, and after `close`. */
  itsTime(moment: number): Promise<number>;
  /** Asks for its clock anew. Rejects when it does not answer, or would refuse requests. */
  look(): Promise<void>;
  /** A stream for the connections of locks, to the node as `node-link.ts` has it. Rejects when the node does not give one. */
  openLockLink(): Promise<Duplex>;
  /** Whether it answered within the last seconds, and takes requests. */
  isThere(): boolean;
  /** Whether it has answered nothing for 2.5 s, not even that it takes no requests. */
  isSilent(): boolean;
  /** It took a request no longer: it is there again when it has answered a look, and each time that comes again soon a while later. */
  doubt(): void;
  /** Ends the connections on which no request is under way, and refuses whoever waits for a turn. */
  rest(): void;
  /** Ends all connections, and with them the requests under way. */
  close(): void;
}

const answerMs = 2_000;
/** Of a link: the kernel asks a machine that lost its power after this time. */
const probeAfterMs = 3_000;
/** How long an answer counts: two looks of one second, and the time of an answer. A clock that stood still is wrong no longer than that. */
const freshMs = 2_500;
/** Two clocks run apart by less than this part of the time that has passed. */
const drift = 0.001;
/** How long it is not there after a doubt, though it answers looks: twice as long after each, until there was none for a second. */
const firstDoubtMs = 25;
const mostDoubtMs = 1_000;
const spareConnections = 256;
/** TLS handshakes of requests at a time: together they stop this process for less than a tenth of a second. */
const mostHandshakes = 16;
/** How long a connection is open without a request; a third of what the other node allows (`http/pipeline/endpoint.ts`). */
const restMs = 5_000;

/**
 * `name`: the host name in the certificate that the other node must show. `onStop` is called when it says that it begins to stop: it takes no
 * request from then on, and ends when the connections on which it was asked are closed.
 */
export function createPeer(options: {
  readonly url: string;
  readonly name: string;
  readonly identity: PeerIdentity;
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly onStop: () => void;
}): Peer {
  const { url, name, identity, clock, onStop } = options;
  const { hostname, port } = new URL(url);
  const place = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 443 : Number(port) };
  // One context for all connections: making one reads the certificates and the key anew.
  const secureContext = createSecureContext(identity);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: spareConnections, servername: name, secureContext });
  const free = (): readonly Socket[] => Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
  const turns = createTurns({ clock, most: mostHandshakes, spare: () => free().length });
  // It ends here first: a request that is sent while the other node ends the connection may have begun or not. The agent ends what is at rest.
  agent.on('free', (socket) => {
    socket.setTimeout(restMs);
    turns.look();
  });
  let answeredAt = Number.NEGATIVE_INFINITY;
  let sample: { readonly counter: number; readonly at: number } | undefined;
  let doubted = { ms: 0, until: Number.NEGATIVE_INFINITY };
  let looking: Promise<void> | undefined;
  let isHearing = false;
  let isClosed = false;
  const links = new Set<Duplex>();

  const ask: Peer['ask'] = (method, path, headers) => request({ ...place, agent, method, path, headers, setHost: false });

  function readCounter(): Promise<void> {
    return new Promise((resolve, reject) => {
      const asked = ask('GET', counterPath, ['Host', name]);
      const cancel = clock.timer(answerMs, () => asked.destroy());
      asked.once('close', cancel);
      asked.on('error', reject);
      asked.on('response', (answer: IncomingMessage) => {
        answeredAt = clock.monotonic();
        let text = '';
        answer.setEncoding('latin1');
        answer.on('data', (some: string) => {
          text += some;
        });
        answer.on('error', reject);
        answer.on('end', () => {
          // The time of the answer: its clock has shown that at the latest now.
          const read = { counter: Number(text), at: clock.monotonic() };
          if (answer.statusCode === 503) return reject(new Error('it has no lease now'));
          if (answer.statusCode !== 200 || !Number.isFinite(read.counter)) return reject(new Error('no counter'));
          sample = read;
          resolve();
        });
      });
      asked.end();
    });
  }

  /** An answer other than 200 is one of an older latchd, which does not say it. */
  function hear(): void {
    if (isHearing) return;
    isHearing = true;
    let isAnswered = false;
    const asked = ask('GET', stopPath, ['Host', name]);
    asked.on('error', () => undefined);
    asked.on('response', (answer: IncomingMessage) => {
      isAnswered = true;
      if (answer.resume().statusCode === 200) onStop();
    });
    asked.once('close', () => {
      isHearing = isAnswered;
    });
    asked.end();
  }

  function look(): Promise<void> {
    looking ??= readCounter()
      .then(hear)
      .catch((error: unknown) => {
        // Of a node that does not answer nobody knows what its clock shows now.
        sample = undefined;
        throw error;
      })
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  function openLockLink(): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const asked = ask('GET', lockLinkPath, ['Host', name, 'Connection', 'Upgrade', 'Upgrade', lockLinkProtocol]);
      const cancel = clock.timer(answerMs, () => asked.destroy());
      asked.once('close', cancel);
      asked.on('error', reject);
      // One of an older latchd, or a node that does not serve.
      asked.on('response', (answer) => {
        answer.destroy();
        reject(new Error('it takes no connections of locks'));
      });
      asked.on('upgrade', (_answer, socket, head) => {
        cancel();
        socket.setTimeout(0).setNoDelay(true).setKeepAlive(true, probeAfterMs);
        socket.unshift(head);
        links.add(socket);
        socket.once('close', () => links.delete(socket));
        resolve(socket);
      });
      asked.end();
    });
  }

  const isFresh = (): boolean => sample !== undefined && clock.monotonic() - sample.at <= freshMs;

  return {
    ask,
    takeTurn: turns.take,
    look,
    isThere: () => isFresh() && clock.monotonic() >= doubted.until,
    isSilent: () => clock.monotonic() - answeredAt > freshMs,
    doubt() {
      sample = undefined;
      const now = clock.monotonic();
      if (now < doubted.until) return;
      const ms = now - doubted.until < mostDoubtMs ? Math.min(2 * doubted.ms, mostDoubtMs) : firstDoubtMs;
      doubted = { ms, until: now + ms };
    },
    rest() {
      turns.refuse();
      for (const socket of free()) socket.destroy();
    },
    async itsTime(moment) {
      if (!isFresh()) await look();
      if (isClosed) throw new Error('another node leads now');
      const { counter, at } = sample as { readonly counter: number; readonly at: number };
      return counter + (moment - at) - Math.abs(moment - at) * drift;
    },
    openLockLink,
    close() {
      isClosed = true;
      turns.refuse();
      agent.destroy();
      for (const link of links) link.destroy();
    },
  };
}
