// A message that a person should read before they go on.
import type { ComponentChildren } from 'preact';
import { Problem } from '../api/problem.ts';
import { useStrings } from '../app.ts';
import { useProblemText } from '../format.ts';
import { Button } from './button.tsx';

/** A screen reader says a bad one at once. */
export function Callout({ kind, children }: { kind: 'info' | 'warning' | 'bad'; children: ComponentChildren }) {
  return (
    <div class={`callout ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      {children}
    </div>
  );
}

/** Something could not be loaded or done; with `retry` it can be tried again. */
export function ProblemCallout({ problem, retry }: { problem: unknown; retry?: () => void }) {
  const { common } = useStrings();
  const text = useProblemText();
  return (
    <Callout kind="bad">
      <p>{text(problem)}</p>
      {retry && !isFinal(problem) && <Button onClick={retry}>{common.tryAgain}</Button>}
    </Callout>
  );
}

/** Whether trying again would change nothing. */
function isFinal(problem: unknown): boolean {
  return problem instanceof Problem && ['forbidden', 'not-lock-administrator', 'lock-not-found'].includes(problem.code);
}

/** `text` says what takes so long, if that is known. */
export function Loading({ text }: { text?: string }) {
  const { common } = useStrings();
  return (
    <p class="loading" role="status">
      <span class="spinner" /> {text ?? common.loading}
    </p>
  );
}
