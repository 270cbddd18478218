// The webhooks: programs to which the gateway sends events.
import { useState } from 'preact/hooks';
import type { Webhook } from '../api/types.ts';
import { useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePaged } from '../components/paged.ts';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { PagedTable } from '../components/table.tsx';
import { href } from '../router.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookProgress } from './webhook-progress.tsx';

/** With a secret: a webhook was just created. */
type Open = 'add' | { readonly name: string; readonly secret: string };

export function WebhooksPage() {
  const { webhooks } = useStrings();
  const paged = usePaged<Webhook>('gateway/webhooks');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);

  return (
    <>
      <PageHead title={webhooks.title} intro={webhooks.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen('add')}>
          {webhooks.add}
        </Button>
      </PageHead>
      <PagedTable
        caption={webhooks.title}
        paged={paged}
        empty={webhooks.none}
        keyOf={({ webhookId }) => webhookId}
        columns={[
          {
            title: webhooks.name,
            cell: ({ webhookId, name, url }) => (
              <>
                <a href={href('webhooks', webhookId)}>
                  <strong>{name}</strong>
                </a>{' '}
                <span class="faint">{url}</span>
              </>
            ),
          },
          { title: webhooks.account, cell: ({ username }) => username },
          { title: webhooks.state, cell: (webhook) => <WebhookProgress webhook={webhook} /> },
        ]}
      />
      {open === 'add' && (
        <WebhookForm
          onClose={close}
          onMade={(name, secret) => {
            setOpen({ name, secret });
            paged.reload();
          }}
        />
      )}
      {typeof open === 'object' && (
        <SecretDialog
          title={open.name}
          text={webhooks.secretText}
          secrets={[{ label: webhooks.secret, value: open.secret }]}
          onClose={close}
        />
      )}
    </>
  );
}
