// Switches the callback of a TTLock login off and on: its login decides everything else.
import type { Webhook } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { CheckField } from '../components/field.tsx';

interface CallbackFormProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function CallbackForm({ webhook, onClose, onChanged }: CallbackFormProps) {
  const { webhooks, common } = useStrings();
  const { client } = useApp();
  return (
    <FormDialog
      title={webhooks.change}
      onClose={onClose}
      submit={common.save}
      onSubmit={async (values) => {
        await client.ask('PUT', `gateway/webhooks/${webhook.webhookId}`, { body: { enabled: values.checked('enabled') } });
        onChanged();
      }}
    >
      {() => <CheckField label={webhooks.enabled} name="enabled" checked={webhook.enabled} hint={webhooks.ofLogin} />}
    </FormDialog>
  );
}
