// All locks of the gateway, for gateway administrators: the name, the administrator and the hub of each.
import { useState } from 'preact/hooks';
import type { ManagedLock } from '../api/registration-types.ts';
import { useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { CapabilityList } from '../components/capabilities.tsx';
import { Online, Way } from '../components/lock-facts.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePaged } from '../components/paged.ts';
import { PagedTable } from '../components/table.tsx';
import { href } from '../router.ts';
import { RegisterLock } from './registered-new.tsx';

export function RegisteredPage() {
  const { registered, makes } = useStrings();
  const paged = usePaged<ManagedLock>('gateway/locks');
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
      <PagedTable
        caption={registered.title}
        paged={paged}
        empty={registered.none}
        keyOf={({ lockId }) => lockId}
        columns={[
          {
            title: registered.name,
            cell: ({ lockId, lockName, lockAlias }) => (
              <>
                <a href={href('registered', lockId)}>
                  <strong>{lockName}</strong>
                </a>
                {lockAlias !== lockName && <span class="faint"> {lockAlias}</span>}
              </>
            ),
          },
          { title: registered.connection, cell: (lock) => <Online lock={lock} /> },
          { title: registered.group, cell: ({ groupName }) => groupName },
          { title: registered.administrator, cell: ({ administrator }) => administrator },
          { title: registered.way, cell: (lock) => <Way lock={lock} /> },
          {
            title: makes.make,
            cell: ({ driver, capabilities }) => (
              <>
                {makes.kinds[driver?.kind ?? 'native'] ?? driver?.kind}
                <CapabilityList capabilities={capabilities} />
              </>
            ),
          },
        ]}
      />
      {isAdding && <RegisterLock onClose={() => setAdding(false)} onChange={paged.reload} />}
    </>
  );
}
