// The console at `/`. It holds nothing that a stranger may not know, so it takes no token; what it shows, it asks the API for.
import { DomainError } from '../../domain/errors.ts';
import { memoize } from '../pipeline/memoize.ts';
import type { OpenRoute } from '../pipeline/route.ts';

/** `directory`: where the build has put it. */
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
