// Starts the console: creates the shared objects and renders the page.
import { render } from 'preact';
import { createClient } from './api/client.ts';
import { type App, AppContext, useApp } from './app.ts';
import { createBoard } from './board/board.ts';
import { accountPart } from './components/later.tsx';
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

const Invitation = accountPart('invitation');
const Handover = accountPart('handover');

function Console() {
  const { session, preferences, router } = useApp();
  const state = session.state.value;
  if (state === 'checking' || !preferences.strings.value) return null;
  const [page] = router.path.value;
  const secret = router.secret.value;
  // Whoever opens such a link means it, also while somebody is signed in.
  if (page === 'invitation') return <Invitation key={secret} secret={secret} />;
  if (page === 'handover') return <Handover key={secret} secret={secret} />;
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
