// Checks what was reported lost.
import type { Revocation } from '../../../domain/revocations/revocation.ts';
import type { Counters } from '../documents/counter-file.ts';
import { revocationsName } from '../documents/revocation-file.ts';
import type { Report } from './verify-lines.ts';

/** Returns the ids. `rows` by their keys; undefined: they could not be read. `names`: at the top of the directory. */
export function verifyRevocations(
  names: readonly string[],
  counters: Counters | undefined,
  rows: ReadonlyMap<string, Revocation> | undefined,
  report: Report,
): readonly number[] {
  // A directory from before there were revocations has none.
  if ((counters?.revocationId ?? 0) > 0 && !names.includes(revocationsName)) report(revocationsName, 'is missing');
  const all = [...(rows ?? [])];
  for (const [key, { revocationId }] of all)
    if (key !== `revocation ${revocationId}`) report(revocationsName, `has the revocation ${revocationId} under the key ${key}`);
  return all.map(([, { revocationId }]) => revocationId);
}
