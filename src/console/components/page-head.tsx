// The head of a page. The focus and the window's title move to it, so that a screen reader says the title of a new page.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface PageHeadProps {
  readonly title: string;
  readonly intro?: ComponentChildren;
  /** The page above this one. */
  readonly up?: { readonly href: string; readonly text: string };
  /** Buttons for the page as a whole. */
  readonly children?: ComponentChildren;
}

export function PageHead({ title, intro, up, children }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · latchd`;
  }, [title]);
  // With the page, not after it: it would take the focus from what a quick person has gone to.
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    document.getElementById('content')?.scrollTo(0, 0);
  }, []);
  return (
    <header class="page-head">
      {up && (
        <a class="up" href={up.href}>
          {up.text}
        </a>
      )}
      <div class="page-title">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children && <div class="buttons">{children}</div>}
      </div>
      {intro && <p class="intro">{intro}</p>}
    </header>
  );
}
