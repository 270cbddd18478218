import { DomainError } from '../../domain/errors.ts';

/** Whatever has gone wrong between here and the database, for the caller: `storage-unavailable`. */
export function storageFailure(error: unknown): never {
  if (error instanceof DomainError) throw error;
  throw new DomainError('storage-unavailable', 'The database could not do that now', { cause: error });
}

/** Whether the database had no room for it (SQLSTATE 53100). */
export function lacksRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === '53100') || lacksRoom(error.cause);
}
