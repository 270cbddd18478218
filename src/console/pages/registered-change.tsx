// Changes the registration of a lock: its name, its group, the hub that speaks for it, and how one of another make is spoken to.
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import type { ManagedLock } from '../api/registration-types.ts';
import type { Hub } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { driverFrom, hasSettings, MakeFields } from '../components/make-fields.tsx';

export function LockDescription({ lock, onClose, onDone }: { lock: ManagedLock; onClose: () => void; onDone: () => void }) {
  const { registered } = useStrings();
  const { client } = useApp();
  const { driver } = lock;
  const [hubs, setHubs] = useState<readonly Hub[]>();
  useEffect(() => {
    client.get<Page<Hub>>('gateway/hubs', { pageSize: 1000 }).then(
      ({ list }) => setHubs(list),
      () => undefined, // Then the hub cannot be chosen.
    );
  }, [client]);
  return (
    <FormDialog
      title={registered.change}
      onClose={onClose}
      submit={registered.save}
      required={['lockName', 'lockAlias']}
      onSubmit={async (values) => {
        const hubId = values.text('hubId') === '' ? null : values.text('hubId');
        const body = {
          lockName: values.text('lockName'),
          lockAlias: values.text('lockAlias'),
          groupName: values.text('groupName'),
          // Binding a lock to another hub ends its session.
          ...(hubs !== undefined && hubId !== lock.hubId && { hubId }),
          ...(driver !== null && hasSettings(driver.kind) && { driver: driverFrom(values, driver.kind, driver) }),
        };
        await client.ask('PUT', `gateway/locks/${lock.lockId}`, { body });
        onDone();
      }}
    >
      {(errorOf) => (
        <>
          <TextField
            label={registered.name}
            name="lockName"
            value={lock.lockName}
            error={errorOf('lockName')}
            required
            maxLength={64}
            autoFocus
          />
          <TextField
            label={registered.alias}
            name="lockAlias"
            value={lock.lockAlias}
            hint={registered.aliasHint}
            error={errorOf('lockAlias')}
            required
            maxLength={64}
          />
          <TextField
            label={registered.group}
            name="groupName"
            value={lock.groupName}
            hint={registered.groupHint}
            error={errorOf('groupName')}
            maxLength={64}
          />
          {driver !== null && <MakeFields kind={driver.kind} before={driver} errorOf={errorOf} />}
          {driver === null && hubs !== undefined && hubs.length > 0 && (
            <SelectField
              label={registered.way}
              name="hubId"
              value={lock.hubId ?? ''}
              hint={registered.wayHint}
              options={[
                { value: '', text: registered.direct },
                ...hubs.map(({ deviceId, name }) => ({ value: deviceId, text: registered.hub(name) })),
              ]}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
