// The OpenAPI and AsyncAPI documents and the page that shows the first. They hold nothing confidential, so they need no token.
// Each is made or read at the first request for it, then cached.
import { DomainError } from '../../domain/errors.ts';
import { memoize, withEtag, withEtagCompressed } from '../pipeline/memoize.ts';
import type { AnyRoute, OpenRoute, TextAnswer } from '../pipeline/route.ts';

/**
 * `routes`: all routes, these included. `lockProtocol` makes the AsyncAPI document of the lock protocol. `apiPageDirectory`: where the build has
 * put the files of Swagger UI.
 */
export function documentRoutes(options: {
  readonly routes: () => readonly AnyRoute[];
  readonly lockProtocol: () => Promise<object>;
  readonly apiPageDirectory: string;
}): readonly OpenRoute[] {
  const { routes, lockProtocol, apiPageDirectory } = options;
  const openApi = memoize(async () => {
    const { createOpenApi } = await import('../openapi/openapi.ts');
    return json(createOpenApi(routes()));
  });
  const asyncApi = memoize(async () => json(await lockProtocol()));
  const page = memoize(async () => {
    const { contentSecurityPolicy, pageHtml } = await import('../openapi/docs-page.ts');
    const headers = ['Content-Security-Policy', contentSecurityPolicy, 'Referrer-Policy', 'no-referrer'];
    return withEtag('text/html; charset=utf-8', Buffer.from(pageHtml), headers);
  });
  const files = new Map<string, () => Promise<TextAnswer>>();

  async function file(name: string): Promise<TextAnswer> {
    const { pageFiles } = await import('../openapi/docs-page.ts');
    const known = Object.hasOwn(pageFiles, name) ? pageFiles[name] : undefined;
    if (known === undefined) throw new DomainError('not-found', 'there is nothing at this path');
    const made = files.get(name) ?? memoize(async () => withEtagCompressed(known.contentType, await known.content(apiPageDirectory)));
    files.set(name, made);
    return made();
  }

  return [
    { method: 'GET', path: '/openapi.json', operation: 'openApiDocument', open: true, handle: openApi },
    { method: 'GET', path: '/asyncapi.json', operation: 'asyncApiDocument', open: true, handle: asyncApi },
    { method: 'GET', path: '/docs', operation: 'docsPage', open: true, handle: page },
    { method: 'GET', path: '/docs/{file}', operation: 'docsFile', open: true, handle: ({ file: name = '' }) => file(name) },
  ];
}

function json(content: object): Promise<TextAnswer> {
  return withEtagCompressed('application/json; charset=utf-8', Buffer.from(JSON.stringify(content)));
}
