// Makes an account, and an invitation for it.
import type { Account } from '../../api/types.ts';
import { useApp } from '../../app.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import type { Values } from '../../components/form.tsx';
import { useProblemText } from '../../format.ts';
import { useTexts } from '../texts.ts';
import type { SecretLink } from '../types.ts';
import { invitationPath } from './invite-dialog.tsx';

interface NewAccountProps {
  readonly onClose: () => void;
  /** With the invitation, if one was asked for. */
  readonly onMade: (username: string, link: SecretLink | undefined) => void;
}

export function NewAccount({ onClose, onMade }: NewAccountProps) {
  const { client, toasts } = useApp();
  const { accounts } = useTexts();
  const problemText = useProblemText();

  async function make(values: Values): Promise<void> {
    const body = { username: values.text('username'), ...rightsOf(values) };
    await client.ask('POST', 'gateway/accounts', { body });
    // The account is there, whatever becomes of its invitation.
    const invited = values.checked('invite')
      ? client.ask<SecretLink>('POST', invitationPath(body.username), { body: {} }).catch((error: unknown) => {
          toasts.show('bad', accounts.notInvited(body.username, problemText(error)));
          return undefined;
        })
      : undefined;
    onMade(body.username, await invited);
  }

  return (
    <FormDialog title={accounts.add} onClose={onClose} required={['username']} onSubmit={make}>
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
          <CheckField label={accounts.inviteNow} name="invite" hint={accounts.inviteNowHint} checked />
        </>
      )}
    </FormDialog>
  );
}

export const rightsOf = (values: Values) => ({
  gatewayAdministrator: values.checked('gatewayAdministrator'),
  accessManager: values.checked('accessManager'),
});

export function RightsFields({ account }: { readonly account?: Account }) {
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
