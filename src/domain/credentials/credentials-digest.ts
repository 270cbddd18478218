// The digest by which both sides see in one glance whether a lock holds what the gateway thinks it holds. It is an unsalted
// hash over short codes: it leaves the gateway in no answer, log or event.
import { sameCard } from './card.ts';
import type { CredentialKind, ValidWindow } from './entry.ts';

/** The `credentials.digest` that a lock with exactly these numbers reports; `hash` is SHA-256 in hex digits. */
export function credentialsDigest(
  held: Iterable<{ readonly kind: CredentialKind; readonly number: string; readonly window: ValidWindow }>,
  hash: (text: string) => string,
): string {
  // Sorted by kind, then by number as text; a comma comes before every digit, so whole lines sort alike.
  const lines = Array.from(held, ({ kind, number, window: { startDate, endDate, hours, once } }) =>
    kind === 'card'
      ? `c,${sameCard(number)},${startDate},${endDate},${hours},${once ? 1 : ''}\n`
      : `p,${number},${startDate},${endDate},${hours},${once ? 1 : ''}\n`,
  ).sort();
  return hash(lines.join('')).slice(0, 16);
}
