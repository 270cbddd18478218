// A node that sends on what it is asked, and before it one that serves, on real ports over mutual TLS.
import { createServer as createHttpServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { DomainError } from '../../src/domain/errors.ts';
import { createForwarding, type Forwarding, type ServingNode } from '../../src/http/peers/forwarding.ts';
import { counterPath, expiryOf, notBegunHeader, stopPath } from '../../src/http/peers/peer-requests.ts';
import type { RequestEffect } from '../../src/http/pipeline/effect.ts';
import { createClock } from '../../src/platform/clock.ts';
import { newAuthority } from '../../src/platform/tls/local-ca.ts';
import { makePeerIdentity } from '../../src/platform/tls/peer-certificate.ts';
import { captureLog } from '../stores/files/support/directory.ts';

const clock = createClock();
const nameOf = (incarnation: string): string => `${incarnation}.node.latchd`;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = (server: Server): Promise<void> => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** What a client hears. */
export interface Heard {
  readonly status: number | undefined;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

export interface ForwardingNode {
  readonly forwarding: Forwarding;
  readonly outcomes: string[];
  /** What the node that serves said beside its answers: the id of the request, and whose token it has found. */
  readonly said: (readonly [string | undefined, number | undefined])[];
  /** Requests that came to the node that serves, without those for its counter and its stop. */
  readonly came: IncomingMessage[];
  /** Requests that the node that is asked has to handle itself: when they came, and until when their client waits. */
  readonly handledHere: { readonly at: number; readonly expiresAt: number | undefined }[];
  serving: ServingNode | undefined;
  /** When requests are said to have come; undefined: when they come. */
  askedAt?: number;
  /** Of the lease of the node that is asked. */
  leftMs: number;
  /** Whether the node that is asked may serve next. */
  mayServe: boolean;
  /** Whether it is about to serve. */
  hasLease: boolean;
  /** Whether the node that serves takes requests, or refuses them before it looks at them. */
  takes: boolean;
  /** Whether the node that is asked has heard that the other one stops. */
  heardOfStop: boolean;
  /** The node that serves says that it stops, and takes nothing any more. */
  saysStop(): void;
  port(): number;
  /** Sends a request through. */
  ask(options?: {
    readonly method?: string;
    readonly effect?: RequestEffect;
    readonly headers?: Record<string, string>;
    readonly body?: string;
    readonly signal?: AbortSignal;
  }): Promise<Heard>;
  close(): void;
}

/** `counter`: what the node that serves says of its clock; `hasLease`: whether it has its lease; `incarnation`: which process it should be. */
export async function openForwardingNode(
  handle: Handle,
  { counter = (): number => 1_000, incarnation = 'one', hasLease = (): boolean => true, commandTimeoutMs = 300 } = {},
): Promise<ForwardingNode> {
  const authority = await newAuthority(clock);
  const awaiting: ServerResponse[] = [];
  const peer = createServer({ ...(await makePeerIdentity(authority, nameOf('one'))), requestCert: true, rejectUnauthorized: true });
  // It ends no connection by itself.
  peer.keepAliveTimeout = 0;
  const take = (asked: IncomingMessage, answer: ServerResponse): void => {
    if (asked.url === counterPath) return void answer.writeHead(hasLease() && node.takes ? 200 : 503).end(String(counter()));
    if (asked.url === stopPath) return void awaiting.push(answer);
    if (!node.takes) return void answer.writeHead(503, { [notBegunHeader]: '1' }).end();
    if (asked.headers.expect !== undefined) answer.writeContinue();
    node.came.push(asked);
    handle(asked, answer);
  };
  peer.on('request', take).on('checkContinue', take);
  await listen(peer);
  const front = createHttpServer((asked, answer) => {
    const effect = asked.url?.split('?')[1] as RequestEffect;
    const at = clock.monotonic();
    const sent = node.forwarding.send(asked, answer, { effect, isClosing: false, onAnswer: (...one) => void node.said.push(one) });
    sent.then(
      (outcome) => {
        if (outcome === 'ended') return;
        node.handledHere.push({ at, expiresAt: expiryOf(asked) });
        answer.end('here');
      },
      (error: unknown) => {
        answer.statusCode = 599;
        answer.end(error instanceof DomainError ? `${error.code}: ${error.message}` : String(error));
      },
    );
  });
  await listen(front);
  const node: ForwardingNode = {
    ...{ came: [], outcomes: [], said: [], handledHere: [], leftMs: 0, mayServe: false, hasLease: false, takes: true, heardOfStop: false },
    serving: { incarnation, name: 'box-1', url: `https://127.0.0.1:${portOf(peer)}` },
    forwarding: createForwarding({
      ...{ clock, log: captureLog(), commandTimeoutMs, certificateName: nameOf },
      emit: (name, event) => void (name === 'request-forwarded' && node.outcomes.push((event as { outcome: string }).outcome)),
      serving: () => node.serving,
      stallDetector: { requestTime: () => node.askedAt ?? clock.monotonic(), settled: () => undefined },
      ...{ lease: { leftMs: () => node.leftMs }, mayServe: () => node.mayServe, hasLease: () => node.hasLease },
      onStop() {
        node.heardOfStop = true;
      },
    }),
    saysStop() {
      node.takes = false;
      for (const answer of awaiting.splice(0)) answer.writeHead(200, { Connection: 'close' }).end();
    },
    port: () => portOf(front),
    ask: ({ method = 'POST', effect = 'change', headers = {}, body, signal } = {}) =>
      new Promise((resolve, reject) => {
        const where = { port: portOf(front), method, path: `/there?${effect}`, headers, agent: false };
        const asked = request({ ...where, ...(signal && { signal }) }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (some: string) => {
            text += some;
          });
          answer.on('end', () => resolve({ status: answer.statusCode, text, headers: answer.headers }));
          answer.on('error', reject);
        });
        asked.on('error', reject);
        asked.end(body);
      }),
    close() {
      node.forwarding.stop();
      peer.closeAllConnections();
      peer.close();
      front.closeAllConnections();
      front.close();
    },
  };
  node.forwarding.start(await makePeerIdentity(authority, nameOf('two')));
  return node;
}
