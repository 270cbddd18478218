// The current page of the console: the part of the address behind the #, so that each page has a link and the Back button works. What a
// person has searched for on a page is in its query: `#/?search=garage`.
import { type ReadonlySignal, signal } from '@preact/signals';

export interface Router {
  /** `['locks', '7']` for `#/locks/7`. */
  readonly path: ReadonlySignal<readonly string[]>;
  /** What a link such as `#/invitation/SECRET` brought. It is in no address and no history: a reload forgets it, and it is empty. */
  readonly secret: ReadonlySignal<string>;
  /** The values of the query by their names; those that are absent are empty. */
  readonly query: ReadonlySignal<Readonly<Record<string, string>>>;
  /** Changes values of the query, '' takes one away: the address says it, and Back leads to the page before, not to the letter before. */
  ask(values: Readonly<Record<string, string>>): void;
}

/** Pages whose links bring a secret. */
const withSecret = ['invitation', 'handover'];

/** Lives as long as the page. */
export function createRouter(): Router {
  const secret = signal(takeSecret());
  const path = signal(currentPath());
  const query = signal(currentQuery());
  window.addEventListener('hashchange', () => {
    secret.value = takeSecret();
    // The query first: the new page reads it.
    query.value = currentQuery();
    path.value = currentPath();
  });
  return {
    path,
    secret,
    query,
    ask(values) {
      const next = Object.fromEntries(Object.entries({ ...query.peek(), ...values }).filter(([, value]) => value !== ''));
      query.value = next;
      const text = new URLSearchParams(next).toString();
      history.replaceState(history.state, '', href(...path.peek()) + (text === '' ? '' : `?${text}`));
    },
  };
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

/** The secret in the address, which is gone from there at once. */
function takeSecret(): string {
  const [page = '', secret] = currentPath();
  if (secret === undefined || !withSecret.includes(page)) return '';
  history.replaceState(history.state, '', href(page));
  return secret;
}

function currentPath(): readonly string[] {
  const [path = ''] = location.hash.replace(/^#/, '').split('?');
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    return ['?']; // Not an address of ours.
  }
}

function currentQuery(): Readonly<Record<string, string>> {
  const at = location.hash.indexOf('?');
  return at < 0 ? {} : Object.fromEntries(new URLSearchParams(location.hash.slice(at + 1)));
}
