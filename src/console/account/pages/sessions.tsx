// Where an account is signed in; each session can be ended.
import { useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { usePaged } from '../../components/paged.ts';
import { PagedTable } from '../../components/table.tsx';
import { useFormats, useProblemText } from '../../format.ts';
import { useTexts } from '../texts.ts';
import type { SignInSession } from '../types.ts';

/** `username`: of another account; absent: one's own. */
export function Sessions({ username }: { readonly username?: string }) {
  const { client, toasts } = useApp();
  const { common } = useStrings();
  const { sessions } = useTexts();
  const { dateTime } = useFormats();
  const problemText = useProblemText();
  const query = username === undefined ? {} : { username };
  const paged = usePaged<SignInSession>('sessions', query);
  const [isBusy, setBusy] = useState(false);
  const hasOthers = paged.page?.list.some(({ current }) => !current) ?? false;

  async function end(path: string, text: string): Promise<void> {
    setBusy(true);
    try {
      await client.ask('DELETE', path, path === 'sessions' ? { query } : {});
      toasts.show('good', text);
    } catch (error) {
      toasts.show('bad', problemText(error));
    } finally {
      setBusy(false);
      paged.reload();
    }
  }

  return (
    <>
      <div class="section-text">
        <p>{username === undefined ? sessions.intro : sessions.introOf(username)}</p>
        {hasOthers && (
          <Button busy={isBusy} onClick={() => void end('sessions', sessions.endedAll)}>
            {username === undefined ? sessions.endOthers : sessions.endAll}
          </Button>
        )}
      </div>
      <PagedTable
        caption={username === undefined ? sessions.title : sessions.of(username)}
        paged={paged}
        empty={sessions.none}
        keyOf={({ sessionId }) => sessionId}
        columns={[
          {
            title: sessions.browser,
            cell: ({ agent, current }) => (
              <>
                <strong>{agent || sessions.unknownBrowser}</strong> {current && <span class="tag">{sessions.current}</span>}
              </>
            ),
          },
          { title: sessions.address, cell: ({ address }) => <span class="whole">{address}</span> },
          {
            title: sessions.signedIn,
            cell: ({ createDate, method }) => (
              <>
                {dateTime(createDate)} <span class="faint">{sessions.methods[method] ?? method}</span>
              </>
            ),
          },
          { title: sessions.lastUsed, cell: ({ lastUsedDate }) => dateTime(lastUsedDate) },
          {
            title: common.actions,
            actions: true,
            cell: ({ sessionId, agent, address, current }) =>
              !current && (
                <Button
                  kind="quiet"
                  label={sessions.endOne(agent || sessions.unknownBrowser, address)}
                  onClick={() => void end(`sessions/${encodeURIComponent(sessionId)}`, sessions.ended)}
                >
                  {sessions.end}
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}
