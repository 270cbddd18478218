// The active alarms of locks and of the gateway itself, always up to date.
import { useState } from 'preact/hooks';
import type { Alarm } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { Loading } from '../components/callout.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page-head.tsx';
import { pageOf } from '../components/paged.ts';
import { Pager } from '../components/pager.tsx';
import { href } from '../router.ts';

const pageSize = 50;

export function AlarmsPage() {
  const { alarms, alarmKinds, common } = useStrings();
  const { client, live, toasts } = useApp();
  const [pageNo, setPageNo] = useState(1);
  const [ending, setEnding] = useState<Alarm>();
  const active = live.alarms.value;
  const page = pageOf(active, pageNo, pageSize);
  const isKnown = live.locks.value !== undefined;
  const placeOf = ({ lockId }: Alarm) =>
    lockId === null ? alarms.gateway : (live.locks.value?.get(lockId)?.lockAlias ?? alarms.lock(lockId));

  return (
    <>
      <PageHead title={alarms.title} intro={isKnown ? alarms.summary(active.length) : undefined} />
      {!isKnown && <Loading />}
      {isKnown && active.length === 0 && (
        <div class="all-well">
          <Icon name="check" />
          <p>{alarms.none}</p>
        </div>
      )}
      <ul class="alarms">
        {page.list.map((alarm) => (
          <li key={`${alarm.kind} ${alarm.lockId}`}>
            <AlarmCard alarm={alarm} onEnd={() => setEnding(alarm)} />
          </li>
        ))}
      </ul>
      <Pager {...page} onTurn={setPageNo} />
      {ending && (
        <ConfirmDialog
          title={alarms.end}
          text={alarms.endText(alarmKinds[ending.kind] ?? ending.kind, placeOf(ending))}
          confirm={alarms.end}
          danger={false}
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            await client.ask('DELETE', `gateway/alarms/${ending.kind}/${ending.lockId}`);
            setEnding(undefined);
            toasts.show('good', alarms.ended);
          }}
        />
      )}
      <p class="unseen" role="status">
        {common.total(active.length)}
      </p>
    </>
  );
}

function AlarmCard({ alarm: { kind, lockId, since, endsByItself }, onEnd }: { alarm: Alarm; onEnd: () => void }) {
  const { alarms, alarmKinds } = useStrings();
  const { live } = useApp();
  const title = alarmKinds[kind] ?? kind;
  const advice = alarms.advice[kind];
  const lock = lockId === null ? undefined : live.locks.value?.get(lockId);
  return (
    <article class={`alarm-card ${urgent.has(kind) ? 'urgent' : ''}`}>
      <Icon name="alert" />
      <div>
        <h2>{title}</h2>
        <p>
          {lockId === null ? (
            alarms.gateway
          ) : lock === undefined ? (
            alarms.lock(lockId)
          ) : (
            <a href={href('locks', lockId)}>{lock.lockAlias}</a>
          )}{' '}
          <span class="faint">
            · <Ago at={since} />
          </span>
        </p>
        {advice && <p class="faint">{advice}</p>}
      </div>
      {!endsByItself && (
        <Button label={`${alarms.end}: ${title}`} onClick={onEnd}>
          {alarms.end}
        </Button>
      )}
    </article>
  );
}

/** The kinds of alarm that need a person at once. */
const urgent: ReadonlySet<string> = new Set(['duress', 'tampered', 'storage-unavailable']);
