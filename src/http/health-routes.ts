// For watchdogs and load balancers: does the process answer, and does it serve (HTTP API 6). No token.
import { type OpenRoute, ok } from './route.ts';

/** What `/readyz` tells: each part with `ok` or what is wrong with it, and when ready since when and where it serves. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

/** `/healthz` is 200 as long as the process answers; `/readyz` 200 when it serves, else 503 with the same body. */
export function healthRoutes(readiness: () => Readiness): readonly OpenRoute[] {
  return [
    { method: 'GET', path: '/healthz', open: true, handle: () => ok({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      open: true,
      handle() {
        const now = readiness();
        return { status: now.ready ? 200 : 503, body: now };
      },
    },
  ];
}
