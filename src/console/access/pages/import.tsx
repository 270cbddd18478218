// A table of people and doors: first what it would change, then the change.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout, ProblemCallout } from '../../components/callout.tsx';
import { ChoiceField } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useEvery } from '../../components/polled.ts';
import { Table } from '../../components/table.tsx';
import { useProblemText } from '../../format.ts';
import { saveAs } from '../../save-as.ts';
import { useBuilding } from '../building.ts';
import { useTexts } from '../texts.ts';
import type { ImportProgress, Plan } from '../types.ts';

const askEveryMs = 1_000;

export function ImportPage() {
  const { import: texts } = useTexts();
  const { client, toasts } = useApp();
  const text = useProblemText();
  const [absent, setAbsent] = useState('keep');
  const [plan, setPlan] = useState<Plan>();
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  async function look(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setBusy(true);
    setPlan(undefined);
    setProblem(undefined);
    try {
      setPlan(await client.ask<Plan>('POST', 'access/imports', { query: { absent }, csv: await file.text() }));
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }
  const download = () =>
    client.text('access/export.csv').then(
      (csv) => saveAs('latchd-access.csv', csv),
      (error: unknown) => toasts.show('bad', text(error)),
    );
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro}>
        <Button onClick={() => void download()}>{texts.export}</Button>
      </PageHead>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void look(input.current?.files?.[0]);
        }}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the field inside takes a file as well. */}
        <div
          class={isOver ? 'drop over' : 'drop'}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            void look(event.dataTransfer?.files[0]);
          }}
        >
          <div class="field">
            <label for="import-file">{texts.drop}</label>
            <input id="import-file" ref={input} type="file" accept=".csv,.tsv,text/csv,text/tab-separated-values" />
          </div>
        </div>
        <ChoiceField
          label={texts.absent}
          name="absent"
          value={absent}
          onInput={setAbsent}
          options={(['keep', 'revoke'] as const).map((value) => ({ value, text: texts.absents[value] }))}
        />
        <div class="buttons">
          <Button type="submit" kind="main" busy={busy}>
            {texts.look}
          </Button>
        </div>
      </form>
      {problem !== undefined && <ProblemCallout problem={problem} />}
      {plan && <PlanView key={plan.importId} plan={plan} />}
    </>
  );
}

function PlanView({ plan }: { readonly plan: Plan }) {
  const { import: texts } = useTexts();
  const { client } = useApp();
  const building = useBuilding();
  const [problem, setProblem] = useState<unknown>();
  const [isApplied, setApplied] = useState(false);
  const { added, updated, unchanged, extraneous } = plan.people;
  if (plan.errors.length > 0)
    return (
      <section aria-labelledby="plan">
        <h2 id="plan">{texts.plan}</h2>
        <Callout kind="bad">{texts.errors(plan.errors.length)}</Callout>
        <Table
          caption={texts.errors(plan.errors.length)}
          rows={plan.errors}
          keyOf={({ line, column, message }) => `${line} ${column} ${message}`}
          columns={[
            { title: texts.line, cell: ({ line }) => line },
            { title: texts.column, cell: ({ column }) => column },
            { title: texts.message, cell: ({ message }) => message },
          ]}
        />
      </section>
    );
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">{texts.plan}</h2>
      <p>{texts.people(added, updated, unchanged, extraneous)}</p>
      {plan.removesMoreThanAQuarter && <Callout kind="warning">{texts.quarter}</Callout>}
      {plan.locks.length === 0 ? (
        <p class="empty">{texts.noLocks}</p>
      ) : (
        <Table
          caption={texts.plan}
          rows={plan.locks}
          keyOf={({ lockId }) => lockId}
          columns={[
            { title: texts.lock, cell: ({ lockId }) => <strong>{building.nameOf(lockId)}</strong> },
            { title: texts.added, cell: (lock) => lock.added },
            { title: texts.removed, cell: (lock) => lock.removed },
            { title: texts.different, cell: (lock) => lock.different },
          ]}
        />
      )}
      {problem !== undefined && <ProblemCallout problem={problem} />}
      {isApplied ? (
        <Applying importId={plan.importId} />
      ) : (
        <div class="buttons">
          <Button
            kind="main"
            onClick={() =>
              void client
                .ask('POST', `access/imports/${plan.importId}/apply`, { body: { plan: plan.plan } })
                .then(() => setApplied(true), setProblem)
            }
          >
            {texts.apply}
          </Button>
        </div>
      )}
    </section>
  );
}

function Applying({ importId }: { readonly importId: string }) {
  const { import: texts } = useTexts();
  const { client } = useApp();
  const [progress, setProgress] = useState<ImportProgress>();
  const isDone = progress?.state === 'done';
  const ask = () => {
    if (!isDone) void client.get<ImportProgress>(`access/imports/${importId}`).then(setProgress, () => undefined);
  };
  useEffect(ask, [importId]);
  useEvery(askEveryMs, ask);
  return <p role="status">{isDone ? texts.done : progress === undefined ? texts.applied : texts.state(progress.state)}</p>;
}
