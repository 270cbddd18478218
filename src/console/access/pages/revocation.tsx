// The report about a lost credential: where it is dead, with the proof, and where it may still open. It fills itself, and can be printed.
import { useEffect } from 'preact/hooks';
import { useApp } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../../components/callout.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePolled } from '../../components/polled.ts';
import { Table } from '../../components/table.tsx';
import { useFormats } from '../../format.ts';
import type { PageProps } from '../../pages/page.ts';
import { href } from '../../router.ts';
import { useBuilding } from '../building.ts';
import { useTexts } from '../texts.ts';
import type { Revocation, RevocationLock } from '../types.ts';

const askEveryMs = 2_000;
const dead = new Set(['gone', 'never', 'ended']);

export function RevocationPage({ parameters }: PageProps) {
  const { report: texts, people } = useTexts();
  const { live } = useApp();
  const building = useBuilding();
  const id = Number(parameters['id']);
  const path = parameters['of'] === 'credential' ? `access/credentials/${id}/revocation` : `access/revocations/${id}`;
  const { value: report, problem, reload } = usePolled<Revocation>(path, askEveryMs);
  useEffect(() => live.listen(({ type }) => type === 'revocation' && reload()), [live, reload]);
  const { dateTime } = useFormats();
  const up = { href: href('people'), text: people.title };
  if (report === undefined) {
    if (problem === undefined) return <Loading />;
    return (
      <>
        <PageHead title={texts.title} up={up} />
        <ProblemCallout problem={problem} retry={reload} />
      </>
    );
  }
  const { certain, doors, hiddenLocks } = report;
  // What somebody has to do comes first.
  const rows = [...report.locks].sort((one, other) => Number(dead.has(one.state)) - Number(dead.has(other.state)));
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro(dateTime(report.lostDate))} up={up}>
        <Button onClick={() => window.print()}>{texts.print}</Button>
      </PageHead>
      <div role="status">
        <Callout kind={certain ? 'info' : 'warning'}>
          <strong>{certain ? texts.certain : texts.open(doors.open)}</strong> {texts.dead(doors.dead)}{' '}
          {hiddenLocks > 0 && texts.hidden(hiddenLocks)}
        </Callout>
      </div>
      <Table
        caption={texts.title}
        rows={rows}
        keyOf={({ lockId }) => lockId}
        columns={[
          { title: texts.door, cell: ({ lockId }) => <strong>{building.nameOf(lockId)}</strong> },
          {
            title: texts.state,
            cell: ({ state }) => <span class={dead.has(state) ? 'tag good' : 'tag bad'}>{texts.states[state] ?? state}</span>,
          },
          { title: texts.proof, cell: (lock) => <Evidence lock={lock} /> },
          {
            title: texts.toDo,
            cell: ({ do: todo = [] }) =>
              todo.length > 0 && (
                <ol class="to-do">
                  {todo.map((step) => (
                    <li key={step}>{texts.steps[step] ?? step}</li>
                  ))}
                </ol>
              ),
          },
        ]}
      />
    </>
  );
}

function Evidence({ lock: { proof, lastSwipe, admitsUntil, electricQuantity } }: { readonly lock: RevocationLock }) {
  const { report: texts } = useTexts();
  const { dateTime } = useFormats();
  if (proof) return <>{texts.proofAt(texts.proofs[proof.basis] ?? proof.basis, dateTime(proof.date))}</>;
  const facts = [
    admitsUntil ? texts.admitsUntil(dateTime(admitsUntil)) : undefined,
    lastSwipe ? texts.lastSwipe(dateTime(lastSwipe)) : undefined,
    typeof electricQuantity === 'number' && electricQuantity >= 0 ? texts.battery(electricQuantity) : undefined,
  ];
  return <>{facts.filter(Boolean).join(', ')}</>;
}
