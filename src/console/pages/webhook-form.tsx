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
  // A lock that is out of sight stays what it is: a filter never grows unasked.
  const names = new Map<number, string>((webhook?.lockIds ?? []).map((lockId) => [lockId, String(lockId)]));
  for (const { lockId, lockAlias } of live.locks.value?.values() ?? []) names.set(lockId, lockAlias);
  const locks = [...names].sort(([, one], [, other]) => one.localeCompare(other));
  const choosesLocks = locks.length > 1 || (webhook?.lockIds.length ?? 0) > 0;

  async function save(values: Values): Promise<void> {
    const body = {
      name: values.text('name'),
      url: values.text('url'),
      eventTypes: values.all('eventTypes'),
      ...(choosesLocks && { lockIds: values.all('lockIds').map(Number) }),
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
            {choosesLocks && (
              <ManyField
                label={webhooks.locks}
                name="lockIds"
                hint={webhooks.locksHint}
                values={(webhook?.lockIds ?? []).map(String)}
                options={locks.map(([lockId, alias]) => ({ value: String(lockId), text: alias }))}
              />
            )}
            {webhook && <CheckField label={webhooks.enabled} name="enabled" checked={webhook.enabled} />}
          </>
        )}
      </Form>
    </Dialog>
  );
}
