// A long list of which only what is near the view is in the page: a building may have thousands of locks.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Whole rows, whether a row has one, two or three tiles. */
const inABlock = 24;
/** Rendered before anything is measured: more than any screen shows. */
const atFirst = 2 * inABlock;
const ahead = '1200px 0px';

interface NearProps<Item> {
  readonly items: readonly Item[];
  /** How many stand above this list. */
  readonly before: number;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** Draws the items in blocks, and of those that are far away only the height. */
export function Near<Item>({ items, before, children }: NearProps<Item>) {
  return (
    <>
      {Array.from({ length: Math.ceil(items.length / inABlock) }, (_, n) => (
        <Block key={n} count={Math.min(inABlock, items.length - n * inABlock)} startsNear={before + n * inABlock < atFirst}>
          {() => children(items.slice(n * inABlock, (n + 1) * inABlock))}
        </Block>
      ))}
    </>
  );
}

/** Of the block that was measured last: the height for each of its items. */
let heightOfOne = 80;

function Block({ count, startsNear, children }: { count: number; startsNear: boolean; children: () => ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(startsNear);
  const height = useRef<number>(undefined);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        const box = entry.boundingClientRect;
        // What has the focus, or waits for a lock, stays.
        const isInUse = element.contains(document.activeElement) || element.querySelector('[aria-busy="true"]') !== null;
        if (!entry.isIntersecting && element.firstChild !== null && !isInUse) {
          height.current = box.height;
          heightOfOne = box.height / element.querySelectorAll('li').length || heightOfOne;
        }
        setNear(entry.isIntersecting || isInUse);
      },
      { root: scrollerOf(element), rootMargin: ahead },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} class="block" style={isNear ? undefined : { height: `${height.current ?? count * heightOfOne}px` }}>
      {isNear && children()}
    </div>
  );
}

/** null: the window. */
function scrollerOf(element: HTMLElement): HTMLElement | null {
  const content = element.closest<HTMLElement>('main');
  return content !== null && /auto|scroll/.test(getComputedStyle(content).overflowY) ? content : null;
}
