// What an account is told by e-mail or by ntfy: where to, what, and of which doors.
import { useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout, ProblemCallout } from '../../components/callout.tsx';
import { CheckField, ManyField, TextField } from '../../components/field.tsx';
import { Form, type Values } from '../../components/form.tsx';
import { LocksField } from '../../components/locks-field.tsx';
import { type Channel, type Chosen, type Notifications, notifiedEvents, notificationsPath as path } from '../notifications.ts';
import { useTexts } from '../texts.ts';
import { ConfirmForm } from './confirm-form.tsx';

interface ChannelCardProps {
  readonly channel: Channel;
  /** null: nothing is sent by it. */
  readonly chosen: Chosen | null;
  /** That of all messages to the account. */
  readonly language: Notifications['language'];
  readonly reload: () => void;
}

/** To be drawn once the locks and groups are known: it offers those of that moment, so that nothing moves while a person chooses. */
export function ChannelCard({ channel, chosen, language, reload }: ChannelCardProps) {
  const { notifications } = useTexts();
  const { common } = useStrings();
  const { board, client, live, toasts } = useApp();
  const [names] = useState(() => ({
    locks: named(
      chosen?.lockIds,
      [...(live.locks.peek()?.values() ?? [])].map(({ lockId, lockAlias }) => [lockId, lockAlias]),
    ),
    groups: named(
      chosen?.groupIds,
      (board.groups.peek() ?? []).map(({ groupId, name }) => [groupId, name]),
    ),
  }));
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
      groupIds: values.all(`${channel}.groupIds`).map(Number),
    };
    const after = await client.ask<Notifications>('PUT', path, { body: { language, [channel]: body } });
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
              options={notifiedEvents.map((value) => ({ value, text: notifications.eventNames[value] }))}
              error={errorOf(`${channel}.events`)}
            />
            {names.groups.size > 0 && (
              <LocksField
                label={notifications.groups}
                name={`${channel}.groupIds`}
                hint={notifications.groupsHint}
                words={notifications.groupWords}
                names={names.groups}
                values={chosen?.groupIds ?? []}
                error={errorOf(`${channel}.groupIds`)}
              />
            )}
            <LocksField
              label={notifications.locks}
              name={`${channel}.lockIds`}
              hint={notifications.locksHint}
              names={names.locks}
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

/** Names by id. What was chosen before stays in the list, also what we may no longer see: without it the choice could become empty, which means all. */
function named(chosen: readonly number[] = [], known: readonly (readonly [number, string])[]): ReadonlyMap<number, string> {
  return new Map([...chosen.map((id) => [id, String(id)] as const), ...known.filter(([id]) => id !== 0)]);
}
