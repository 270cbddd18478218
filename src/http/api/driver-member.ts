// The member `driver` of a registration (HTTP API 8.1): which makes there are and what each takes is the drivers' own, and is handed in.
import { z } from 'zod';
import type { GivenDriver } from '../../domain/locks/new-lock.ts';

/** One make of lock besides our own. */
export interface LockMake {
  /** As in `Lock.driver`. */
  readonly kind: string;
  /** A strict object with this kind as a literal; its messages are `must be …`. */
  readonly schema: z.ZodType<{ readonly kind: string }>;
}

/** One of these makes by its `kind`. */
export function driverMember(makes: readonly LockMake[]) {
  const schemas = makes.map(({ schema }) => schema as unknown as z.ZodObject<{ kind: z.ZodLiteral<string> }>);
  const kinds = makes.map(({ kind }) => kind).join(', ');
  return z.discriminatedUnion('kind', schemas as [(typeof schemas)[number]], {
    error: ({ code }) => (code === 'invalid_union' ? `must be one of ${kinds}` : 'must be an object'),
  }) as unknown as z.ZodType<GivenDriver>;
}
