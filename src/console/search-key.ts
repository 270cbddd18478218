// The key / leads to the search of the page, and from a page without one to the search of the board.
import { useEffect } from 'preact/hooks';
import { useApp } from './app.ts';
import { go, href } from './router.ts';

/** Who sees no search by then has begun something else. */
const waitForPageMs = 10_000;

export function useSearchKey(): void {
  const { searchKey } = useApp().preferences;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Asked at each press: the key does nothing from the moment on at which it is switched off.
      const isCommand = searchKey.peek() && event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isCommand || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      if (focusSearch()) return;
      go();
      // The new page first moves the focus to its heading.
      const until = Date.now() + waitForPageMs;
      const look = () => {
        if (location.hash !== href()) return;
        const isReady = document.activeElement instanceof HTMLHeadingElement && focusSearch();
        if (!isReady && Date.now() < until) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [searchKey]);
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.select();
  field?.focus();
  // What is found is below.
  field?.closest('search')?.scrollIntoView({ block: 'start' });
  return field !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
