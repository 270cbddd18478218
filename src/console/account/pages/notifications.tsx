// What the account that is signed in is told by e-mail and ntfy. A link in a mail leads here with its secret; nothing is confirmed before a
// person presses the button.
import { useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../../components/callout.tsx';
import { CheckField, ManyField, SelectField, TextField } from '../../components/field.tsx';
import { Form, type Values } from '../../components/form.tsx';
import { LocksField } from '../../components/locks-field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePaged } from '../../components/paged.ts';
import { usePolled } from '../../components/polled.ts';
import { useFormats } from '../../format.ts';
import type { Live } from '../../live.ts';
import type { PageProps } from '../../pages/page.ts';
import { go } from '../../router.ts';
import { useTexts } from '../texts.ts';

const events = ['unlock', 'lock', 'refused', 'door'] as const;
const path = 'account/notifications';

type Channel = 'email' | 'ntfy';

interface Chosen {
  readonly address?: string;
  readonly topic?: string;
  /** Of e-mail. */
  readonly confirmed?: boolean;
  readonly alarms: boolean;
  readonly events: readonly string[];
  readonly lockIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly failure: string;
}

interface Notifications {
  readonly available: readonly Channel[];
  readonly language: 'en' | 'de';
  readonly email: Chosen | null;
  readonly ntfy: Chosen | null;
}

interface Failed {
  readonly kind: 'alarm' | (typeof events)[number];
  readonly eventDate: number;
  readonly count: number;
  readonly reason: string;
}

export function NotificationsPage({ parameters: { secret } }: PageProps) {
  const { notifications } = useTexts();
  const { value, problem, reload } = usePolled<Notifications>(path, 15_000);
  if (secret !== undefined) return <ConfirmPage secret={secret} />;
  return (
    <>
      <PageHead title={notifications.title} intro={notifications.intro} />
      {value === undefined && (problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={reload} />)}
      {value?.available.length === 0 && <Callout kind="info">{notifications.notConfigured}</Callout>}
      {value !== undefined && value.available.length > 0 && <LanguageForm language={value.language} />}
      {value?.available.map((channel) => (
        <ChannelCard key={channel} channel={channel} chosen={value[channel]} reload={reload} />
      ))}
      <FailedList />
    </>
  );
}

function ConfirmPage({ secret }: { readonly secret: string }) {
  const { notifications } = useTexts();
  return (
    <>
      <PageHead title={notifications.confirmTitle} intro={notifications.confirmText} />
      <ConfirmForm secret={secret} onDone={() => go('notifications')} />
    </>
  );
}

function ConfirmForm({ secret, onDone }: { readonly secret?: string; readonly onDone: () => void }) {
  const { notifications } = useTexts();
  const { client, toasts } = useApp();
  async function confirm(values: Values): Promise<void> {
    await client.ask('POST', `${path}/confirm`, { body: { secret: values.text('secret') } });
    toasts.show('good', notifications.confirmed);
    onDone();
  }
  return (
    <Form
      submit={notifications.confirm}
      required={['secret']}
      onSubmit={confirm}
      explain={({ code }) => (code === 'not-found' ? notifications.wrongCode : undefined)}
    >
      {(errorOf) => (
        <TextField label={notifications.code} name="secret" value={secret} error={errorOf('secret')} required maxLength={256} />
      )}
    </Form>
  );
}

function LanguageForm({ language }: { readonly language: 'en' | 'de' }) {
  const { notifications } = useTexts();
  const { common } = useStrings();
  const { client, toasts } = useApp();
  async function save(values: Values): Promise<void> {
    await client.ask('PUT', path, { body: { language: values.text('language') } });
    toasts.show('good', notifications.languageSaved);
  }
  return (
    <section class="panel">
      <Form submit={common.save} onSubmit={save}>
        {(errorOf) => (
          <SelectField
            label={notifications.language}
            name="language"
            value={language}
            error={errorOf('language')}
            options={(['en', 'de'] as const).map((value) => ({ value, text: notifications.languages[value] }))}
          />
        )}
      </Form>
    </section>
  );
}

function ChannelCard({
  channel,
  chosen,
  reload,
}: {
  readonly channel: Channel;
  readonly chosen: Chosen | null;
  readonly reload: () => void;
}) {
  const { notifications } = useTexts();
  const { common } = useStrings();
  const { client, live, toasts } = useApp();
  // The locks at this moment: the list does not change while a person chooses.
  const [names] = useState(() => namesOf(live, chosen?.lockIds ?? []));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const to = channel === 'email' ? 'address' : 'topic';
  const isUnconfirmed = chosen?.confirmed === false;

  async function save(values: Values): Promise<void> {
    const body = {
      [to]: values.text(`${channel}.${to}`),
      alarms: values.checked(`${channel}.alarms`),
      events: values.all(`${channel}.events`),
      lockIds: values.all(`${channel}.lockIds`).map(Number),
      groupIds: chosen?.groupIds ?? [],
    };
    const after = await client.ask<Notifications>('PUT', path, { body: { [channel]: body } });
    const isAsked = channel === 'email' && after.email?.confirmed === false;
    toasts.show('good', isAsked ? notifications.confirmSent(String(body[to])) : notifications.saved);
    reload();
  }
  async function ask(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    await work().catch(setProblem);
    setBusy(false);
    reload();
  }
  const test = () =>
    ask(async () => {
      const { delivered, reason } = await client.ask<{ delivered: boolean; reason: string }>('POST', `${path}/test`, { body: { channel } });
      toasts.show(delivered ? 'good' : 'bad', delivered ? notifications.testSent : notifications.testFailed(reason));
    });
  const end = () =>
    ask(async () => {
      await client.ask('PUT', path, { body: { [channel]: null } });
      toasts.show('good', notifications.ended);
    });

  return (
    <section class="panel" aria-labelledby={`of-${channel}`}>
      <h2 id={`of-${channel}`}>{notifications.channels[channel]}</h2>
      <p>{chosen === null ? notifications.off : isUnconfirmed ? notifications.unconfirmed : notifications.on}</p>
      {chosen !== null && chosen.failure !== '' && <Callout kind="warning">{notifications.failing(chosen.failure)}</Callout>}
      {isUnconfirmed && <ConfirmForm onDone={reload} />}
      <Form key={String(chosen === null)} submit={common.save} required={[`${channel}.${to}`]} onSubmit={save}>
        {(errorOf) => (
          <>
            <TextField
              label={notifications[to]}
              name={`${channel}.${to}`}
              value={chosen?.[to]}
              hint={channel === 'ntfy' ? notifications.topicHint : undefined}
              error={errorOf(`${channel}.${to}`)}
              required
              maxLength={254}
            />
            <CheckField label={notifications.alarms} name={`${channel}.alarms`} checked={chosen?.alarms ?? true} />
            <ManyField
              label={notifications.events}
              name={`${channel}.events`}
              values={chosen?.events ?? []}
              options={events.map((value) => ({ value, text: notifications.eventNames[value] }))}
              error={errorOf(`${channel}.events`)}
            />
            <LocksField
              label={notifications.locks}
              name={`${channel}.lockIds`}
              hint={notifications.locksHint}
              names={names}
              values={chosen?.lockIds ?? []}
              error={errorOf(`${channel}.lockIds`)}
            />
          </>
        )}
      </Form>
      {problem !== undefined && <ProblemCallout problem={problem} />}
      {chosen !== null && (
        <div class="buttons">
          {!isUnconfirmed && (
            <Button busy={busy} onClick={() => void test()}>
              {notifications.test}
            </Button>
          )}
          <Button kind="quiet" busy={busy} onClick={() => void end()}>
            {notifications.end}
          </Button>
        </div>
      )}
    </section>
  );
}

function FailedList() {
  const { notifications } = useTexts();
  const { dateTime } = useFormats();
  const list = usePaged<Failed>(`${path}/failed`).page?.list ?? [];
  if (list.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="failed-messages">
      <h2 id="failed-messages">{notifications.failed}</h2>
      <ul>
        {list.map(({ kind, eventDate, count, reason }) => (
          <li key={`${kind} ${eventDate}`}>
            {dateTime(eventDate)}: {notifications.failedText(count, notifications.kinds[kind], reason)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function namesOf(live: Live, chosen: readonly number[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>(chosen.map((lockId) => [lockId, String(lockId)]));
  for (const { lockId, lockAlias } of live.locks.peek()?.values() ?? []) names.set(lockId, lockAlias);
  return names;
}
