// The document of the API. It holds nothing of this gateway, so it takes no token. Made when it is first asked for, then kept.
import { createHash } from 'node:crypto';
import type { OpenRoute, Route, TextAnswer } from './route.ts';

/** `routes`: all there are, these included. */
export function documentRoutes(routes: () => readonly (Route | OpenRoute)[]): readonly OpenRoute[] {
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      operation: 'openApiDocument',
      open: true,
      handle: once(async () => {
        const { createOpenApi } = await import('./openapi.ts');
        return document(createOpenApi(routes()));
      }),
    },
  ];
}

function document(content: object): TextAnswer {
  const text = JSON.stringify(content);
  return { contentType: 'application/json; charset=utf-8', text, etag: etagOf(text) };
}

function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** What was made once is kept; what failed is tried again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
