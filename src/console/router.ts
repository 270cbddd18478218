// The current page of the console: the part of the address behind the #, so that each page has a link and the Back button works.
import { type ReadonlySignal, signal } from '@preact/signals';

export interface Router {
  /** `['locks', '7']` for `#/locks/7`. */
  readonly path: ReadonlySignal<readonly string[]>;
}

/** Lives as long as the page. */
export function createRouter(): Router {
  const path = signal(currentPath());
  window.addEventListener('hashchange', () => {
    path.value = currentPath();
  });
  return { path };
}

/** The link to a page: `href('locks', 7)`. */
export function href(...path: readonly (string | number)[]): string {
  return `#/${path.map((segment) => encodeURIComponent(segment)).join('/')}`;
}

export function go(...path: readonly (string | number)[]): void {
  location.hash = href(...path);
}

/** The values of a pattern such as `locks/:lockId`; undefined when it does not match. */
export function match(pattern: string, path: readonly string[]): Readonly<Record<string, string>> | undefined {
  const names = pattern.split('/').filter((name) => name !== '');
  if (names.length !== path.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const segment = path[index] ?? '';
    if (name.startsWith(':')) values[name.slice(1)] = segment;
    else if (name !== segment) return undefined;
  }
  return values;
}

function currentPath(): readonly string[] {
  try {
    return location.hash
      .replace(/^#/, '')
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    return ['?']; // Not an address of ours.
  }
}
