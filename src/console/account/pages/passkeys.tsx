// One's passkeys: adds one of this device, and removes them.
import { useState } from 'preact/hooks';
import type { Problem } from '../../api/problem.ts';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { usePaged } from '../../components/paged.ts';
import { PagedTable } from '../../components/table.tsx';
import { useFormats } from '../../format.ts';
import { makePasskey, passkeysWork } from '../../passkeys.ts';
import { useTexts } from '../texts.ts';
import type { Passkey } from '../types.ts';

/** `onChange`: the sessions that a passkey made may have ended. */
export function Passkeys({ onChange }: { readonly onChange: () => void }) {
  const { client, toasts } = useApp();
  const { common, problems } = useStrings();
  const { passkeys } = useTexts();
  const { dateTime } = useFormats();
  const paged = usePaged<Passkey>('account/passkeys');
  const [open, setOpen] = useState<'add' | Passkey>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    paged.reload();
    onChange();
  };
  const explain = ({ code, parameters }: Problem) => {
    if (code === 'forbidden') return passkeys.forbidden;
    if (code === 'not-supported') return problems['passkey-elsewhere'];
    return code === 'invalid-parameter' && parameters.has('response') ? passkeys.refused : undefined;
  };

  async function add(name: string): Promise<void> {
    type Options = { readonly options: PublicKeyCredentialCreationOptionsJSON };
    const { options } = await client.ask<Options>('POST', 'account/passkeys/options', { body: {} });
    await client.ask('POST', 'account/passkeys', { body: { name, response: await makePasskey(options) } });
    done(passkeys.done(name));
  }

  return (
    <>
      <div class="section-text">
        <p>{passkeysWork() ? passkeys.intro : passkeys.elsewhere}</p>
        {passkeysWork() && (
          <Button icon="plus" onClick={() => setOpen('add')}>
            {passkeys.add}
          </Button>
        )}
      </div>
      <PagedTable
        caption={passkeys.title}
        paged={paged}
        empty={passkeys.none}
        keyOf={({ passkeyId }) => passkeyId}
        columns={[
          { title: passkeys.name, cell: ({ name }) => <strong>{name}</strong> },
          { title: passkeys.host, cell: ({ host }) => host },
          { title: passkeys.added, cell: ({ createDate }) => dateTime(createDate) },
          { title: passkeys.lastUsed, cell: ({ lastUsedDate }) => (lastUsedDate === null ? common.never : dateTime(lastUsedDate)) },
          {
            title: common.actions,
            actions: true,
            cell: (passkey) => (
              <Button kind="quiet" label={passkeys.remove(passkey.name)} onClick={() => setOpen(passkey)}>
                {common.remove}
              </Button>
            ),
          },
        ]}
      />
      {open === 'add' && (
        <FormDialog
          title={passkeys.add}
          required={['name']}
          explain={explain}
          onClose={close}
          onSubmit={(values) => add(values.text('name'))}
        >
          {(errorOf) => (
            <TextField
              label={passkeys.name}
              name="name"
              hint={passkeys.nameHint}
              maxLength={64}
              error={errorOf('name')}
              required
              autoFocus
            />
          )}
        </FormDialog>
      )}
      {typeof open === 'object' && (
        <ConfirmDialog
          title={passkeys.remove(open.name)}
          text={passkeys.removeText}
          confirm={common.remove}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', `account/passkeys/${open.passkeyId}`);
            done(passkeys.removed(open.name));
          }}
        />
      )}
    </>
  );
}
