// The makes of lock besides our own.
import type { LockMake } from '../http/api/driver-member.ts';

export const makes: readonly LockMake[] = [];
