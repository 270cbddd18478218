// The preferences of a person on this device: language and appearance.
import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Strings } from './language/en.ts';
import { storedValue, storeValue } from './stored-values.ts';

export type Language = 'en' | 'de';
export type Theme = 'auto' | 'light' | 'dark';

/** Each language is loaded only when it is chosen. */
export const languages: Readonly<Record<Language, { readonly name: string; readonly load: () => Promise<Strings> }>> = {
  en: { name: 'English', load: async () => (await import('./language/en.ts')).en },
  de: { name: 'Deutsch', load: async () => (await import('./language/de.ts')).de },
};

export interface Preferences {
  readonly language: Signal<Language>;
  /** The texts; undefined until the first language is loaded. The earlier language stays until another one is loaded. */
  readonly strings: ReadonlySignal<Strings | undefined>;
  readonly theme: Signal<Theme>;
  /** How the board shows locks. */
  readonly boardView: Signal<'tiles' | 'list'>;
  /** The groups of the board that are closed, by their ids. */
  readonly closedGroups: Signal<ReadonlySet<number>>;
  /** Whether the key / leads to the search; who speaks to the computer may not want that (WCAG 2.1.4). */
  readonly searchKey: Signal<boolean>;
}

export function createPreferences(): Preferences {
  const language = signal<Language>(oneOf(['en', 'de'], storedValue('language')) ?? (navigator.language.startsWith('de') ? 'de' : 'en'));
  const theme = signal<Theme>(oneOf(['light', 'dark'], storedValue('theme')) ?? 'auto');
  const strings = signal<Strings>();
  const page = document.documentElement;
  effect(() => {
    const wanted = language.value;
    storeValue('language', wanted);
    void languages[wanted].load().then((loaded) => {
      if (language.peek() !== wanted) return;
      page.lang = wanted;
      strings.value = loaded;
    });
  });
  effect(() => {
    page.dataset['theme'] = theme.value;
    storeValue('theme', theme.value);
  });
  const boardView = signal<'tiles' | 'list'>(oneOf(['tiles', 'list'], storedValue('board-view')) ?? 'tiles');
  const closedGroups = signal<ReadonlySet<number>>(new Set((storedValue('closed-groups') ?? '').split(' ').filter(Boolean).map(Number)));
  const searchKey = signal(storedValue('search-key') !== 'off');
  effect(() => storeValue('board-view', boardView.value));
  effect(() => storeValue('closed-groups', [...closedGroups.value].join(' ') || undefined));
  effect(() => storeValue('search-key', searchKey.value ? undefined : 'off'));
  return { language, strings, theme, boardView, closedGroups, searchKey };
}

function oneOf<Value extends string>(values: readonly Value[], found: string | undefined): Value | undefined {
  return values.find((value) => value === found);
}
