// What programs and people sign in with: made, shown once, taken away.
import { useState } from 'preact/hooks';
import type { Token } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog, Dialog } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePaged } from '../components/paged.ts';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { PagedTable } from '../components/table.tsx';
import { useUsernames } from '../components/usernames.ts';
import { useFormats } from '../format.ts';

const lifetimes = [30, 365, 3650, 0];

/** `made`: just now, with the secret that is shown this once. */
type Open = 'add' | { readonly made: string; readonly name: string } | { readonly remove: Token };

export function TokensPage() {
  const { tokens, common } = useStrings();
  const { client, toasts } = useApp();
  const { dateTime } = useFormats();
  const paged = usePaged<Token>('gateway/tokens');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const expiry = ({ expireDate }: Token) =>
    expireDate === null ? common.never : expireDate > Date.now() ? dateTime(expireDate) : tokens.expired(dateTime(expireDate));

  return (
    <>
      <PageHead title={tokens.title} intro={tokens.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen('add')}>
          {tokens.add}
        </Button>
      </PageHead>
      <PagedTable
        caption={tokens.title}
        paged={paged}
        empty={tokens.none}
        keyOf={({ tokenId }) => tokenId}
        columns={[
          { title: tokens.name, cell: ({ name }) => <strong>{name}</strong> },
          { title: tokens.account, cell: ({ username }) => username },
          { title: tokens.created, cell: ({ createDate }) => dateTime(createDate) },
          { title: tokens.expires, cell: expiry },
          {
            title: common.actions,
            actions: true,
            cell: (token) => (
              <Button kind="quiet" label={tokens.remove(token.name, token.username)} onClick={() => setOpen({ remove: token })}>
                {tokens.revoke}
              </Button>
            ),
          },
        ]}
      />
      {open === 'add' && (
        <NewToken
          onClose={close}
          onMade={(name, made) => {
            setOpen({ name, made });
            paged.reload();
          }}
        />
      )}
      {typeof open === 'object' && 'made' in open && (
        <SecretDialog title={open.name} text={tokens.madeText} secrets={[{ label: tokens.secret, value: open.made }]} onClose={close} />
      )}
      {typeof open === 'object' && 'remove' in open && (
        <ConfirmDialog
          title={tokens.remove(open.remove.name, open.remove.username)}
          text={tokens.removeText}
          confirm={tokens.revoke}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', `gateway/tokens/${open.remove.tokenId}`);
            close();
            toasts.show('good', tokens.removed(open.remove.name));
            paged.reload();
          }}
        />
      )}
    </>
  );
}

function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (name: string, token: string) => void }) {
  const { tokens } = useStrings();
  const { client } = useApp();
  const usernames = useUsernames();
  return (
    <Dialog title={tokens.add} onClose={onClose}>
      <Form
        submit={tokens.add}
        required={['name']}
        onCancel={onClose}
        onSubmit={async (values) => {
          const days = Number(values.text('expiresInDays'));
          const body = { username: values.text('username'), name: values.text('name'), ...(days > 0 && { expiresInDays: days }) };
          const { token } = await client.ask<{ token: string }>('POST', 'gateway/tokens', { body });
          onMade(body.name, token);
        }}
      >
        {(errorOf) => (
          <>
            <TextField label={tokens.name} name="name" hint={tokens.nameHint} error={errorOf('name')} required maxLength={64} autoFocus />
            <SelectField
              label={tokens.account}
              name="username"
              error={errorOf('username')}
              options={usernames.map((value) => ({ value, text: value }))}
            />
            <SelectField
              label={tokens.lifetime}
              name="expiresInDays"
              value="365"
              options={lifetimes.map((days) => ({ value: String(days), text: tokens.lifetimes(days) }))}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
