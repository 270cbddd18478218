// The logins of programs that speak as to the TTLock cloud: who they are, when they were last here, and what one does with one.
import { useState } from 'preact/hooks';
import { useStrings } from '../app.ts';
import { useAskedList } from '../components/asked-list.ts';
import { AskedTable } from '../components/asked-table.tsx';
import { Button } from '../components/button.tsx';
import { Callout } from '../components/callout.tsx';
import { LinesToCopy } from '../components/lines-to-copy.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePolled } from '../components/polled.ts';
import { useFormats } from '../format.ts';
import { useTexts } from './texts.ts';
import { type OpenTtlockDialog, TtlockDialogs, ttlockPath } from './ttlock-dialogs.tsx';
import type { TtlockLogin, TtlockStatus } from './types.ts';

const askEveryMs = 30_000;

export function TtlockPage() {
  const { ttlock: texts } = useTexts();
  const { common } = useStrings();
  const { dateTime } = useFormats();
  const list = useAskedList<TtlockLogin>(ttlockPath);
  const [open, setOpen] = useState<OpenTtlockDialog>();
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen({ what: 'add' })}>
          {texts.add}
        </Button>
      </PageHead>
      <Reach />
      <AskedTable
        caption={texts.title}
        list={list}
        empty={texts.none}
        keyOf={({ loginId }) => loginId}
        columns={[
          { title: texts.name, sort: 'name', cell: ({ name }) => <strong>{name}</strong> },
          { title: texts.account, sort: 'username', cell: ({ username }) => username },
          {
            title: texts.callback,
            cell: ({ callback }) =>
              callback === null ? <span class="faint">{texts.noCallback}</span> : <code class="long">{callback}</code>,
          },
          {
            title: texts.lastUsed,
            sort: 'lastUsed',
            cell: ({ lastUsed }) => (lastUsed === null ? common.never : dateTime(lastUsed)),
          },
          {
            title: common.actions,
            actions: true,
            cell: (login) => (
              <>
                <Button kind="quiet" label={texts.changeOne(login.name)} onClick={() => setOpen({ what: 'change', login })}>
                  {texts.change}
                </Button>
                <Button kind="quiet" label={texts.renewOne(login.name)} onClick={() => setOpen({ what: 'renew', login })}>
                  {texts.renew}
                </Button>
                <Button kind="quiet" label={texts.removeOne(login.name)} onClick={() => setOpen({ what: 'remove', login })}>
                  {common.remove}
                </Button>
              </>
            ),
          },
        ]}
      />
      <TtlockDialogs open={open} setOpen={setOpen} reload={list.reload} />
    </>
  );
}

/** Where these programs find the gateway, or what is to be done first. */
function Reach() {
  const { ttlock: texts } = useTexts();
  const { value } = usePolled<TtlockStatus>('gateway/status', askEveryMs);
  if (value === undefined) return null;
  if (value.ttlock.enabled) {
    return (
      <p class="intro">
        {texts.addressText} <code class="long">{location.origin}</code>
        {location.protocol === 'http:' && ` ${texts.httpOnly}`}
      </p>
    );
  }
  return (
    <Callout kind="info">
      <p>{texts.off}</p>
      <p>{texts.howTo}</p>
      <LinesToCopy label={texts.lines} lines="ttlock: { enabled: true }" />
    </Callout>
  );
}
