// The deliveries of a webhook: those that arrived, and those that failed.
import type { Delivery } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { usePaged } from '../components/paged.ts';
import { useEvery } from '../components/polled.ts';
import { PagedTable } from '../components/table.tsx';
import { useFormats } from '../format.ts';

interface DeliveriesProps {
  /** Of the webhook. */
  readonly path: string;
  readonly onReplay: (deliveryId: string) => Promise<void>;
}

export function Deliveries({ path, onReplay }: DeliveriesProps) {
  const { webhooks, common } = useStrings();
  const { live } = useApp();
  const { dateTime } = useFormats();
  const paged = usePaged<Delivery>(`${path}/deliveries`);
  useEvery(2_500, paged.reload);
  const subject = ({ lockId }: Delivery) => (lockId === null ? '' : (live.locks.value?.get(lockId)?.lockAlias ?? webhooks.lock(lockId)));
  const outcome = ({ progress, reason, attempts }: Delivery) =>
    progress === 'delivered' ? webhooks.delivered : `${progress === 'waiting' ? webhooks.willTry : webhooks.gaveUp(attempts)}: ${reason}`;

  return (
    <section aria-labelledby="deliveries">
      <div class="section-head">
        <h2 id="deliveries">{webhooks.deliveries}</h2>
      </div>
      <PagedTable
        caption={webhooks.deliveries}
        paged={paged}
        empty={webhooks.noDeliveries}
        keyOf={({ deliveryId }) => deliveryId}
        columns={[
          { title: webhooks.when, cell: ({ eventDate }) => dateTime(eventDate) },
          {
            title: webhooks.what,
            cell: (delivery) => (
              <>
                {webhooks.eventTypes[delivery.eventType] ?? delivery.eventType} <span class="faint">{subject(delivery)}</span>
              </>
            ),
          },
          {
            title: webhooks.state,
            cell: (delivery) => (
              <span class={delivery.progress === 'delivered' ? 'audit-outcome' : 'audit-outcome refused'}>{outcome(delivery)}</span>
            ),
          },
          {
            title: common.actions,
            actions: true,
            cell: ({ deliveryId, progress }) =>
              progress === 'failed' && (
                <Button kind="quiet" label={webhooks.replayOne(deliveryId)} onClick={() => void onReplay(deliveryId).then(paged.reload)}>
                  {webhooks.replay}
                </Button>
              ),
          },
        ]}
      />
    </section>
  );
}
