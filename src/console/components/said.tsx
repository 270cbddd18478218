// Sentences for who hears the page and does not see it. Each is added beside those before it: in their place, it would end one that is just
// being said, and the same sentence again would not be heard.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Longer than a screen reader takes to get to it. */
const saidWithinMs = 20_000;

interface Sentence {
  readonly id: number;
  readonly text: string;
}

let lastId = 0;

/** `region` belongs into the page before anything is said. */
export function useSaid(): { readonly say: (text: string) => void; readonly region: JSX.Element } {
  const [sentences, setSentences] = useState<readonly Sentence[]>([]);
  function say(text: string): void {
    lastId += 1;
    const id = lastId;
    setSentences((now) => [...now, { id, text }]);
    setTimeout(() => setSentences((now) => now.filter((sentence) => sentence.id !== id)), saidWithinMs);
  }
  const region = (
    <div class="unseen" role="status" aria-atomic="false">
      {sentences.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
  return { say, region };
}
