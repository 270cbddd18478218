// Starts the console: creates the shared objects and renders the page.
import { render } from 'preact';
import { createClient } from './api/client.ts';
import { type App, AppContext, useApp } from './app.ts';
import { createBoard } from './board/board.ts';
import { Layout } from './layout.tsx';
import { createLive } from './live.ts';
import { SignInPage } from './pages/sign-in.tsx';
import { createPreferences } from './preferences.ts';
import { createRouter } from './router.ts';
import { createSession, type Session } from './session.ts';
import { createToasts } from './toasts.ts';

function createApp(): App {
  const client = createClient(() => session.end());
  const session: Session = createSession(client);
  const live = createLive(client);
  return {
    client,
    session,
    live,
    board: createBoard(client, live),
    toasts: createToasts(),
    preferences: createPreferences(),
    router: createRouter(),
  };
}

function Console() {
  const { session, preferences } = useApp();
  const state = session.state.value;
  if (state === 'checking' || !preferences.strings.value) return null;
  return typeof state === 'object' ? <Layout {...state} /> : <SignInPage />;
}

const app = createApp();
render(
  <AppContext.Provider value={app}>
    <Console />
  </AppContext.Provider>,
  document.getElementById('console') as HTMLElement,
);
void app.session.resume();
