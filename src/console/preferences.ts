// How somebody wants the console on this device: its language and its appearance. Nothing else is kept in the browser.
import { effect, type Signal, signal } from '@preact/signals';
import { de } from './language/de.ts';
import { en, type Strings } from './language/en.ts';

export type Language = 'en' | 'de';
export type Theme = 'auto' | 'light' | 'dark';

export const languages: Readonly<Record<Language, { readonly name: string; readonly strings: Strings }>> = {
  en: { name: 'English', strings: en },
  de: { name: 'Deutsch', strings: de },
};

export interface Preferences {
  readonly language: Signal<Language>;
  readonly theme: Signal<Theme>;
}

export function createPreferences(): Preferences {
  const language = signal<Language>(kept('language', ['en', 'de']) ?? (navigator.language.startsWith('de') ? 'de' : 'en'));
  const theme = signal<Theme>(kept('theme', ['light', 'dark']) ?? 'auto');
  const page = document.documentElement;
  effect(() => {
    page.lang = language.value;
    keep('language', language.value);
  });
  effect(() => {
    page.dataset['theme'] = theme.value;
    keep('theme', theme.value);
  });
  return { language, theme };
}

// A browser may forbid to keep anything; then each visit begins anew.
function kept<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
  try {
    const found = localStorage.getItem(`latchd.${name}`);
    return values.find((value) => value === found);
  } catch {
    return undefined;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`latchd.${name}`, value);
  } catch {
    // As above.
  }
}
