// Makes a webhook, or changes one: where it sends, and what.
import { useState } from 'preact/hooks';
import type { Webhook } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { CheckField, ManyField, TextField } from '../components/field.tsx';
import type { Values } from '../components/form.tsx';
import { LocksField } from '../components/locks-field.tsx';
import type { Live } from '../live.ts';

const eventTypes = ['record', 'alarm', 'alarm-ended', 'card', 'state', 'battery', 'online', 'entry', 'revocation', 'suggestion'];

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
  // The locks at this moment: the list does not change while a person chooses.
  const [names] = useState(() => namesOf(live, webhook?.lockIds ?? []));
  const choosesLocks = names.size > 1 || (webhook?.lockIds.length ?? 0) > 0;

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
    <FormDialog
      title={title}
      onClose={onClose}
      submit={webhook === undefined ? webhooks.add : common.save}
      required={['name', 'url']}
      onSubmit={save}
    >
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
            <LocksField
              label={webhooks.locks}
              name="lockIds"
              hint={webhooks.locksHint}
              error={errorOf('lockIds')}
              values={webhook?.lockIds ?? []}
              names={names}
            />
          )}
          {webhook && <CheckField label={webhooks.enabled} name="enabled" checked={webhook.enabled} />}
        </>
      )}
    </FormDialog>
  );
}

/** Chosen locks that we may no longer see stay in the filter: without them it could become empty, which means all locks. */
function namesOf(live: Live, chosen: readonly number[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>(chosen.map((lockId) => [lockId, String(lockId)]));
  for (const { lockId, lockAlias } of live.locks.peek()?.values() ?? []) names.set(lockId, lockAlias);
  return names;
}
