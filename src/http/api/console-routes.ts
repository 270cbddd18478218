// The console at `/`. Its files hold nothing confidential, so they need no token; the page gets all that it shows from the API.
import { DomainError } from '../../domain/errors.ts';
import { memoize } from '../pipeline/memoize.ts';
import type { OpenRoute } from '../pipeline/route.ts';

/** `directory`: where the build has put the console. */
export function consoleRoutes(directory: string): readonly OpenRoute[] {
  const files = memoize(async () => (await import('../pipeline/console-files.ts')).readConsole(directory));
  return [
    { method: 'GET', path: '/', operation: 'consolePage', open: true, handle: async () => (await files()).page },
    {
      ...{ method: 'GET', path: '/assets/{file}', operation: 'consoleFile', open: true },
      async handle({ file = '' }) {
        const found = (await files()).assets.get(file);
        if (found === undefined) throw new DomainError('not-found', 'there is nothing at this path');
        return found;
      },
    },
  ];
}
