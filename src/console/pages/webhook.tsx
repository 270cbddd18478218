// One webhook: whether it works, its deliveries, and how to send them again.
import { useState } from 'preact/hooks';
import type { Attempt, Webhook } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { useOneOf } from '../components/one-of.ts';
import { PageHead } from '../components/page-head.tsx';
import { useEvery } from '../components/polled.ts';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { useProblemText } from '../format.ts';
import { go, href } from '../router.ts';
import { NotFoundPage } from './not-found.tsx';
import type { PageProps } from './page.ts';
import { Deliveries } from './webhook-deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookProgress } from './webhook-progress.tsx';

type Open = 'change' | 'secret' | 'remove' | { readonly secret: string };

export function WebhookPage({ parameters }: PageProps) {
  const { webhooks, common } = useStrings();
  const { client, toasts } = useApp();
  const text = useProblemText();
  const webhookId = Number(parameters['webhookId']);
  const path = `gateway/webhooks/${webhookId}`;
  const { one: webhook, problem, isGone, reload } = useOneOf<Webhook>('gateway/webhooks', (one) => one.webhookId, webhookId);
  const [open, setOpen] = useState<Open>();
  const [isBusy, setBusy] = useState(false);
  useEvery(2_500, reload);
  const close = () => setOpen(undefined);

  /** The result of a test or a replay, in words. */
  async function attempt(of: string): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    try {
      const { delivered, status, reason, ms } = await client.ask<Attempt>('POST', `${path}/${of}`);
      toasts.show(delivered ? 'good' : 'bad', delivered ? webhooks.answered(status ?? 0, ms) : webhooks.notTaken(reason));
    } catch (error) {
      toasts.show('bad', text(error));
    } finally {
      setBusy(false);
      reload();
    }
  }

  if (isGone) return <NotFoundPage />;
  if (webhook === undefined) return problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={reload} />;
  return (
    <>
      <PageHead title={webhook.name} up={{ href: href('webhooks'), text: webhooks.title }} intro={webhook.url}>
        <Button busy={isBusy} onClick={() => void attempt('test')}>
          {webhooks.test}
        </Button>
        <Button onClick={() => setOpen('change')}>{webhooks.change}</Button>
      </PageHead>
      <section class="panel">
        <p>
          <WebhookProgress webhook={webhook} />
        </p>
        <p class="faint">
          {webhook.eventTypes.length === 0
            ? webhooks.everything
            : webhook.eventTypes.map((type) => webhooks.eventTypes[type] ?? type).join(', ')}
          {' · '}
          {webhooks.ofLocks(webhook.lockIds.length)}
        </p>
      </section>
      <Deliveries path={path} onReplay={(deliveryId) => attempt(`deliveries/${encodeURIComponent(deliveryId)}/replay`)} />
      <section class="panel ends">
        <div>
          <h2>{webhooks.newSecret}</h2>
          <p class="faint">{webhooks.newSecretText}</p>
          <Button onClick={() => setOpen('secret')}>{webhooks.newSecret}</Button>
        </div>
        <div>
          <h2>{webhooks.remove}</h2>
          <p class="faint">{webhooks.removeText}</p>
          <Button kind="danger" onClick={() => setOpen('remove')}>
            {webhooks.remove}
          </Button>
        </div>
      </section>
      {open === 'change' && (
        <WebhookForm
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
