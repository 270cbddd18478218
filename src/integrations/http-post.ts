// Sends one body by HTTP POST: only to an address that was checked, without following a redirect, and, whatever the receiver does, within a
// limit of time and bytes.
import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  Agent as PlainAgent,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { Clock } from '../domain/clock.ts';
import type { Attempt } from '../domain/delivery/attempt.ts';
import { type CheckedAddresses, createCheckedAddresses, type Lookup } from './checked-addresses.ts';
import { hostOf, type Networks, portOf } from './networks.ts';

/** How much of an answer's body is read; its content is not used. */
const bodyBytesAtMost = 4_096;
const headerBytesAtMost = 8_192;
/** Interim answers (1xx); their content is not used either. */
const informationAtMost = 5;
/** Limits of idle connections: how many per address, which many webhooks may share, and for how long, which is shorter than most servers wait. */
const idle = { keepAlive: true, maxFreeSockets: 40, timeout: 4_000 };

/** No connection was made: another address of the same name may work. */
const nobodyThere: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ECONNABORTED']);

export interface HttpPost {
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

export interface HttpPoster {
  /** Sends the request once. Never rejects. */
  send(post: HttpPost): Promise<Attempt>;
  /** Ends the requests under way. */
  stop(): void;
}

/** The state of one attempt. */
interface Run {
  request?: ClientRequest;
  response?: IncomingMessage;
  isOver: boolean;
}

export function createHttpPoster(options: {
  readonly networks: Networks;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly version: string;
  /** The system's look-up, unless a test gives its own. */
  readonly lookup?: Lookup | undefined;
}): HttpPoster {
  const { networks, timeoutMs, clock, version } = options;
  const checkedAddresses: CheckedAddresses = createCheckedAddresses(options);
  const agents = { plain: new PlainAgent(idle), secure: new SecureAgent(idle) };
  const underWay = new Set<(reason: string) => void>();

  /** Sends the request to the first address that accepts a connection. */
  async function sendToAny(post: HttpPost, url: URL, addresses: readonly string[], run: Run): Promise<void> {
    const agent = agents[url.protocol === 'https:' ? 'secure' : 'plain'];
    for (const [n, address] of addresses.entries()) {
      try {
        await sendTo(post, url, address, run, agent);
        return;
      } catch (error) {
        const isNobodyThere = nobodyThere.has((error as NodeJS.ErrnoException).code ?? '');
        if (!isNobodyThere || run.isOver || n === addresses.length - 1) throw error;
      }
    }
  }
  /** Resolves when the answer has ended or enough of it was read; `status` is set before that. */
  function sendTo(post: HttpPost, url: URL, address: string, run: Run, agent: PlainAgent | false): Promise<void> {
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        // The address that was checked, not the name, which could point to another one by now. TLS takes the expected name from the Host
        // header.
        host: address,
        port: portOf(url),
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { host: url.host, 'content-length': Buffer.byteLength(post.body), 'user-agent': `latchd/${version}`, ...post.headers },
        agent,
        maxHeaderSize: headerBytesAtMost,
      };
      const request = url.protocol === 'https:' ? requestSecure(options) : requestPlain(options);
      run.request = request;
      let informed = 0;
      request.on('information', () => {
        informed += 1;
        if (informed > informationAtMost) request.destroy(new Error(`more than ${informationAtMost} answers 1xx`));
      });
      request.once('response', (response) => {
        run.response = response;
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > bodyBytesAtMost) request.destroy();
        });
        // However the body ends, the status is valid.
        response.on('error', () => undefined);
        response.once('close', () => resolve());
      });
      // 101: the sender did not ask for an upgrade.
      request.once('upgrade', (response, socket) => {
        run.response = response;
        socket.destroy();
        resolve();
      });
      request.on('error', (error) => {
        // The receiver may have closed a reused connection at this very moment.
        const isStale = request.reusedSocket && run.response === undefined && !run.isOver;
        if (isStale) sendTo(post, url, address, run, false).then(resolve, reject);
        else reject(error);
      });
      request.end(post.body);
    });
  }

  async function send(post: HttpPost): Promise<Attempt> {
    const begun = clock.monotonic();
    const run: Run = { isOver: false };
    let end: (error: Error) => void = () => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    const stop = (reason: string): void => {
      run.isOver = true;
      end(new Error(reason));
    };
    const cancel = clock.timer(timeoutMs, () => stop(`no answer within ${timeoutMs} ms`));
    underWay.add(stop);
    let reason = '';
    try {
      const refusal = networks.refusalOfUrl(post.url);
      if (refusal !== undefined) throw new Error(`not sent: the URL ${refusal}`);
      const url = networks.urlOf(post.url);
      const addresses = await Promise.race([checkedAddresses(hostOf(url), portOf(url)), ended]);
      await Promise.race([sendToAny(post, url, addresses, run), ended]);
    } catch (error) {
      reason = reasonOf(error);
    } finally {
      run.isOver = true;
      cancel();
      underWay.delete(stop);
      // A connection is reused only if its answer was read to the end.
      if (run.response?.complete !== true) run.request?.destroy();
    }
    const status = run.response?.statusCode ?? null;
    const delivered = status !== null && status >= 200 && status < 300;
    const said = status === null ? reason : saidBy(status);
    return { delivered, status, reason: delivered ? '' : said, ms: Math.round(clock.monotonic() - begun) };
  }

  return {
    send,
    stop() {
      for (const stop of [...underWay]) stop('the gateway stops');
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function saidBy(status: number): string {
  return status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`;
}

/** A reason for people to read; it never contains more of the other side's text than a code. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `no answer: ${code}`;
}
