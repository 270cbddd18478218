// The code that confirms an e-mail address.
import { useApp } from '../../app.ts';
import { TextField } from '../../components/field.tsx';
import { Form, type Values } from '../../components/form.tsx';
import { notificationsPath as path } from '../notifications.ts';
import { useTexts } from '../texts.ts';

/** `secret`: the code of a link that was opened; nothing is confirmed before a person presses the button. */
export function ConfirmForm({ secret, onDone }: { readonly secret?: string; readonly onDone: () => void }) {
  const { notifications } = useTexts();
  const { client, toasts } = useApp();
  async function confirm(values: Values): Promise<void> {
    await client.ask('POST', `${path}/confirm`, { body: { secret: values.text('secret') } });
    toasts.show('good', notifications.confirmed);
    onDone();
  }
  return (
    <Form
      submit={notifications.confirm}
      required={['secret']}
      onSubmit={confirm}
      explain={({ code }) => (code === 'not-found' ? notifications.wrongCode : undefined)}
    >
      {(errorOf) => (
        <TextField label={notifications.code} name="secret" value={secret} error={errorOf('secret')} required maxLength={256} />
      )}
    </Form>
  );
}
