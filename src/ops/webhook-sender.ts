// Sends one delivery of a webhook over HTTP: to an address that was checked, and to no other; signed; without following a redirect; and
// whatever the receiver does, for a bounded time and a bounded number of bytes.
import { createHmac } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns/promises';
import { type ClientRequest, type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Clock, WebhookPost, WebhookSender } from '../domain/ports.ts';
import type { Attempt } from '../domain/webhook.ts';
import { hostOf, portOf, type WebhookNetworks } from './webhook-networks.ts';

/** What is read of an answer's body; it says nothing that would be used. */
const bodyBytesAtMost = 4_096;
const headerBytesAtMost = 8_192;

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}
export type Lookup = (name: string) => Promise<readonly ResolvedAddress[]>;

export function createWebhookSender(options: {
  readonly networks: WebhookNetworks;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly version: string;
  /** The system's, unless a test has its own. */
  readonly lookup?: Lookup;
}): WebhookSender {
  const { networks, timeoutMs, clock, version } = options;
  const { lookup = (name) => systemLookup(name, { all: true, verbatim: true }) } = options;
  /** Look-ups take a thread from those that the disk uses (two of four at most): one for each name is enough. */
  const lookups = new Map<string, ReturnType<Lookup>>();
  const underWay = new Set<(reason: string) => void>();

  function addressesOf(host: string): ReturnType<Lookup> {
    const known = lookups.get(host);
    if (known !== undefined) return known;
    const asked = lookup(host).finally(() => lookups.delete(host));
    lookups.set(host, asked);
    return asked;
  }
  /** Every address of the name has to be allowed, because which of them the next look-up gives is not ours to say. */
  async function checkedAddress(url: URL): Promise<ResolvedAddress> {
    const host = hostOf(url);
    const addresses = await addressesOf(host);
    for (const { address } of addresses) {
      const refusal = networks.refusalOfAddress(address, portOf(url));
      if (refusal !== undefined) throw new Error(`not sent: ${refusal}`);
    }
    const [first] = addresses;
    if (first === undefined) throw new Error(`not sent: ${host} has no address`);
    return first;
  }

  function exchange(post: WebhookPost, url: URL, to: ResolvedAddress, onRequest: (request: ClientRequest) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const connection: RequestOptions = {
        method: 'POST',
        headers: headersOf(post, Math.floor(clock.now() / 1_000), version),
        agent: false,
        maxHeaderSize: headerBytesAtMost,
        // The name is not looked up again: between two look-ups it could have become another address.
        lookup: (_name, { all }, found) => {
          if (all === true) found(null, [{ ...to }]);
          else found(null, to.address, to.family);
        },
      };
      const request = url.protocol === 'https:' ? requestSecure(url, connection) : requestPlain(url, connection);
      onRequest(request);
      request.once('response', (response) => {
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > bodyBytesAtMost) request.destroy();
        });
        // However the body ends, what was answered stands.
        response.on('error', () => undefined);
        response.once('close', () => resolve());
      });
      request.on('error', reject);
      request.end(post.body);
    });
  }

  async function send(post: WebhookPost): Promise<Attempt> {
    const begun = clock.monotonic();
    let request: ClientRequest | undefined;
    let end: (error: Error) => void = () => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    const stop = (reason: string): void => {
      end(new Error(reason));
      request?.destroy();
    };
    const cancel = clock.timer(timeoutMs, () => stop(`no answer within ${timeoutMs} ms`));
    underWay.add(stop);
    let status: number | null = null;
    let reason = '';
    try {
      const refusal = networks.refusalOfUrl(post.url);
      if (refusal !== undefined) throw new Error(`not sent: the URL ${refusal}`);
      const url = new URL(post.url);
      const address = await Promise.race([checkedAddress(url), ended]);
      const answered = exchange(post, url, address, (made) => {
        request = made;
        made.once('response', (response) => {
          status = response.statusCode ?? 0;
        });
      });
      await Promise.race([answered, ended]);
    } catch (error) {
      if (status === null) reason = reasonOf(error);
    } finally {
      cancel();
      underWay.delete(stop);
      request?.destroy();
    }
    const delivered = status !== null && status >= 200 && status < 300;
    return { delivered, status, reason: delivered ? '' : reason || saidBy(status), ms: Math.round(clock.monotonic() - begun) };
  }

  return {
    refusal: networks.refusalOfUrl,
    send,
    stop() {
      for (const stop of [...underWay]) stop('the gateway stops');
    },
  };
}

/** HMAC-SHA256 over the time, a dot and the body. */
function signatureOf(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}

function headersOf({ webhookId, deliveryId, type, attempt, secret, body }: WebhookPost, seconds: number, version: string) {
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': `latchd/${version}`,
    'latchd-webhook': webhookId,
    'latchd-event': type,
    'latchd-delivery': deliveryId,
    'latchd-attempt': attempt,
    'latchd-signature': `t=${seconds},v1=${signatureOf(secret, seconds, body)}`,
    connection: 'close',
  };
}

function saidBy(status: number | null): string {
  if (status === null) return 'no answer';
  return status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`;
}

/** For people, and never more of the other side's words than a code. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `no answer: ${code}`;
}
