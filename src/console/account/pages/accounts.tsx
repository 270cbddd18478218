// The accounts of the gateway. This page is the pattern for management pages: a table that is searched and ordered, a dialog to add, a question before removal.
import { useState } from 'preact/hooks';
import type { Account } from '../../api/types.ts';
import { useApp, useStrings } from '../../app.ts';
import { useAskedList } from '../../components/asked-list.ts';
import { AskedTable } from '../../components/asked-table.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useFormats } from '../../format.ts';
import { useTexts } from '../texts.ts';
import type { SecretLink } from '../types.ts';
import { GiveRoles } from './give-roles.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { NewAccount, RightsFields, rightsOf } from './new-account.tsx';
import { Sessions } from './sessions.tsx';

type Open =
  | 'add'
  | { readonly what: 'change' | 'remove'; readonly account: Account }
  | { readonly what: 'invite' | 'sessions' | 'roles'; readonly username: string; readonly link?: SecretLink };

export function AccountsPage() {
  const { accounts } = useTexts();
  const { common, locks } = useStrings();
  const { client, router, toasts } = useApp();
  const { dateTime } = useFormats();
  const { show = 'all' } = router.query.value;
  const list = useAskedList<Account>('gateway/accounts', {
    gatewayAdministrator: show === 'gatewayAdministrators' ? 1 : undefined,
    accessManager: show === 'accessManagers' ? 1 : undefined,
  });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    list.reload();
  };

  return (
    <>
      <PageHead title={accounts.title} intro={accounts.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen('add')}>
          {accounts.add}
        </Button>
      </PageHead>
      <AskedTable
        caption={accounts.title}
        list={list}
        empty={accounts.none}
        keyOf={({ username }) => username}
        columns={[
          { title: accounts.username, sort: 'username', cell: ({ username }) => <strong>{username}</strong> },
          {
            title: accounts.gatewayAdministrator,
            sort: 'gatewayAdministrator',
            cell: ({ gatewayAdministrator }) => (gatewayAdministrator ? common.yes : common.no),
          },
          {
            title: accounts.accessManager,
            sort: 'accessManager',
            cell: ({ accessManager }) => (accessManager ? common.yes : common.no),
          },
          { title: accounts.created, sort: 'createDate', cell: ({ createDate }) => dateTime(createDate) },
          {
            title: common.actions,
            actions: true,
            cell: (account) => (
              <>
                <Button kind="quiet" label={accounts.invite(account.username)} onClick={() => setOpen({ what: 'invite', ...account })}>
                  {accounts.inviteShort}
                </Button>
                <Button kind="quiet" label={accounts.roles(account.username)} onClick={() => setOpen({ what: 'roles', ...account })}>
                  {accounts.rolesShort}
                </Button>
                <Button kind="quiet" label={accounts.sessions(account.username)} onClick={() => setOpen({ what: 'sessions', ...account })}>
                  {accounts.sessionsShort}
                </Button>
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
      >
        <SelectField
          label={locks.show}
          name="show"
          value={show}
          onInput={(value) => router.ask({ show: value === 'all' ? '' : value, page: '' })}
          options={Object.entries(accounts.shows).map(([value, text]) => ({ value, text }))}
        />
      </AskedTable>
      {open === 'add' && (
        <NewAccount
          onClose={close}
          onMade={(username, link) => {
            done(accounts.added(username));
            if (link !== undefined) setOpen({ what: 'invite', username, link });
          }}
        />
      )}
      {typeof open === 'object' && open.what === 'invite' && (
        <InviteDialog
          username={open.username}
          {...(open.link && { made: open.link })}
          onClose={close}
          onRoles={() => setOpen({ what: 'roles', username: open.username })}
        />
      )}
      {typeof open === 'object' && open.what === 'roles' && <GiveRoles username={open.username} onClose={close} onDone={done} />}
      {typeof open === 'object' && open.what === 'sessions' && (
        <Dialog title={accounts.sessions(open.username)} onClose={close}>
          <Sessions username={open.username} />
        </Dialog>
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
