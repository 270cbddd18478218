// The objects that every page may use, created once in `main.tsx`.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Client } from './api/client.ts';
import type { Board } from './board/board.ts';
import type { Strings } from './language/en.ts';
import type { Live } from './live.ts';
import type { Preferences } from './preferences.ts';
import type { Router } from './router.ts';
import type { Session } from './session.ts';
import type { Toasts } from './toasts.ts';

export interface App {
  readonly client: Client;
  readonly session: Session;
  readonly live: Live;
  readonly board: Board;
  readonly toasts: Toasts;
  readonly preferences: Preferences;
  readonly router: Router;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('outside of the app');
  return app;
}

/** The texts of the console, in the current language. */
export function useStrings(): Strings {
  const strings = useApp().preferences.strings.value;
  if (!strings) throw new Error('nothing is shown before there is a language');
  return strings;
}
