// For every lock, what is as wanted and what is not; after a restore somebody looks at it before the gateway goes on.
import { useState } from 'preact/hooks';
import { useApp } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout } from '../../components/callout.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePaged } from '../../components/paged.ts';
import { PagedTable } from '../../components/table.tsx';
import { useProblemText } from '../../format.ts';
import { href } from '../../router.ts';
import { useBuilding } from '../building.ts';
import { useTexts } from '../texts.ts';
import type { ComparisonRow } from '../types.ts';

export function ComparisonPage() {
  const { comparison: texts } = useTexts();
  const { client, toasts } = useApp();
  const text = useProblemText();
  const building = useBuilding();
  const paged = usePaged<ComparisonRow>('access/compare');
  const [busy, setBusy] = useState(false);
  const isPaused = paged.page?.list.some(({ paused }) => paused) === true;
  async function resume(): Promise<void> {
    setBusy(true);
    try {
      await client.ask('POST', 'access/resume');
      toasts.show('good', texts.resumed);
      paged.reload();
    } catch (error) {
      toasts.show('bad', text(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro}>
        {isPaused && (
          <Button kind="main" busy={busy} onClick={() => void resume()}>
            {texts.resume}
          </Button>
        )}
      </PageHead>
      {isPaused && <Callout kind="warning">{texts.paused}</Callout>}
      <PagedTable
        caption={texts.title}
        paged={paged}
        empty={texts.none}
        keyOf={({ lockId }) => lockId}
        columns={[
          {
            title: texts.lock,
            cell: ({ lockId, state }) => (
              <>
                <a href={href('locks', lockId, 'cards')}>
                  <strong>{building.nameOf(lockId)}</strong>
                </a>{' '}
                {state === 'offline' && <span class="tag">{texts.offline}</span>}
              </>
            ),
          },
          { title: texts.unchanged, cell: ({ unchanged }) => unchanged },
          { title: texts.different, cell: ({ different }) => different },
          { title: texts.missing, cell: ({ missing }) => missing },
          { title: texts.extraneous, cell: ({ extraneous }) => extraneous },
        ]}
      />
    </>
  );
}
