// What is wrong with the member `driver` of a registration, by path.
import type { z } from 'zod';
import { DomainError } from '../domain/errors.ts';

/** `invalid-parameter` for all that a schema of a kind finds. */
export function invalidDriver(issues: readonly z.core.$ZodIssue[]): DomainError {
  const parameters = issues.map(({ path, message }) => ({ parameter: ['driver', ...path].join('.'), message }));
  const [first = { parameter: 'driver', message: 'is wrong' }] = parameters;
  return new DomainError('invalid-parameter', `${first.parameter} ${first.message}`, { parameters });
}
