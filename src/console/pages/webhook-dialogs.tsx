// What can be done with one webhook: change it, give it a new secret, remove it.
import type { Webhook } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { ConfirmDialog } from '../components/dialog.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { go } from '../router.ts';
import { CallbackForm } from './callback-form.tsx';
import { WebhookForm } from './webhook-form.tsx';

/** The dialog that is open: for a new secret first the question, then the secret. */
export type WebhookDialog = 'change' | 'secret' | 'remove' | { readonly secret: string };

interface WebhookDialogsProps {
  readonly webhook: Webhook;
  readonly open: WebhookDialog | undefined;
  readonly setOpen: (dialog: WebhookDialog | undefined) => void;
  /** The webhook has changed. */
  readonly reload: () => void;
}

export function WebhookDialogs({ webhook, open, setOpen, reload }: WebhookDialogsProps) {
  const { webhooks, common } = useStrings();
  const { client, toasts } = useApp();
  const path = `gateway/webhooks/${webhook.webhookId}`;
  const close = () => setOpen(undefined);
  const Change = webhook.kind === 'ttlock' ? CallbackForm : WebhookForm;
  return (
    <>
      {open === 'change' && (
        <Change
          webhook={webhook}
          onClose={close}
          onChanged={() => {
            close();
            toasts.show('good', webhooks.changed);
            reload();
          }}
        />
      )}
      {open === 'secret' && (
        <ConfirmDialog
          title={webhooks.newSecret}
          text={webhooks.newSecretText}
          confirm={webhooks.newSecret}
          onClose={close}
          onConfirm={async () => setOpen(await client.ask<{ secret: string }>('POST', `${path}/secret`))}
        />
      )}
      {typeof open === 'object' && (
        <SecretDialog
          title={webhook.name}
          text={webhooks.secretText}
          secrets={[{ label: webhooks.secret, value: open.secret }]}
          onClose={close}
        />
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={webhooks.remove}
          text={webhooks.removeText}
          confirm={common.remove}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', path);
            toasts.show('good', webhooks.removed(webhook.name));
            go('webhooks');
          }}
        />
      )}
    </>
  );
}
