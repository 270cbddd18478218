// The tokens of programs and people: creates them, shows each once, and revokes them.
import { useRef, useState } from 'preact/hooks';
import type { Token, Webhook } from '../../api/types.ts';
import { useApp, useStrings } from '../../app.ts';
import { useAskedList } from '../../components/asked-list.ts';
import { AskedTable } from '../../components/asked-table.tsx';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePaged } from '../../components/paged.ts';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useUsernames } from '../../components/usernames.ts';
import { useFormats } from '../../format.ts';
import { useTexts } from '../texts.ts';

const lifetimes = [30, 365, 3650, 0];

/** `made`: a token that was just created, with the secret that is shown once. */
type Open = 'add' | { readonly made: string; readonly name: string } | { readonly remove: Token };

export function TokensPage() {
  const { tokens } = useTexts();
  const { common, locks } = useStrings();
  const { router, toasts } = useApp();
  const { dateTime } = useFormats();
  const { show = 'all' } = router.query.value;
  const list = useAskedList<Token>('gateway/tokens', { expired: show === 'all' ? undefined : Number(show === 'expired') });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const isExpired = ({ expireDate }: Token) => expireDate !== null && expireDate <= Date.now();
  const expiry = (token: Token) => {
    if (token.expireDate === null) return common.never;
    return isExpired(token) ? tokens.expired(dateTime(token.expireDate)) : dateTime(token.expireDate);
  };

  return (
    <>
      <PageHead title={tokens.title} intro={tokens.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen('add')}>
          {tokens.add}
        </Button>
      </PageHead>
      <AskedTable
        caption={tokens.title}
        list={list}
        empty={tokens.none}
        keyOf={({ tokenId }) => tokenId}
        columns={[
          {
            title: tokens.name,
            sort: 'name',
            cell: ({ name, kind }) => (
              <>
                <strong>{name}</strong>
                {kind === 'ttlock' && <small class="faint"> TTLock</small>}
              </>
            ),
          },
          { title: tokens.account, sort: 'username', cell: ({ username }) => username },
          { title: tokens.created, sort: 'createDate', cell: ({ createDate }) => dateTime(createDate) },
          { title: tokens.expires, sort: 'expireDate', cell: expiry },
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
      >
        <SelectField
          label={locks.show}
          name="show"
          value={show}
          onInput={(value) => router.ask({ show: value === 'all' ? '' : value, page: '' })}
          options={Object.entries(tokens.shows).map(([value, text]) => ({ value, text }))}
        />
      </AskedTable>
      {open === 'add' && (
        <NewToken
          onClose={close}
          onMade={(name, made) => {
            setOpen({ name, made });
            list.reload();
          }}
        />
      )}
      {typeof open === 'object' && 'made' in open && (
        <SecretDialog title={open.name} text={tokens.madeText} secrets={[{ label: tokens.secret, value: open.made }]} onClose={close} />
      )}
      {typeof open === 'object' && 'remove' in open && (
        <RevokeToken
          token={open.remove}
          onClose={close}
          onDone={() => {
            close();
            toasts.show('good', tokens.removed(open.remove.name));
            list.reload();
          }}
        />
      )}
    </>
  );
}

/** What was set up with a token belongs to its account and goes on when it is revoked: the page says so, and ends the messages if asked. */
function RevokeToken({ token, onClose, onDone }: { token: Token; onClose: () => void; onDone: () => void }) {
  const { tokens } = useTexts();
  const { client } = useApp();
  const { tokenId, name, username } = token;
  const isRevoked = useRef(false);
  const webhooks = usePaged<Webhook>('gateway/webhooks', {}, 100).page?.list.filter((webhook) => webhook.username === username) ?? [];
  return (
    <FormDialog
      title={tokens.remove(name, username)}
      submit={tokens.revoke}
      danger
      onClose={onClose}
      onSubmit={async (values) => {
        // First, so that nobody chooses anew with it. The rest may be tried again.
        if (!isRevoked.current) await client.ask('DELETE', `gateway/tokens/${tokenId}`);
        isRevoked.current = true;
        if (values.checked('end')) await client.ask('DELETE', `gateway/accounts/${encodeURIComponent(username)}/notifications`);
        onDone();
      }}
    >
      {() => (
        <>
          <p>
            {tokens.removeText}
            {webhooks.length > 0 && <> {tokens.webhooksStay(username, webhooks.map((webhook) => webhook.name).join(', '))}</>}
          </p>
          <CheckField label={tokens.endMessages(username)} name="end" hint={tokens.endMessagesHint} />
        </>
      )}
    </FormDialog>
  );
}

function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (name: string, token: string) => void }) {
  const { tokens } = useTexts();
  const { client } = useApp();
  const usernames = useUsernames();
  return (
    <FormDialog
      title={tokens.add}
      onClose={onClose}
      required={['name']}
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
    </FormDialog>
  );
}
