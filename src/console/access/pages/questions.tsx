// The questions of the day after: who could open a door, which doors could somebody open, what did somebody do, is anything missing.
import { useState } from 'preact/hooks';
import type { Page } from '../../api/client.ts';
import type { LockRecord } from '../../api/types.ts';
import { useApp, useStrings } from '../../app.ts';
import { Callout } from '../../components/callout.tsx';
import { ChoiceField, SelectField, TextField } from '../../components/field.tsx';
import { Form, type Values } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Table } from '../../components/table.tsx';
import { useFormats } from '../../format.ts';
import { useBuilding } from '../building.ts';
import { useTexts } from '../texts.ts';
import type { Completeness, Opened, Opener } from '../types.ts';

type Question = 'who' | 'where' | 'did' | 'complete';
type Answer =
  | { readonly question: 'who'; readonly rows: readonly Opener[] }
  | { readonly question: 'where'; readonly rows: readonly Opened[] }
  | { readonly question: 'did'; readonly rows: readonly LockRecord[] }
  | { readonly question: 'complete'; readonly found: Completeness };

const rowsAtOnce = 1000;
const dayMs = 86_400_000;
const ms = (values: Values, name: string) => new Date(values.text(name)).getTime();
/** The end of the minute that was chosen, but not in the future. */
const endOf = (values: Values, name: string) => Math.min(Date.now(), ms(values, name) + 59_999);
/** A date in the format of `datetime-local`. */
const localText = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

export function QuestionsPage() {
  const { questions: texts } = useTexts();
  const { client } = useApp();
  const building = useBuilding();
  const [question, setQuestion] = useState<Question>('who');
  const [answer, setAnswer] = useState<Answer>();
  const get = <Row,>(path: string, query: Record<string, string | number>) =>
    client.get<Page<Row>>(path, { ...query, pageSize: rowsAtOnce }).then(({ list }) => list);

  async function ask(values: Values): Promise<void> {
    const lockId = Number(values.text('lockId'));
    const range = { startDate: ms(values, 'startDate'), endDate: endOf(values, 'endDate') };
    const of = values.text('cardNumber') === '' ? { personId: values.text('personId') } : { cardNumber: values.text('cardNumber') };
    if (question === 'who') setAnswer({ question, rows: await get<Opener>('access/who', { lockId, date: endOf(values, 'date') }) });
    else if (question === 'where') setAnswer({ question, rows: await get<Opened>('access/where', { ...of, date: endOf(values, 'date') }) });
    else if (question === 'did')
      setAnswer({ question, rows: await get<LockRecord>('access/records', { personId: values.text('personId'), ...range }) });
    else setAnswer({ question, found: await client.get<Completeness>('access/completeness', { lockId, ...range }) });
  }
  const isOfLock = question === 'who' || question === 'complete';
  const isAtDate = question === 'who' || question === 'where';
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro} />
      <Form submit={texts.ask} onSubmit={ask}>
        {(errorOf) => (
          <>
            <ChoiceField
              label={texts.question}
              name="question"
              value={question}
              onInput={(value) => {
                setQuestion(value as Question);
                setAnswer(undefined);
              }}
              options={(['who', 'where', 'did', 'complete'] as const).map((value) => ({ value, text: texts[value] }))}
            />
            {isOfLock && (
              <SelectField
                label={texts.lock}
                name="lockId"
                error={errorOf('lockId')}
                options={[...building.locks].map(([lockId, text]) => ({ value: String(lockId), text }))}
              />
            )}
            {question === 'where' && <TextField label={texts.card} name="cardNumber" error={errorOf('cardNumber')} />}
            {!isOfLock && <TextField label={texts.person} name="personId" type="number" min={1} error={errorOf('personId')} />}
            {isAtDate ? (
              <TextField label={texts.date} name="date" type="datetime-local" value={localText(Date.now())} error={errorOf('date')} />
            ) : (
              <div class="pair">
                <TextField
                  label={texts.from}
                  name="startDate"
                  type="datetime-local"
                  value={localText(Date.now() - 7 * dayMs)}
                  error={errorOf('startDate')}
                />
                <TextField label={texts.to} name="endDate" type="datetime-local" value={localText(Date.now())} error={errorOf('endDate')} />
              </div>
            )}
          </>
        )}
      </Form>
      {answer && <AnswerView answer={answer} nameOf={building.nameOf} />}
    </>
  );
}

function AnswerView({ answer, nameOf }: { readonly answer: Answer; readonly nameOf: (lockId: number) => string }) {
  const { questions: texts } = useTexts();
  const { recordTypes } = useStrings();
  const { dateTime } = useFormats();
  if (answer.question === 'complete') return <CompletenessView {...answer.found} />;
  if (answer.rows.length === 0)
    return <p class="empty">{{ who: texts.nobody, where: texts.nowhere, did: texts.nothing }[answer.question]}</p>;
  if (answer.question === 'did')
    return (
      <Table
        caption={texts.did}
        rows={answer.rows}
        keyOf={({ recordId }) => recordId}
        columns={[
          { title: texts.date, cell: ({ lockDate }) => dateTime(lockDate) },
          { title: texts.lock, cell: ({ lockId }) => nameOf(lockId) },
          { title: texts.did, cell: ({ recordType }) => recordTypes[recordType] ?? recordType },
        ]}
      />
    );
  const certainty = ({ certain }: Opener) =>
    certain ? <span class="tag good">{texts.certain}</span> : <span class="tag bad">{texts.uncertain}</span>;
  const rows: readonly (Opener & { readonly lockId?: number })[] = answer.rows;
  return (
    <Table
      caption={texts[answer.question]}
      rows={rows}
      keyOf={({ lockId, personId, kind, name, because }) => `${lockId} ${personId} ${kind} ${name} ${because}`}
      columns={[
        ...(answer.question === 'where'
          ? [{ title: texts.lock, cell: ({ lockId = 0 }: { lockId?: number }) => <strong>{nameOf(lockId)}</strong> }]
          : []),
        { title: texts.name, cell: ({ name, kind }) => name || (texts.kinds[kind] ?? kind) },
        { title: texts.because, cell: ({ because }) => because },
        { title: texts.certain, cell: certainty },
      ]}
    />
  );
}

function CompletenessView({ complete, records, epochs, unheardAfter, offline, clockDoubtful }: Completeness) {
  const { questions: texts } = useTexts();
  const { dateTime } = useFormats();
  const until = (date: number | null) => (date === null ? texts.now : dateTime(date));
  const facts = [
    ...epochs.flatMap(({ missing }) => missing.map(([from, to]) => texts.missing(from, to))),
    ...(unheardAfter === null ? [] : [texts.unheard(dateTime(unheardAfter))]),
    ...offline.map(([from, to]) => texts.offline(dateTime(from), until(to))),
    ...clockDoubtful.map(([from, to]) => texts.clock(dateTime(from), until(to))),
  ];
  return (
    <Callout kind={complete ? 'info' : 'warning'}>
      <p>{complete ? texts.complete1(records) : texts.incomplete(records)}</p>
      <ul>
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </Callout>
  );
}
