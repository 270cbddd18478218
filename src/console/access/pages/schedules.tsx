// Hours of the week for grants, each shown as a week of bars; and the holidays.
import { useEffect, useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { ProblemCallout } from '../../components/callout.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { AreaField } from '../components/area-field.tsx';
import { Week } from '../components/week.tsx';
import { useSchedules } from '../schedules.ts';
import { useTexts } from '../texts.ts';
import type { Schedule } from '../types.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

export function SchedulesPage() {
  const { schedules: texts } = useTexts();
  const { client, toasts } = useApp();
  const { all, problem, reload } = useSchedules();
  const [open, setOpen] = useState<{ readonly what: 'put' | 'remove'; readonly schedule?: Schedule }>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    reload();
  };
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro}>
        <Button kind="main" icon="plus" onClick={() => setOpen({ what: 'put' })}>
          {texts.add}
        </Button>
      </PageHead>
      {problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {all.length === 0 && problem === undefined && <p class="empty">{texts.none}</p>}
      <ul class="schedules">
        {all.map((schedule) => (
          <li key={schedule.scheduleId} class="card">
            <h2>{schedule.name}</h2>
            <Week hours={schedule.hours} />
            <div class="buttons">
              <Button label={texts.editOf(schedule.name)} onClick={() => setOpen({ what: 'put', schedule })}>
                {texts.edit}
              </Button>
              <Button kind="quiet" label={texts.removeOf(schedule.name)} onClick={() => setOpen({ what: 'remove', schedule })}>
                {texts.remove}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <Holidays />
      {open?.what === 'put' && <ScheduleDialog schedule={open.schedule} onClose={close} onDone={done} />}
      {open?.what === 'remove' && open.schedule !== undefined && (
        <ConfirmDialog
          title={texts.removeOf(open.schedule.name)}
          text={texts.removeText}
          confirm={texts.remove}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', `access/schedules/${open.schedule?.scheduleId}`);
            done(texts.removed);
          }}
        />
      )}
    </>
  );
}

function Holidays() {
  const { schedules: texts } = useTexts();
  const { common } = useStrings();
  const { client, toasts } = useApp();
  const [dates, setDates] = useState<readonly string[]>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(
    () => void client.get<{ dates: readonly string[] }>('access/holidays').then((found) => setDates(found.dates), setProblem),
    [client],
  );
  if (dates === undefined) return problem === undefined ? null : <ProblemCallout problem={problem} />;
  return (
    <section aria-labelledby="holidays">
      <div class="section-head">
        <h2 id="holidays">{texts.holidays}</h2>
      </div>
      <p class="intro">{texts.holidaysIntro}</p>
      <Form
        submit={common.save}
        onSubmit={async (values) => {
          const given = values.text('dates').split(/\s+/).filter(Boolean);
          await client.ask('PUT', 'access/holidays', { body: { dates: given } });
          toasts.show('good', texts.holidaysSaved);
        }}
      >
        {(errorOf) => <AreaField label={texts.dates} name="dates" rows={6} value={dates.join('\n')} error={errorOf('dates')} />}
      </Form>
    </section>
  );
}
