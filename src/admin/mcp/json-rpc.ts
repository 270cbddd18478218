// JSON-RPC 2.0 as the Model Context Protocol uses it: one message a line, no batches, ids that are strings or integers.
import { z } from 'zod';

export type RpcId = string | number;

/** As JSON-RPC 2.0 gives them; `busy` is of those that it leaves to servers. */
export const rpcCodes = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, internal: -32_603, busy: -32_000 } as const;

/** A request that is answered with an error; its message is for people. */
export class RpcError extends Error {
  readonly code: number;

  constructor(kind: keyof typeof rpcCodes, message: string) {
    super(message);
    this.code = rpcCodes[kind];
  }
}

/** What a line holds. A response to us is `nothing`: we ask for nothing. */
export type RpcLine =
  | { readonly is: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly is: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly is: 'nothing' }
  | { readonly is: 'wrong'; readonly id: RpcId | null; readonly error: RpcError };

const rpcId = z.union([z.string(), z.int()]);
const rpcMessage = z.object({ jsonrpc: z.literal('2.0'), id: rpcId.optional(), method: z.string(), params: z.unknown().optional() });

export function readLine(line: Buffer | 'too-long'): RpcLine {
  if (line === 'too-long') return wrong('parse', 'the line is longer than 64 KiB');
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line);
    if (text.trim() === '') return { is: 'nothing' };
    value = JSON.parse(text);
  } catch {
    return wrong('parse', 'the line is not JSON in UTF-8');
  }
  if (Array.isArray(value)) return wrong('request', 'there are no batches: send one message a line');
  const { success, data } = rpcMessage.safeParse(value);
  if (success) {
    const { id, method, params } = data;
    return id === undefined ? { is: 'notification', method, params } : { is: 'request', id, method, params };
  }
  if (isResponse(value)) return { is: 'nothing' };
  return wrong('request', 'the message must have "jsonrpc":"2.0", a method, and an id that is a string or an integer', idOf(value));
}

/**
 * A message as a line. Some readers take more than the line feed for the end of a line (U+0085, U+2028, U+2029), and names may have
 * these: escaped, no name can begin a message of its own.
 */
export function messageLine(message: object): string {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `${text.replaceAll(/[\u0085\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/** The first thing that is wrong with the params of a request, as an error. */
export function readParams<Params>(schema: z.ZodType<Params>, params: unknown): Params {
  const { success, data, error } = schema.safeParse(params ?? {});
  if (success) return data;
  const [issue] = error.issues;
  const where = issue?.path.join('.') || 'params';
  throw new RpcError('params', `${where}: ${issue?.message ?? 'wrong'}`);
}

function wrong(kind: keyof typeof rpcCodes, message: string, id: RpcId | null = null): RpcLine {
  return { is: 'wrong', id, error: new RpcError(kind, message) };
}

function isResponse(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !('method' in value) && ('result' in value || 'error' in value);
}

function idOf(value: unknown): RpcId | null {
  return z.object({ id: rpcId }).safeParse(value).data?.id ?? null;
}
