// The accounts of the gateway. This page is the pattern for management pages: a paged table, a dialog to add, a question before removal.
import { useState } from 'preact/hooks';
import type { Account } from '../../api/types.ts';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import type { Values } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePaged } from '../../components/paged.ts';
import { PagedTable } from '../../components/table.tsx';
import { useFormats } from '../../format.ts';
import { useTexts } from '../texts.ts';

export function AccountsPage() {
  const { accounts } = useTexts();
  const { common } = useStrings();
  const { client, toasts } = useApp();
  const { dateTime } = useFormats();
  const paged = usePaged<Account>('gateway/accounts');
  const [open, setOpen] = useState<'add' | { readonly what: 'change' | 'remove'; readonly account: Account }>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    paged.reload();
  };

  return (
    <>
      <PageHead title={accounts.title} intro={accounts.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen('add')}>
          {accounts.add}
        </Button>
      </PageHead>
      <PagedTable
        caption={accounts.title}
        paged={paged}
        empty={accounts.none}
        keyOf={({ username }) => username}
        columns={[
          { title: accounts.username, cell: ({ username }) => <strong>{username}</strong> },
          { title: accounts.gatewayAdministrator, cell: ({ gatewayAdministrator }) => (gatewayAdministrator ? common.yes : common.no) },
          { title: accounts.accessManager, cell: ({ accessManager }) => (accessManager ? common.yes : common.no) },
          { title: accounts.created, cell: ({ createDate }) => dateTime(createDate) },
          {
            title: common.actions,
            actions: true,
            cell: (account) => (
              <>
                <Button kind="quiet" label={accounts.change(account.username)} onClick={() => setOpen({ what: 'change', account })}>
                  {accounts.changeShort}
                </Button>
                <Button kind="quiet" label={accounts.remove(account.username)} onClick={() => setOpen({ what: 'remove', account })}>
                  {common.remove}
                </Button>
              </>
            ),
          },
        ]}
      />
      {open === 'add' && (
        <FormDialog
          title={accounts.add}
          onClose={close}
          required={['username']}
          onSubmit={async (values) => {
            const body = { username: values.text('username'), ...rightsOf(values) };
            await client.ask('POST', 'gateway/accounts', { body });
            done(accounts.added(body.username));
          }}
        >
          {(errorOf) => (
            <>
              <TextField
                label={accounts.username}
                name="username"
                hint={accounts.usernameHint}
                error={errorOf('username')}
                required
                autoFocus
              />
              <RightsFields />
            </>
          )}
        </FormDialog>
      )}
      {typeof open === 'object' && open.what === 'change' && (
        <FormDialog
          title={accounts.change(open.account.username)}
          submit={common.save}
          onClose={close}
          onSubmit={async (values) => {
            await client.ask('PUT', pathOf(open.account), { body: rightsOf(values) });
            done(accounts.changed(open.account.username));
          }}
        >
          {() => <RightsFields account={open.account} />}
        </FormDialog>
      )}
      {typeof open === 'object' && open.what === 'remove' && (
        <ConfirmDialog
          title={accounts.remove(open.account.username)}
          text={accounts.removeText(open.account.username)}
          confirm={common.remove}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', pathOf(open.account));
            done(accounts.removed(open.account.username));
          }}
        />
      )}
    </>
  );
}

const pathOf = ({ username }: Account) => `gateway/accounts/${encodeURIComponent(username)}`;

const rightsOf = (values: Values) => ({
  gatewayAdministrator: values.checked('gatewayAdministrator'),
  accessManager: values.checked('accessManager'),
});

function RightsFields({ account }: { readonly account?: Account }) {
  const { accounts } = useTexts();
  return (
    <>
      <CheckField
        label={accounts.gatewayAdministrator}
        name="gatewayAdministrator"
        hint={accounts.gatewayAdministratorHint}
        checked={account?.gatewayAdministrator ?? false}
      />
      <CheckField
        label={accounts.accessManager}
        name="accessManager"
        hint={accounts.accessManagerHint}
        checked={account?.accessManager ?? false}
      />
    </>
  );
}
