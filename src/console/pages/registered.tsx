// All locks of the gateway, for gateway administrators: the name, the administrator and the hub of each.
import { useState } from 'preact/hooks';
import type { ManagedLock } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { useAllRows } from '../components/all-rows.ts';
import { Button } from '../components/button.tsx';
import { CapabilityList } from '../components/capabilities.tsx';
import { SelectField } from '../components/field.tsx';
import { Online, Way } from '../components/lock-facts.tsx';
import { PageHead } from '../components/page-head.tsx';
import { SortedTable } from '../components/sorted-table.tsx';
import { href } from '../router.ts';
import { RegisterLock } from './registered-new.tsx';

export function RegisteredPage() {
  const { registered, makes, locks } = useStrings();
  const { router, toasts } = useApp();
  const all = useAllRows<ManagedLock>('gateway/locks', {}, ({ lockId }) => lockId);
  const makeOf = ({ driver }: ManagedLock) => makes.kinds[driver?.kind ?? 'native'] ?? driver?.kind ?? '';
  const { show = 'all' } = router.query.value;
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
      <SortedTable
        caption={registered.title}
        all={all}
        empty={registered.none}
        keyOf={({ lockId }) => lockId}
        textsOf={(lock) => [lock.lockName, lock.lockAlias, lock.groupName, lock.lockMac, lock.administrator, makeOf(lock)]}
        isWanted={({ lockId, online }) => !toasts.isGone(`lock ${lockId}`) && (show === 'all' || online === (show === 'online'))}
        columns={[
          {
            title: registered.name,
            value: ({ lockName }) => lockName,
            cell: ({ lockId, lockName, lockAlias }) => (
              <>
                <a href={href('registered', lockId)}>
                  <strong>{lockName}</strong>
                </a>
                {lockAlias !== lockName && <span class="faint"> {lockAlias}</span>}
              </>
            ),
          },
          { title: registered.connection, value: ({ online }) => Number(online), cell: (lock) => <Online lock={lock} /> },
          { title: registered.group, value: ({ groupName }) => groupName, cell: ({ groupName }) => groupName },
          { title: registered.administrator, value: ({ administrator }) => administrator, cell: ({ administrator }) => administrator },
          { title: registered.way, cell: (lock) => <Way lock={lock} /> },
          {
            title: makes.make,
            value: makeOf,
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
      </SortedTable>
      {isAdding && <RegisterLock onClose={() => setAdding(false)} onChange={all.reload} />}
    </>
  );
}
