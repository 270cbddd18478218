// Hubs, which speak for locks that are not on the network themselves.
import { useState } from 'preact/hooks';
import type { Hub } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog, FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { Online } from '../components/lock-facts.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePaged } from '../components/paged.ts';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { PagedTable } from '../components/table.tsx';

interface Issued {
  readonly deviceId: string;
  readonly deviceKey: string;
}

type Open = 'add' | { readonly issued: Issued } | { readonly renew: Hub } | { readonly remove: Hub };

export function HubsPage() {
  const { hubs, common, devices } = useStrings();
  const paged = usePaged<Hub>('gateway/hubs');
  const [open, setOpen] = useState<Open>();

  return (
    <>
      <PageHead title={hubs.title} intro={hubs.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen('add')}>
          {hubs.add}
        </Button>
      </PageHead>
      <PagedTable
        caption={hubs.title}
        paged={paged}
        empty={hubs.none}
        keyOf={({ deviceId }) => deviceId}
        columns={[
          { title: hubs.name, cell: ({ name }) => <strong>{name}</strong> },
          { title: hubs.connection, cell: (hub) => <Online lock={hub} /> },
          { title: devices.mac, cell: ({ mac }) => <code>{mac}</code> },
          { title: hubs.locks, cell: ({ locks }) => locks },
          {
            title: common.actions,
            actions: true,
            cell: (hub) => (
              <>
                <Button kind="quiet" label={hubs.renew(hub.name)} onClick={() => setOpen({ renew: hub })}>
                  {devices.newKey}
                </Button>
                <Button kind="quiet" label={hubs.remove(hub.name)} onClick={() => setOpen({ remove: hub })}>
                  {common.remove}
                </Button>
              </>
            ),
          },
        ]}
      />
      <HubDialogs open={open} setOpen={setOpen} reload={paged.reload} />
    </>
  );
}

interface HubDialogsProps {
  readonly open: Open | undefined;
  readonly setOpen: (open: Open | undefined) => void;
  /** A hub was added, has a new key, or was removed. */
  readonly reload: () => void;
}

function HubDialogs({ open, setOpen, reload }: HubDialogsProps) {
  const { hubs, common, devices } = useStrings();
  const { client, toasts } = useApp();
  const close = () => setOpen(undefined);
  const issue = (issued: Issued) => {
    setOpen({ issued });
    reload();
  };
  return (
    <>
      {open === 'add' && (
        <FormDialog
          title={hubs.add}
          onClose={close}
          required={['name', 'mac']}
          onSubmit={async (values) => {
            const body = { name: values.text('name'), mac: values.text('mac') };
            issue(await client.ask<Issued>('POST', 'gateway/hubs', { body }));
          }}
        >
          {(errorOf) => (
            <>
              <TextField label={hubs.name} name="name" hint={hubs.nameHint} error={errorOf('name')} required maxLength={64} autoFocus />
              <TextField label={devices.mac} name="mac" hint={devices.macHint} error={errorOf('mac')} required />
            </>
          )}
        </FormDialog>
      )}
      {typeof open === 'object' && 'issued' in open && (
        <SecretDialog
          title={devices.keyTitle}
          text={hubs.keyText}
          secrets={[
            { label: devices.login, value: open.issued.deviceId },
            { label: devices.key, value: open.issued.deviceKey },
          ]}
          onClose={close}
        />
      )}
      {typeof open === 'object' && 'renew' in open && (
        <ConfirmDialog
          title={hubs.renew(open.renew.name)}
          text={hubs.renewText}
          confirm={devices.newKey}
          onClose={close}
          onConfirm={async () => issue(await client.ask<Issued>('POST', `gateway/hubs/${open.renew.deviceId}/key`))}
        />
      )}
      {typeof open === 'object' && 'remove' in open && (
        <ConfirmDialog
          title={hubs.remove(open.remove.name)}
          text={hubs.removeText}
          confirm={common.remove}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', `gateway/hubs/${open.remove.deviceId}`);
            close();
            toasts.show('good', hubs.removed(open.remove.name));
            reload();
          }}
        />
      )}
    </>
  );
}
