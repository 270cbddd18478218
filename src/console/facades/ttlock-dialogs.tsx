// What is done with a TTLock login: it is made, changed, given a new password, removed.
import { useApp, useStrings } from '../app.ts';
import { AccountField } from '../components/account-field.tsx';
import { ConfirmDialog, FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import type { Values } from '../components/form.tsx';
import { SecretDialog, SecretField } from '../components/secret-dialog.tsx';
import { useTexts } from './texts.ts';
import type { MadeTtlockLogin, TtlockLogin } from './types.ts';

export const ttlockPath = 'gateway/ttlock-logins';

export type OpenTtlockDialog =
  | { readonly what: 'add' }
  | { readonly what: 'made'; readonly name: string; readonly username: string; readonly made: MadeTtlockLogin }
  | { readonly what: 'renewed'; readonly name: string; readonly password: string }
  | { readonly what: 'change' | 'renew' | 'remove'; readonly login: TtlockLogin };

interface TtlockDialogsProps {
  readonly open: OpenTtlockDialog | undefined;
  readonly setOpen: (open: OpenTtlockDialog | undefined) => void;
  readonly reload: () => void;
}

export function TtlockDialogs({ open, setOpen, reload }: TtlockDialogsProps) {
  const { ttlock: texts } = useTexts();
  const close = () => setOpen(undefined);
  if (open === undefined) return null;
  if (open.what === 'add') return <NewLogin setOpen={setOpen} reload={reload} />;
  if (open.what === 'made') {
    const secrets = [
      { label: texts.clientId, value: open.made.clientId },
      { label: texts.clientSecret, value: open.made.clientSecret },
      { label: texts.username, value: open.username },
      { label: texts.password, value: open.made.password },
    ];
    return <SecretDialog title={texts.made(open.name)} text={texts.madeText} secrets={secrets} onClose={close} />;
  }
  if (open.what === 'renewed') {
    const secrets = [{ label: texts.password, value: open.password }];
    return <SecretDialog title={texts.made(open.name)} text={texts.renewedText} secrets={secrets} onClose={close} />;
  }
  if (open.what === 'change') return <ChangeLogin login={open.login} close={close} reload={reload} />;
  if (open.what === 'renew') return <RenewPassword login={open.login} close={close} setOpen={setOpen} />;
  return <RemoveLogin login={open.login} close={close} reload={reload} />;
}

interface OfLogin {
  readonly login: TtlockLogin;
  readonly close: () => void;
}

function NewLogin({ setOpen, reload }: Omit<TtlockDialogsProps, 'open'>) {
  const { ttlock: texts } = useTexts();
  const { client } = useApp();
  return (
    <FormDialog
      title={texts.add}
      required={['name', 'username']}
      explain={({ code }) => (code === 'not-found' ? texts.nobody : undefined)}
      onClose={() => setOpen(undefined)}
      onSubmit={async (values) => {
        const { name, callback } = fieldsOf(values);
        const username = values.text('username');
        const body = { username, name, ...(callback !== null && { callback }) };
        const made = await client.ask<MadeTtlockLogin>('POST', ttlockPath, { body });
        setOpen({ what: 'made', name, username, made });
        reload();
      }}
    >
      {(errorOf) => (
        <>
          <LoginFields errorOf={errorOf} />
          <AccountField label={texts.account} name="username" hint={texts.accountHint} error={errorOf('username')} />
        </>
      )}
    </FormDialog>
  );
}

function ChangeLogin({ login, close, reload }: OfLogin & Pick<TtlockDialogsProps, 'reload'>) {
  const { ttlock: texts } = useTexts();
  const { common } = useStrings();
  const { client, toasts } = useApp();
  return (
    <FormDialog
      title={texts.changeOne(login.name)}
      submit={common.save}
      required={['name']}
      onClose={close}
      onSubmit={async (values) => {
        const body = fieldsOf(values);
        await client.ask('PUT', `${ttlockPath}/${login.loginId}`, { body });
        close();
        toasts.show('good', texts.changed(body.name));
        reload();
      }}
    >
      {(errorOf) => (
        <>
          <LoginFields login={login} errorOf={errorOf} />
          <SecretField label={texts.clientId} value={login.clientId} />
        </>
      )}
    </FormDialog>
  );
}

function LoginFields({ login, errorOf }: { readonly login?: TtlockLogin; readonly errorOf: (name: string) => string | undefined }) {
  const { ttlock: texts } = useTexts();
  return (
    <>
      <TextField
        label={texts.name}
        name="name"
        value={login?.name}
        hint={texts.nameHint}
        error={errorOf('name')}
        required
        maxLength={64}
        autoFocus
      />
      <TextField
        label={texts.callback}
        name="callback"
        type="url"
        value={login?.callback ?? ''}
        hint={texts.callbackHint}
        error={errorOf('callback')}
      />
    </>
  );
}

const fieldsOf = (values: Values) => ({ name: values.text('name'), callback: values.text('callback') || null });

function RenewPassword({ login, close, setOpen }: OfLogin & Pick<TtlockDialogsProps, 'setOpen'>) {
  const { ttlock: texts } = useTexts();
  const { client } = useApp();
  return (
    <ConfirmDialog
      title={texts.renewOne(login.name)}
      text={texts.renewText}
      confirm={texts.renew}
      onClose={close}
      onConfirm={async () => {
        const { password } = await client.ask<{ password: string }>('POST', `${ttlockPath}/${login.loginId}/password`);
        setOpen({ what: 'renewed', name: login.name, password });
      }}
    />
  );
}

function RemoveLogin({ login, close, reload }: OfLogin & Pick<TtlockDialogsProps, 'reload'>) {
  const { ttlock: texts } = useTexts();
  const { common } = useStrings();
  const { client, toasts } = useApp();
  return (
    <ConfirmDialog
      title={texts.removeOne(login.name)}
      text={texts.removeText(login.name)}
      confirm={common.remove}
      onClose={close}
      onConfirm={async () => {
        await client.ask('DELETE', `${ttlockPath}/${login.loginId}`);
        close();
        toasts.show('good', texts.removed(login.name));
        reload();
      }}
    />
  );
}
