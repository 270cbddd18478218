// For watchdogs, load balancers and Prometheus: does the process answer, does it serve, and how (HTTP API 9). No token.
import { type OpenRoute, ok, type TextAnswer } from '../pipeline/route.ts';

/** What `/readyz` tells: each part with `ok` or what is wrong with it, and when ready since when and where it serves. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

/** `/metrics` is there when the configuration says so. `/healthz` is 200 as long as the process answers; `/readyz` 200 when it serves, else 503 with the same body. */
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
