// How far a webhook has come, in words.
import type { Webhook } from '../api/types.ts';
import { useStrings } from '../app.ts';
import { useFormats } from '../format.ts';

export function WebhookProgress({ webhook: { enabled, failingSince, waiting, failed } }: { webhook: Webhook }) {
  const { webhooks } = useStrings();
  const { dateTime } = useFormats();
  if (!enabled) return <span class="faint">{webhooks.off}</span>;
  return (
    <>
      {failingSince === null ? (
        <span class="audit-outcome">{webhooks.works}</span>
      ) : (
        <span class="audit-outcome refused">{webhooks.failing(dateTime(failingSince))}</span>
      )}
      {waiting > 0 && <span class="faint"> {webhooks.waiting(waiting)}</span>}
      {failed > 0 && <span class="faint"> {webhooks.failed(failed)}</span>}
    </>
  );
}
