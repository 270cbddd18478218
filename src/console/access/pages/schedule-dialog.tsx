// Makes a schedule, or changes one.
import { useState } from 'preact/hooks';
import { Problem } from '../../api/problem.ts';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { ManyField, TextField } from '../../components/field.tsx';
import type { Values } from '../../components/form.tsx';
import { clockText } from '../components/week.tsx';
import { useTexts } from '../texts.ts';
import type { Schedule, ScheduleHours } from '../types.ts';

const mostLines = 8;
const office: ScheduleHours = { days: [1, 2, 3, 4, 5], from: 420, to: 1140 };

interface ScheduleDialogProps {
  /** Absent: a new one. */
  readonly schedule: Schedule | undefined;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

export function ScheduleDialog({ schedule, onClose, onDone }: ScheduleDialogProps) {
  const { schedules: texts } = useTexts();
  const { common } = useStrings();
  const { client } = useApp();
  const [lines, setLines] = useState<readonly ScheduleHours[]>(schedule?.hours ?? [office]);
  return (
    <FormDialog
      title={schedule === undefined ? texts.add : texts.editOf(schedule.name)}
      submit={common.save}
      required={['name']}
      onClose={onClose}
      onSubmit={async (values) => {
        // A line without a day is left out.
        const hours = lines.map((_, index) => hoursOf(values, index, texts.wrong)).filter(({ days }) => days.length > 0);
        const body = { name: values.text('name'), hours };
        if (schedule === undefined) await client.ask('POST', 'access/schedules', { body });
        else await client.ask('PUT', `access/schedules/${schedule.scheduleId}`, { body });
        onDone(texts.saved);
      }}
    >
      {(errorOf) => (
        <>
          <TextField label={texts.name} name="name" value={schedule?.name} maxLength={64} error={errorOf('name')} required autoFocus />
          {lines.map(({ days, from, to }, index) => (
            <fieldset key={`${index} ${from}`} class="field choice">
              <legend>{texts.line(index + 1)}</legend>
              <ManyField
                label={texts.daysOf(index + 1)}
                name={`days${index}`}
                options={texts.days.map((text, day) => ({ value: String(day + 1), text }))}
                values={days.map(String)}
              />
              <div class="pair">
                <TextField label={texts.from} name={`from${index}`} pattern="[0-2][0-9]:[0-5][0-9]" value={clockText(from)} />
                <TextField
                  label={texts.to}
                  name={`to${index}`}
                  pattern="[0-2][0-9]:[0-5][0-9]"
                  value={clockText(to)}
                  error={errorOf(`to${index}`)}
                />
              </div>
            </fieldset>
          ))}
          {lines.length < mostLines && (
            <Button kind="quiet" icon="plus" onClick={() => setLines([...lines, { days: [], from: 420, to: 1140 }])}>
              {texts.addLine}
            </Button>
          )}
        </>
      )}
    </FormDialog>
  );
}

function hoursOf(values: Values, index: number, wrong: string): ScheduleHours {
  const days = values.all(`days${index}`).map(Number);
  const from = minutesOf(values.text(`from${index}`));
  const to = minutesOf(values.text(`to${index}`));
  // Not a number is neither less nor more.
  if (days.length > 0 && !(from < to && to <= 1440)) throw new Problem('invalid-parameter', '', new Map([[`to${index}`, wrong]]));
  return { days, from, to };
}

function minutesOf(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  return Number(hours) * 60 + Number(minutes);
}
