// One webhook: whether it works, its deliveries, and how to send them again.
import { useState } from 'preact/hooks';
import type { Attempt, Webhook } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { useOneOf } from '../components/one-of.ts';
import { PageHead } from '../components/page-head.tsx';
import { useEvery } from '../components/polled.ts';
import { useProblemText } from '../format.ts';
import { href } from '../router.ts';
import { NotFoundPage } from './not-found.tsx';
import type { PageProps } from './page.ts';
import { Deliveries } from './webhook-deliveries.tsx';
import { type WebhookDialog, WebhookDialogs } from './webhook-dialogs.tsx';
import { WebhookProgress } from './webhook-progress.tsx';

export function WebhookPage({ parameters }: PageProps) {
  const { webhooks } = useStrings();
  const { client, toasts } = useApp();
  const text = useProblemText();
  const webhookId = Number(parameters['webhookId']);
  const path = `gateway/webhooks/${webhookId}`;
  const { one: webhook, problem, isGone, reload } = useOneOf<Webhook>('gateway/webhooks', (one) => one.webhookId, webhookId);
  const [open, setOpen] = useState<WebhookDialog>();
  const [isBusy, setBusy] = useState(false);
  useEvery(2_500, reload);

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
      <Summary webhook={webhook} />
      <Deliveries path={path} onReplay={(deliveryId) => attempt(`deliveries/${encodeURIComponent(deliveryId)}/replay`)} />
      {webhook.kind === 'plain' ? (
        <WebhookEnds onSecret={() => setOpen('secret')} onRemove={() => setOpen('remove')} />
      ) : (
        <p class="faint">{webhooks.ofLogin}</p>
      )}
      <WebhookDialogs webhook={webhook} open={open} setOpen={setOpen} reload={reload} />
    </>
  );
}

/** Whether it works, and what it gets. */
function Summary({ webhook }: { webhook: Webhook }) {
  const { webhooks } = useStrings();
  return (
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
  );
}

function WebhookEnds({ onSecret, onRemove }: { onSecret: () => void; onRemove: () => void }) {
  const { webhooks } = useStrings();
  return (
    <section class="panel ends">
      <div>
        <h2>{webhooks.newSecret}</h2>
        <p class="faint">{webhooks.newSecretText}</p>
        <Button onClick={onSecret}>{webhooks.newSecret}</Button>
      </div>
      <div>
        <h2>{webhooks.remove}</h2>
        <p class="faint">{webhooks.removeText}</p>
        <Button kind="danger" onClick={onRemove}>
          {webhooks.remove}
        </Button>
      </div>
    </section>
  );
}
