// Routes for watchdogs, load balancers and Prometheus: whether the process answers, whether it serves, and its metrics (HTTP API 9). No
// token.
import { type OpenRoute, ok, type TextAnswer } from '../pipeline/route.ts';

/** The answer of `/readyz`: each part with `ok` or what is wrong with it; once ready, also since when and on which addresses it serves. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

/**
 * `/healthz` is 200 as long as the process answers. `/readyz` is 200 when the gateway serves, else 503 with the same body. `/metrics`
 * exists if the configuration enables it.
 */
export function healthRoutes(readiness: () => Readiness, metrics: (() => Promise<TextAnswer>) | undefined): readonly OpenRoute[] {
  return [
    ...(metrics === undefined ? [] : [{ method: 'GET', path: '/metrics', operation: 'metrics', open: true, handle: metrics } as const]),
    { method: 'GET', path: '/healthz', operation: 'health', open: true, handle: () => ok({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      operation: 'readiness',
      open: true,
      handle() {
        const now = readiness();
        return { status: now.ready ? 200 : 503, body: now };
      },
    },
  ];
}
