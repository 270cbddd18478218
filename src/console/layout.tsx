// The layout around every page after the sign-in: navigation, state of the connection, sign-out; and the current page.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp, useStrings } from './app.ts';
import { Button } from './components/button.tsx';
import { Callout } from './components/callout.tsx';
import { CheckField } from './components/field.tsx';
import { Icon } from './components/icon.tsx';
import { ToastList } from './components/toast-list.tsx';
import { useProblemText } from './format.ts';
import { NotFoundPage } from './pages/not-found.tsx';
import { type PageEntry, pages } from './pages/pages.ts';
import { PreferencePicks } from './preference-picks.tsx';
import { href, match } from './router.ts';
import { useSearchKey } from './search-key.ts';

interface LayoutProps {
  readonly username: string;
  readonly gatewayAdministrator: boolean;
  readonly accessManager: boolean;
}

export function Layout({ username, gatewayAdministrator, accessManager }: LayoutProps) {
  const { session, live, board, router, toasts, preferences } = useApp();
  const { layout } = useStrings();
  const text = useProblemText();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const path = router.path.value;
  const found = pages.map((page) => ({ page, parameters: match(page.path, path) })).find(({ parameters }) => parameters !== undefined);
  const View = found?.page.view ?? NotFoundPage;

  useEffect(() => {
    live.start();
    board.start();
    return () => {
      live.stop();
      board.stop();
    };
  }, [live, board]);
  useSearchKey();
  useEffect(() => setMenuOpen(false), [path]);

  return (
    <div class="layout">
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        {layout.toContent}
      </button>
      <header class="bar">
        <a class="brand" href={href()}>
          <Icon name="lock" />
          latchd
        </a>
        <Connection />
        <button
          type="button"
          class="button quiet square menu"
          aria-label={layout.menu}
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? 'close' : 'menu'} />
        </button>
      </header>
      <div id="navigation" class={isMenuOpen ? 'side open' : 'side'}>
        <nav aria-label={layout.navigation}>
          <Links group="building" path={path} />
          {accessManager && <Links group="people" path={path} />}
          {gatewayAdministrator && <Links group="administration" path={path} />}
        </nav>
        <footer class="about-me">
          <PreferencePicks />
          <CheckField
            label={layout.searchKey}
            name="searchKey"
            checked={preferences.searchKey.value}
            onInput={(isOn) => {
              preferences.searchKey.value = isOn;
            }}
          />
          <p class="faint">{layout.signedInAs(username)}</p>
          <a class="button" href={href('account')} aria-current={path[0] === 'account' ? 'page' : undefined}>
            {layout.account}
          </a>
          <Button
            onClick={() =>
              toasts
                .finish()
                .then(session.signOut)
                .catch((error: unknown) => toasts.show('bad', text(error)))
            }
          >
            {layout.signOut}
          </Button>
        </footer>
      </div>
      <main id="content" class={live.connection.value === 'lost' ? 'outdated' : undefined} tabIndex={-1}>
        {live.connection.value === 'lost' && (
          <div class="stays">
            <Callout kind="warning">{layout.lostText}</Callout>
          </div>
        )}
        <View key={path.join('/')} parameters={found?.parameters ?? {}} />
      </main>
      <ToastList />
    </div>
  );
}

function Links({ group, path }: { group: 'building' | 'people' | 'administration'; path: readonly string[] }) {
  const strings = useStrings();
  const { live } = useApp();
  const isCurrent = (page: PageEntry) => page.path === (path[0] === 'locks' ? '' : (path[0] ?? ''));
  return (
    <>
      <h2 id={`navigation-${group}`}>{strings.layout[group]}</h2>
      <ul aria-labelledby={`navigation-${group}`}>
        {pages
          .flatMap((page) => (page.navigation?.group === group ? [{ page, ...page.navigation }] : []))
          .filter(({ isForManagers }) => !isForManagers || live.managesAny.value !== false)
          .map(({ page, icon, text, count }) => (
            <li key={page.path}>
              <a href={href(...page.path.split('/').filter(Boolean))} aria-current={isCurrent(page) ? 'page' : undefined}>
                <Icon name={icon} />
                {text(strings)}
                <Count value={count?.(live) ?? 0} />
              </a>
            </li>
          ))}
      </ul>
    </>
  );
}

function Count({ value }: { value: number }) {
  return value > 0 ? <span class="count">{value}</span> : null;
}

function Connection() {
  const { live, toasts } = useApp();
  const { connection } = live;
  const { layout } = useStrings();
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection.value === 'live' && wasLost.current) toasts.show('good', layout.back);
    wasLost.current = connection.value === 'lost';
  }, [connection.value]);
  return (
    <span class={`connection ${connection.value}`} role="status">
      {layout[connection.value]}
    </span>
  );
}
