// Invites somebody to choose a password for their account: for how long, and then the link, which is shown once.
import { useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout } from '../../components/callout.tsx';
import { Dialog, FormDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { LinkToScan } from '../components/link-to-scan.tsx';
import { useTexts } from '../texts.ts';
import type { SecretLink } from '../types.ts';

const lifetimes = [1, 24, 72, 168];

interface InviteDialogProps {
  readonly username: string;
  /** One that is made already. */
  readonly made?: SecretLink;
  readonly onClose: () => void;
  /** The person is to get roles next. */
  readonly onRoles: () => void;
}

export function InviteDialog({ username, made, onClose, onRoles }: InviteDialogProps) {
  const { client } = useApp();
  const { secret } = useStrings();
  const { accounts } = useTexts();
  const [link, setLink] = useState(made);
  if (link === undefined) {
    return (
      <FormDialog
        title={accounts.invite(username)}
        submit={accounts.inviteShort}
        onClose={onClose}
        onSubmit={async (values) =>
          setLink(await client.ask('POST', invitationPath(username), { body: { expiresInHours: Number(values.text('hours')) } }))
        }
      >
        {(errorOf) => (
          <>
            <p>{accounts.inviteText(username)}</p>
            <SelectField
              label={accounts.inviteFor}
              name="hours"
              value="24"
              options={lifetimes.map((hours) => ({ value: String(hours), text: accounts.hours(hours) }))}
              error={errorOf('expiresInHours')}
            />
          </>
        )}
      </FormDialog>
    );
  }
  return (
    <Dialog title={accounts.invite(username)} onClose={onClose}>
      <div class="form">
        <p>{accounts.invited(username)}</p>
        <LinkToScan {...link} />
        <Callout kind="warning">{secret.once}</Callout>
        <p>{accounts.thenRoles(username)}</p>
        <div class="buttons">
          <Button kind="main" onClick={onClose}>
            {secret.saved}
          </Button>
          <Button onClick={onRoles}>{accounts.roles(username)}</Button>
        </div>
      </div>
    </Dialog>
  );
}

export const invitationPath = (username: string) => `gateway/accounts/${encodeURIComponent(username)}/invitation`;
