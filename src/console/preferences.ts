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
  return { language, strings, theme };
}

function oneOf<Value extends string>(values: readonly Value[], found: string | undefined): Value | undefined {
  return values.find((value) => value === found);
}
