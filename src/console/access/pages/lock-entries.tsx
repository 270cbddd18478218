// What is wanted on a lock and what it is known to have, with the differences that a person decides.
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../../api/client.ts';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout } from '../../components/callout.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { usePaged } from '../../components/paged.ts';
import { PagedTable } from '../../components/table.tsx';
import { ValidityText } from '../../components/validity-text.tsx';
import { useFormats, useProblemText } from '../../format.ts';
import { href } from '../../router.ts';
import { useTexts } from '../texts.ts';
import type { Entry, Suggestion } from '../types.ts';

/** What a person can decide about an entry. */
const decisions: Readonly<Record<string, readonly string[]>> = {
  missing: ['restore', 'accept'],
  stranger: ['remove', 'adopt', 'accept'],
};

export function LockEntries({ lockId }: { readonly lockId: number }) {
  const { entries: texts, person } = useTexts();
  const { client, live, toasts } = useApp();
  const { common } = useStrings();
  const { dateTime } = useFormats();
  const text = useProblemText();
  const [status, setStatus] = useState('');
  const paged = usePaged<Entry>(`access/locks/${lockId}/entries`, status === '' ? {} : { status });
  const [open, setOpen] = useState<{ readonly entry: Entry; readonly what: string }>();
  const [busy, setBusy] = useState(false);
  useEffect(() => live.listen((happening) => happening.type === 'entry' && happening.lockId === lockId && paged.reload()));
  async function check(): Promise<void> {
    setBusy(true);
    try {
      const path = `access/locks/${lockId}/check`;
      const { same, different, missing, extraneous } = await client.ask<Record<string, number>>('POST', path);
      toasts.show('good', texts.checked(same ?? 0, (different ?? 0) + (missing ?? 0) + (extraneous ?? 0)));
      paged.reload();
    } catch (error) {
      toasts.show('bad', text(error));
    } finally {
      setBusy(false);
    }
  }
  const titleOf = ({ name, number, kind }: Entry) => name || number || person.kind[kind];
  return (
    <section aria-labelledby="entries">
      <div class="section-head">
        <h2 id="entries">{texts.title}</h2>
        <Button busy={busy} onClick={() => void check()}>
          {texts.check}
        </Button>
      </div>
      <p class="intro">{texts.intro}</p>
      <ReaderSuggestion lockId={lockId} />
      <search class="filters" aria-label={texts.title}>
        <SelectField
          label={texts.filter}
          name="status"
          value={status}
          onInput={setStatus}
          options={[{ value: '', text: texts.all }, ...Object.entries(texts.statuses).map(([value, words]) => ({ value, text: words }))]}
        />
      </search>
      <PagedTable
        caption={texts.title}
        paged={paged}
        empty={texts.none}
        keyOf={({ entryId }) => entryId}
        columns={[
          {
            title: texts.name,
            cell: ({ name, personId, kind, number }) => (
              <>
                {name === '' ? (
                  <span class="faint">{texts.nobody}</span>
                ) : personId === null ? (
                  <strong>{name}</strong>
                ) : (
                  <a href={href('people', personId)}>
                    <strong>{name}</strong>
                  </a>
                )}
                <span class="below">
                  {person.kind[kind]} {number !== null && <code>{number}</code>}
                </span>
              </>
            ),
          },
          { title: person.validity, cell: (entry) => <ValidityText {...entry} /> },
          {
            title: texts.status,
            cell: ({ status: now, why, since }) => (
              <>
                <span class={now === 'on-lock' || now === 'noted' ? 'tag good' : now === 'pending' ? 'tag' : 'tag bad'}>
                  {texts.statuses[now] ?? now}
                </span>
                <span class="below">{[why && (texts.reasons[why] ?? why), dateTime(since)].filter(Boolean).join(', ')}</span>
              </>
            ),
          },
          {
            title: common.actions,
            actions: true,
            cell: (entry) =>
              (decisions[entry.status] ?? [])
                .filter((what) => what !== 'adopt' || entry.kind === 'card')
                .map((what) => (
                  <Button
                    key={what}
                    kind="quiet"
                    label={texts.actionOf(texts.does[what] ?? what, titleOf(entry))}
                    onClick={() => setOpen({ entry, what })}
                  >
                    {texts.does[what]}
                  </Button>
                )),
          },
        ]}
      />
      {open && (
        <FormDialog
          title={texts.actionOf(texts.does[open.what] ?? open.what, titleOf(open.entry))}
          submit={texts.does[open.what] ?? open.what}
          danger={open.what === 'remove'}
          required={open.what === 'adopt' ? ['personId'] : []}
          onClose={() => setOpen(undefined)}
          onSubmit={async (values) => {
            const personId = values.text('personId');
            const body = { entryId: open.entry.entryId, do: open.what, ...(open.what === 'adopt' && { personId: Number(personId) }) };
            await client.ask('POST', `access/locks/${lockId}/settle`, { body });
            setOpen(undefined);
            toasts.show('good', texts.did);
            paged.reload();
          }}
        >
          {(errorOf) => (
            <>
              <p>{texts.doTexts[open.what]}</p>
              {open.what === 'adopt' && (
                <TextField label={texts.personId} name="personId" type="number" min={1} error={errorOf('personId')} required autoFocus />
              )}
            </>
          )}
        </FormDialog>
      )}
    </section>
  );
}

/** The reader of this lock seems to read bytes the other way round. */
function ReaderSuggestion({ lockId }: { readonly lockId: number }) {
  const { entries: texts } = useTexts();
  const { client, toasts } = useApp();
  const text = useProblemText();
  const [suggestion, setSuggestion] = useState<Suggestion>();
  useEffect(() => {
    // Who may not turn readers sees no suggestion.
    client.get<Page<Suggestion>>('access/suggestions', { pageSize: 1000 }).then(
      ({ list }) => setSuggestion(list.find((one) => one.lockId === lockId)),
      () => undefined,
    );
  }, [client, lockId]);
  if (suggestion === undefined) return null;
  const accept = () =>
    client.ask('POST', `access/suggestions/${suggestion.suggestionId}/accept`).then(
      () => {
        setSuggestion(undefined);
        toasts.show('good', suggestion.readerOrder === null ? texts.did : texts.turned);
      },
      (error: unknown) => toasts.show('bad', text(error)),
    );
  const { cards, readerOrder } = suggestion;
  return (
    <Callout kind="warning">
      <p>{readerOrder === null ? texts.misread(cards) : texts.suggestion(cards)}</p>
      <Button onClick={() => void accept()}>{readerOrder === null ? texts.reverse : texts.turn}</Button>
    </Callout>
  );
}
