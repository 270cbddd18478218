// Who may do what on a lock, for its administrator and for gateway administrators.
import { useState } from 'preact/hooks';
import type { GrantedRole } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { AccountField } from './account-field.tsx';
import { Button } from './button.tsx';
import { ConfirmDialog, FormDialog } from './dialog.tsx';
import { SelectField, TextField } from './field.tsx';
import { usePaged } from './paged.ts';
import { PagedTable } from './table.tsx';

interface RolesProps {
  readonly lockId: number;
  /** Whether another administrator can be appointed, which gateway administrators may do. */
  readonly mayAppoint?: boolean;
  readonly onAppointed?: () => void;
}

export function Roles({ lockId, mayAppoint = false, onAppointed }: RolesProps) {
  const { roles, common, lock } = useStrings();
  const { client, toasts } = useApp();
  const path = `gateway/locks/${lockId}/roles`;
  const paged = usePaged<GrantedRole>(path);
  const [open, setOpen] = useState<'grant' | GrantedRole>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    paged.reload();
  };

  return (
    <section aria-labelledby="roles">
      <div class="section-head">
        <h2 id="roles">{roles.title}</h2>
        <Button icon="plus" onClick={() => setOpen('grant')}>
          {roles.grant}
        </Button>
      </div>
      <PagedTable
        caption={roles.title}
        paged={paged}
        empty={roles.none}
        keyOf={({ username }) => username}
        columns={[
          { title: roles.account, cell: ({ username }) => <strong>{username}</strong> },
          { title: roles.role, cell: ({ role }) => lock.roles[role] },
          { title: roles.may, cell: ({ role }) => <span class="faint">{roles.rights[role]}</span> },
          {
            title: common.actions,
            actions: true,
            cell: (granted) =>
              granted.role !== 'administrator' && (
                <Button kind="quiet" label={roles.revokeOne(granted.username)} onClick={() => setOpen(granted)}>
                  {roles.revoke}
                </Button>
              ),
          },
        ]}
      />
      {open === 'grant' && (
        <FormDialog
          title={roles.grant}
          onClose={close}
          submit={roles.give}
          required={['username']}
          explain={({ code }) => (code === 'not-found' ? roles.nobody : undefined)}
          onSubmit={async (values) => {
            const [username, role] = [values.text('username'), values.text('role')];
            if (role === 'administrator') await client.ask('PUT', `gateway/locks/${lockId}/administrator`, { body: { username } });
            else await client.ask('PUT', `${path}/${encodeURIComponent(username)}`, { body: { role } });
            done(roles.granted(username));
            if (role === 'administrator') onAppointed?.();
          }}
        >
          {(errorOf) => (
            <>
              {mayAppoint ? (
                <AccountField label={roles.account} name="username" error={errorOf('username')} autoFocus />
              ) : (
                <TextField label={roles.account} name="username" error={errorOf('username')} required autoFocus />
              )}
              <SelectField
                label={roles.role}
                name="role"
                hint={roles.roleHint}
                options={(['operator', 'manager', ...(mayAppoint ? (['administrator'] as const) : [])] as const).map((role) => ({
                  value: role,
                  text: `${lock.roles[role]}: ${roles.rights[role]}`,
                }))}
              />
            </>
          )}
        </FormDialog>
      )}
      {typeof open === 'object' && (
        <ConfirmDialog
          title={roles.revokeOne(open.username)}
          text={roles.revokeText(open.username)}
          confirm={roles.revoke}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', `${path}/${encodeURIComponent(open.username)}`);
            done(roles.revoked(open.username));
          }}
        />
      )}
    </section>
  );
}
