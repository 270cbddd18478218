// Filters that are in the address of a page, folded away on a phone until somebody looks for something, with a button that clears them.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { Button } from './button.tsx';

const isWide = window.matchMedia('(width >= 720px)').matches;

/** `title` stands where they are folded, `clear` on the button. */
export function FoldedFilters({ title, clear, children }: { title: string; clear: string; children: ComponentChildren }) {
  const { router } = useApp();
  const names = Object.keys(router.query.value);
  /** A field keeps what was typed into it: whoever clears the filters gets new ones. */
  const [cleared, setCleared] = useState(0);
  return (
    <details class="narrow-fold" open={names.length > 0 || isWide}>
      <summary>{title}</summary>
      <search key={cleared} class="filters records">
        {children}
        {names.length > 0 && (
          <Button
            kind="quiet"
            onClick={() => {
              router.ask(Object.fromEntries(names.map((name) => [name, ''])));
              setCleared(cleared + 1);
            }}
          >
            {clear}
          </Button>
        )}
      </search>
    </details>
  );
}
