// The HTTP API of a running gateway, asked with a token.
import { z } from 'zod';

/** More than the longest command of a lock may take, with its turn. */
const patienceMs = 300_000;

type Query = Readonly<Record<string, string | number | undefined>>;

export interface GatewayAnswer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

export interface GatewayApi {
  /** @throws GatewayProblem when the gateway refuses, when it does not answer, or when `signal` is aborted */
  ask(method: 'GET' | 'POST', path: string, query: Query, signal: AbortSignal): Promise<GatewayAnswer>;
}

/** A problem of the API, or one of the way to it: `no-answer`, `no-gateway`. */
export class GatewayProblem extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

const problem = z.object({ code: z.string(), detail: z.string() });
const anyBody = z.record(z.string(), z.unknown());

/** `url` without a slash at its end. The token goes to this address alone: a redirect is not followed. */
export function createGatewayApi({ url, token }: { readonly url: string; readonly token: string }): GatewayApi {
  return {
    async ask(method, path, query, signal) {
      const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
      let response: Response;
      let text: string;
      try {
        response = await fetch(`${url}${path}?${new URLSearchParams(Object.fromEntries(given))}`, {
          method,
          headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        });
        text = await response.text();
      } catch (error) {
        const doubt = method === 'POST' ? ': it may or may not have happened' : '';
        throw new GatewayProblem('no-answer', `no answer from ${url} (${reasonOf(error)})${doubt}`);
      }
      const body = bodyOf(text);
      const refusal = problem.safeParse(body).data;
      if (!response.ok && refusal !== undefined) throw new GatewayProblem(refusal.code, refusal.detail);
      if (!response.ok || body === undefined) throw new GatewayProblem('no-gateway', `what answers at ${url} is no latchd`);
      return { body, headers: response.headers };
    },
  };
}

function bodyOf(text: string): GatewayAnswer['body'] | undefined {
  try {
    return anyBody.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** fetch hides the reason in `cause`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Error & { code?: string } };
  const reason = cause?.code ?? cause?.message ?? message;
  return /CERT|SIGNATURE/.test(reason) ? `${reason}: NODE_EXTRA_CA_CERTS must name the ca.crt of the gateway` : reason;
}
