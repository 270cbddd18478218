// All locks of the gateway, for gateway administrators: the name, the administrator and the hub of each.
import { useState } from 'preact/hooks';
import type { ManagedLock } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { useAskedList } from '../components/asked-list.ts';
import { AskedTable } from '../components/asked-table.tsx';
import { Button } from '../components/button.tsx';
import { CapabilityList } from '../components/capabilities.tsx';
import { SelectField } from '../components/field.tsx';
import { Online, Way } from '../components/lock-facts.tsx';
import { PageHead } from '../components/page-head.tsx';
import { href } from '../router.ts';
import { RegisterLock } from './registered-new.tsx';

export function RegisteredPage() {
  const { registered, makes, locks } = useStrings();
  const { router, toasts } = useApp();
  const makeOf = ({ driver }: ManagedLock) => makes.kinds[driver?.kind ?? 'native'] ?? driver?.kind ?? '';
  const { show = 'all' } = router.query.value;
  const list = useAskedList<ManagedLock>('gateway/locks', { online: show === 'all' ? undefined : Number(show === 'online') });
  const [isAdding, setAdding] = useState(false);

  return (
    <>
      <PageHead title={registered.title} intro={registered.intro}>
        <a class="button" href={href('removed')}>
          {registered.removedOnes}
        </a>
        <a class="button" href={href('pairing')}>
          {registered.pair}
        </a>
        <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
          {registered.add}
        </Button>
      </PageHead>
      <AskedTable
        caption={registered.title}
        list={list}
        empty={registered.none}
        keyOf={({ lockId }) => lockId}
        isGone={({ lockId }) => toasts.isGone(`lock ${lockId}`)}
        columns={[
          {
            title: registered.name,
            sort: 'lockName',
            cell: ({ lockId, lockName, lockAlias }) => (
              <>
                <a href={href('registered', lockId)}>
                  <strong>{lockName}</strong>
                </a>
                {lockAlias !== lockName && <span class="faint"> {lockAlias}</span>}
              </>
            ),
          },
          { title: registered.connection, sort: 'online', cell: (lock) => <Online lock={lock} /> },
          { title: registered.group, sort: 'groupName', cell: ({ groupName }) => groupName },
          { title: registered.administrator, sort: 'administrator', cell: ({ administrator }) => administrator },
          { title: registered.way, cell: (lock) => <Way lock={lock} /> },
          {
            title: makes.make,
            sort: 'driver',
            cell: (lock) => (
              <>
                {makeOf(lock)}
                <CapabilityList capabilities={lock.capabilities} />
              </>
            ),
          },
        ]}
      >
        <SelectField
          label={locks.show}
          name="show"
          value={show}
          onInput={(value) => router.ask({ show: value === 'all' ? '' : value, page: '' })}
          options={Object.entries(registered.shows).map(([value, text]) => ({ value, text }))}
        />
      </AskedTable>
      {isAdding && <RegisterLock onClose={() => setAdding(false)} onChange={list.reload} />}
    </>
  );
}
