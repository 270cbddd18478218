// The port for what was reported lost.
import type { Revocation, RevocationId } from './revocation.ts';

/** It emits `revocation-changed` for each change. */
export interface RevocationStore {
  /** By revocationId. The same array until something changes. */
  all(): readonly Revocation[];
  get(revocationId: RevocationId): Revocation | undefined;
  /** A new one, or another value of one that is there. */
  put(revocation: Revocation): Promise<void>;
  remove(revocationId: RevocationId): Promise<void>;
}
