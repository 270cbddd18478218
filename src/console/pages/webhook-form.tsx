// Makes a webhook, or changes one: where it sends, and what.
import type { Webhook } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Dialog } from '../components/dialog.tsx';
import { CheckField, ManyField, TextField } from '../components/field.tsx';
import { Form, type Values } from '../components/form.tsx';

const eventTypes = ['record', 'alarm', 'alarm-ended', 'card', 'state', 'battery', 'online'];

interface WebhookFormProps {
  /** Absent: a new one. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
  readonly onMade?: (name: string, secret: string) => void;
  readonly onChanged?: () => void;
}

export function WebhookForm({ webhook, onClose, onMade, onChanged }: WebhookFormProps) {
  const { webhooks, common } = useStrings();
  const { client, live } = useApp();
  const locks = [...(live.locks.value?.values() ?? [])].sort((one, other) => one.lockAlias.localeCompare(other.lockAlias));

  async function save(values: Values): Promise<void> {
    const body = {
      name: values.text('name'),
      url: values.text('url'),
      eventTypes: values.all('eventTypes'),
      lockIds: values.all('lockIds').map(Number),
    };
    if (webhook === undefined) {
      const { secret } = await client.ask<{ secret: string }>('POST', 'gateway/webhooks', { body });
      onMade?.(body.name, secret);
    } else {
      await client.ask('PUT', `gateway/webhooks/${webhook.webhookId}`, { body: { ...body, enabled: values.checked('enabled') } });
      onChanged?.();
    }
  }

  const title = webhook === undefined ? webhooks.add : webhooks.change;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={webhook === undefined ? webhooks.add : common.save} required={['name', 'url']} onCancel={onClose} onSubmit={save}>
        {(errorOf) => (
          <>
            <TextField label={webhooks.name} name="name" value={webhook?.name} error={errorOf('name')} required maxLength={64} autoFocus />
            <TextField
              label={webhooks.url}
              name="url"
              type="url"
              value={webhook?.url}
              hint={webhooks.urlHint}
              error={errorOf('url')}
              required
            />
            <ManyField
              label={webhooks.events}
              name="eventTypes"
              hint={webhooks.eventsHint}
              values={webhook?.eventTypes ?? []}
              options={eventTypes.map((value) => ({ value, text: webhooks.eventTypes[value] ?? value }))}
            />
            {locks.length > 1 && (
              <ManyField
                label={webhooks.locks}
                name="lockIds"
                hint={webhooks.locksHint}
                values={(webhook?.lockIds ?? []).map(String)}
                options={locks.map(({ lockId, lockAlias }) => ({ value: String(lockId), text: lockAlias }))}
              />
            )}
            {webhook && <CheckField label={webhooks.enabled} name="enabled" checked={webhook.enabled} />}
          </>
        )}
      </Form>
    </Dialog>
  );
}
