// The client side of the Model Context Protocol over a pair of streams, as an assistant speaks it; and as one does that means no good.
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { until } from './site.ts';

export interface McpMessage {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly result?: { readonly [member: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

interface ToolAnswer {
  readonly isError: boolean;
  /** Of its only content, parsed. */
  readonly body: Readonly<Record<string, unknown>> & { readonly list: readonly Readonly<Record<string, unknown>>[] };
}

export interface McpPeer {
  /** Everything that came, a line each; a line that is no message fails the test that reads it. */
  readonly messages: readonly McpMessage[];
  /** These very bytes. */
  write(bytes: string | Buffer): void;
  request(method: string, params?: unknown): Promise<McpMessage>;
  /** Sends a call and does not wait for its answer; returns its id. */
  begin(name: string, given?: unknown): number;
  call(name: string, given?: unknown): Promise<ToolAnswer>;
  answerTo(id: string | number): Promise<McpMessage>;
  initialize(): Promise<McpMessage>;
  /** Ends the input. */
  end(): void;
}

export function createMcpPeer(toServer: Writable, fromServer: Readable): McpPeer {
  const messages: McpMessage[] = [];
  let lastId = 0;
  // As careless as a reader may be: U+2028 and U+2029 end a line of readline, too.
  createInterface({ input: fromServer, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    messages.push(JSON.parse(line) as McpMessage);
  });
  const send = (message: object): void => void toServer.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const peer: McpPeer = {
    messages,
    write: (bytes) => void toServer.write(bytes),
    async request(method, params) {
      const id = ++lastId;
      send({ id, method, params });
      return peer.answerTo(id);
    },
    begin(name, given) {
      const id = ++lastId;
      send({ id, method: 'tools/call', params: { name, arguments: given } });
      return id;
    },
    async call(name, given) {
      const { result, error } = await peer.answerTo(peer.begin(name, given));
      if (result === undefined) throw new Error(`${name} was refused: ${JSON.stringify(error)}`);
      const { content, isError } = result as unknown as { content: readonly { type: string; text: string }[]; isError: boolean };
      const [only, ...others] = content;
      if (only?.type !== 'text' || others.length > 0) throw new Error(`not one text: ${JSON.stringify(content)}`);
      return { isError, body: JSON.parse(only.text) as ToolAnswer['body'] };
    },
    async answerTo(id) {
      let found: McpMessage | undefined;
      await until(() => {
        found = messages.find((message) => message.id === id);
        return found !== undefined;
      }, `an answer to ${id}`);
      return found as McpMessage;
    },
    initialize: () =>
      peer.request('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: { roots: { listChanged: true } },
        clientInfo: { name: 'test', version: '1' },
      }),
    end: () => void toServer.end(),
  };
  return peer;
}
