// What the account that is signed in is told by e-mail and ntfy. A link in a mail leads here with its secret; nothing is confirmed before a
// person presses the button.
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Callout, Loading, ProblemCallout } from '../../components/callout.tsx';
import { SelectField } from '../../components/field.tsx';
import { Form, type Values } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePaged } from '../../components/paged.ts';
import { usePolled } from '../../components/polled.ts';
import { useFormats } from '../../format.ts';
import type { PageProps } from '../../pages/page.ts';
import { go } from '../../router.ts';
import { ChannelCard } from '../components/channel-card.tsx';
import { ConfirmForm } from '../components/confirm-form.tsx';
import { type Channel, type Notifications, type notifiedEvents, notificationsPath as path } from '../notifications.ts';
import { useTexts } from '../texts.ts';

interface Failed {
  readonly kind: 'alarm' | (typeof notifiedEvents)[number];
  readonly eventDate: number;
  readonly count: number;
  readonly reason: string;
}

const channels = ['email', 'ntfy'] as const;
/** As the configuration has them (config/README.md). */
const examples: Readonly<Record<Channel, string>> = {
  email: `  email:
    server: smtps://mail.example.org
    username: gateway
    passwordFile: /etc/latchd/mail.password
    from: gateway@example.org`,
  ntfy: `  ntfy:
    url: https://ntfy.example.org
    tokenFile: /etc/latchd/ntfy.token`,
};

export function NotificationsPage({ parameters: { secret } }: PageProps) {
  const { notifications } = useTexts();
  const { board, live, preferences } = useApp();
  const { value, problem, reload } = usePolled<Notifications>(path, 15_000);
  useEffect(() => board.open(), [board]);
  // The forms offer the locks and groups that there are when they are drawn.
  const isReady = useComputed(() => live.locks.value !== undefined && (board.groups.value ?? board.problem.value) !== undefined).value;
  const hasChosen = channels.some((channel) => value?.[channel] != null);
  if (secret !== undefined) return <ConfirmPage secret={secret} />;
  return (
    <>
      <PageHead title={notifications.title} intro={notifications.intro} />
      {value === undefined && problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {problem === undefined && (value === undefined || !isReady) && <Loading />}
      {value !== undefined && <NotConfigured available={value.available} />}
      {value !== undefined && hasChosen && <LanguageForm language={value.language} />}
      {isReady &&
        value?.available.map((channel) => (
          <ChannelCard
            key={channel}
            channel={channel}
            chosen={value[channel]}
            // Who is told nothing so far is told it in the language of the page.
            language={hasChosen ? value.language : preferences.language.value}
            reload={reload}
          />
        ))}
      <FailedList />
    </>
  );
}

/** What a gateway administrator has to write; others read it only when nothing can be sent at all. */
function NotConfigured({ available }: Pick<Notifications, 'available'>) {
  const { notifications } = useTexts();
  const person = useApp().session.state.value;
  const missing = channels.filter((channel) => !available.includes(channel));
  const mayConfigure = typeof person === 'object' && person.gatewayAdministrator;
  if (missing.length === 0 || (available.length > 0 && !mayConfigure)) return null;
  return (
    <Callout kind="info">
      {available.length === 0 && <p>{notifications.notConfigured}</p>}
      {mayConfigure && (
        <>
          <p>{notifications.howToConfigure(missing.map((channel) => notifications.servers[channel]))}</p>
          <pre>{['notifications:', ...missing.map((channel) => examples[channel]), '  networks: [192.0.2.25]'].join('\n')}</pre>
          <p>{notifications.thenRestart}</p>
        </>
      )}
    </Callout>
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
