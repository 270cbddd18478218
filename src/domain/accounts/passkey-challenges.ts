// Challenges of WebAuthn without a list of them: each carries its end and proves that it is ours, so that asking for many costs no memory.
import type { Clock } from '../clock.ts';
import type { Secrets } from '../secrets.ts';

const validMs = 5 * 60_000;

export interface PasskeyChallenges {
  /** A challenge for this purpose: signing in, or a passkey for one account. */
  give(purpose: string): string;
  /** Whether it is one of ours for this purpose, not over and not used. */
  isValid(challenge: string, purpose: string): boolean;
  /** Uses it up; false when it was used meanwhile. */
  use(challenge: string): boolean;
}

export function createPasskeyChallenges({ clock, secrets }: { readonly clock: Pick<Clock, 'monotonic'>; readonly secrets: Secrets }) {
  const key = secrets.newLinkSecret();
  /** By the end of each. Only who proved something adds to it. */
  const used = new Map<string, number>();
  /** Hashed twice, as in HMAC, so that nobody makes one longer. */
  const proofOf = (content: string, purpose: string) => secrets.hash(`${key} ${secrets.hash(`${key} ${purpose} ${content}`)}`);

  return {
    give(purpose) {
      const content = `${Math.ceil(clock.monotonic()) + validMs} ${secrets.newLinkSecret()}`;
      return `${content} ${proofOf(content, purpose)}`;
    },
    isValid(challenge, purpose) {
      const end = challenge.lastIndexOf(' ');
      const content = challenge.slice(0, Math.max(0, end));
      if (!secrets.equal(challenge.slice(end + 1), proofOf(content, purpose))) return false;
      return Number.parseInt(content, 10) > clock.monotonic() && !used.has(challenge);
    },
    use(challenge) {
      if (used.has(challenge)) return false;
      const now = clock.monotonic();
      for (const [old, endsAt] of used) if (endsAt <= now) used.delete(old);
      used.set(challenge, now + validMs);
      return true;
    },
  } satisfies PasskeyChallenges;
}
