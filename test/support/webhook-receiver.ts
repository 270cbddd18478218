// A program that webhooks are sent to, on loopback: it writes down what comes, and answers as a test says.
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly deliveryId: string;
  readonly eventType: string;
  /** Of a form, its fields; deliveryId and eventType are "" then. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WebhookReceiver {
  /** Where it is, or was. */
  readonly url: string;
  /** All that came, whatever it answered. */
  readonly posts: readonly ReceivedPost[];
  /** From now on: by default 204. */
  answer: (response: ServerResponse, post: ReceivedPost) => void;
  /** Nobody is there any more, until `up`. */
  down(): Promise<void>;
  /** At the same address as before; nothing happens when it is there. */
  up(): Promise<void>;
}

/** Over TLS with an identity. */
export async function startWebhookReceiver(identity?: { readonly key: string; readonly cert: string }): Promise<WebhookReceiver> {
  const posts: ReceivedPost[] = [];
  let server: Server | undefined;
  let port = 0;
  const receiver: WebhookReceiver = {
    get url() {
      return `${identity ? 'https' : 'http'}://127.0.0.1:${port}/doors`;
    },
    posts,
    answer: (response) => void response.writeHead(204).end(),
    async up() {
      if (server !== undefined) return;
      const take: RequestListener = (request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        request.on('end', () => {
          const { deliveryId, eventType, data } = contentOf(request.headers['content-type'], body);
          const post = { path: request.url ?? '', headers: request.headers, body, deliveryId, eventType, data };
          posts.push(post);
          receiver.answer(response, post);
        });
      };
      const started = identity ? createTlsServer(identity, take) : createServer(take);
      await new Promise<void>((resolve, reject) => started.once('error', reject).listen(port, '127.0.0.1', resolve));
      port = (started.address() as AddressInfo).port;
      server = started;
    },
    async down() {
      const stopped = server;
      server = undefined;
      stopped?.closeAllConnections();
      await new Promise<void>((resolve) => (stopped ? stopped.close(() => resolve()) : resolve()));
    },
  };
  await receiver.up();
  return receiver;
}

function contentOf(type: string | undefined, body: string): Pick<ReceivedPost, 'deliveryId' | 'eventType' | 'data'> {
  if (type !== 'application/x-www-form-urlencoded') return JSON.parse(body);
  return { deliveryId: '', eventType: '', data: Object.fromEntries(new URLSearchParams(body)) };
}
