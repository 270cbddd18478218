// From when to when a card is valid: always, or for a time, in the time zone of this device.
import { useState } from 'preact/hooks';
import { Problem } from '../api/problem.ts';
import { useStrings } from '../app.ts';
import type { Strings } from '../language/en.ts';
import { ChoiceField, TextField } from './field.tsx';
import type { Values } from './form.tsx';

/** 0 and 0 is always; an endDate of 0 is an open end. */
export interface Validity {
  readonly startDate: number;
  readonly endDate: number;
}

const always: Validity = { startDate: 0, endDate: 0 };

interface ValidityFieldsProps {
  readonly errorOf: (name: string) => string | undefined;
  readonly value?: Validity;
}

export function ValidityFields({ errorOf, value = always }: ValidityFieldsProps) {
  const { cards } = useStrings();
  const [kind, setKind] = useState<string>(kindOf(value));
  const today = new Date().setHours(0, 0, 0, 0);
  const week = new Date(today).setDate(new Date(today).getDate() + 7) - 60_000;
  return (
    <>
      <ChoiceField
        label={cards.validity}
        name="validity"
        value={kind}
        onInput={setKind}
        options={[
          { value: 'always', text: cards.always },
          { value: 'period', text: cards.period },
          { value: 'open', text: cards.openEnd },
        ]}
      />
      {kind !== 'always' && (
        <>
          <div class="pair">
            <TextField
              label={cards.from}
              name="startDate"
              type="datetime-local"
              value={localText(value.startDate || today)}
              error={errorOf('startDate')}
              required
            />
            {kind === 'period' && (
              <TextField
                label={cards.to}
                name="endDate"
                type="datetime-local"
                value={localText(value.endDate || week)}
                error={errorOf('endDate')}
                required
              />
            )}
          </div>
          <p class="hint">{cards.timeZone(new Intl.DateTimeFormat().resolvedOptions().timeZone)}</p>
        </>
      )}
    </>
  );
}

/** The validity that a person chose; throws the `Problem` of a wrong field. The minute of the end is included. */
export function validityOf(values: Values, { cards, common }: Pick<Strings, 'cards' | 'common'>): Validity {
  const kind = values.text('validity');
  if (kind === 'always') return always;
  const startDate = new Date(values.text('startDate')).getTime();
  const wrong = (name: string, message: string) => new Problem('invalid-parameter', '', new Map([[name, message]]));
  if (Number.isNaN(startDate)) throw wrong('startDate', common.required);
  if (kind === 'open') return { startDate, endDate: 0 };
  const endDate = new Date(values.text('endDate')).getTime() + 59_999;
  if (Number.isNaN(endDate)) throw wrong('endDate', common.required);
  if (endDate < startDate) throw wrong('endDate', cards.wrongPeriod);
  return { startDate, endDate };
}

function kindOf({ startDate, endDate }: Validity): 'always' | 'period' | 'open' {
  if (endDate !== 0) return 'period';
  return startDate === 0 ? 'always' : 'open';
}

/** A date in the format of `datetime-local`. */
function localText(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
