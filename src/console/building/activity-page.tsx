// What happened in the whole building, newest first and live: by lock, group, person, kind, outcome and time, and as a file.
import { useEffect, useState } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { PageHead } from '../components/page-head.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useFormats, useProblemText } from '../format.ts';
import { href } from '../router.ts';
import { saveAs } from '../save-as.ts';
import { type ActivityLine, type ActivityQuery, useActivity } from './activity.ts';
import { ActivityFilters } from './activity-filters.tsx';
import { useTexts } from './texts.ts';

/** With anything but a lock and times, the gateway looks at so much at most. */
const mostMs = 31 * 86_400_000;

export function ActivityPage() {
  const { live } = useApp();
  const texts = useTexts();
  if (live.managesAny.value !== false) return <Activity />;
  return (
    <>
      <PageHead title={texts.activity} />
      <p class="empty">{texts.managesNone}</p>
    </>
  );
}

function Activity() {
  const { board, router } = useApp();
  const texts = useTexts();
  const [isLive, setLive] = useState(true);
  const query = queryOf(router.query.value);
  const isAskedFor = Object.values(query).some((value) => value !== undefined);
  const activity = useActivity(query, isLive);
  const columns = useColumns();
  useEffect(() => board.open(), [board]);
  const { lines, hasMore, isLoading, problem } = activity;
  return (
    <>
      <PageHead title={texts.activity} intro={texts.activityIntro}>
        <button type="button" class="button live-switch" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          {texts.live}
        </button>
        <Export query={query} />
      </PageHead>
      <ActivityFilters />
      {problem !== undefined && <ProblemCallout problem={problem} retry={activity.reload} />}
      {lines === undefined && problem === undefined && <Loading text={texts.looking} />}
      {lines?.length === 0 && <p class="empty">{isAskedFor ? texts.nothing : texts.nothingYet}</p>}
      {lines !== undefined && lines.length > 0 && (
        <Table caption={texts.activity} columns={columns} rows={lines} keyOf={({ recordId }) => recordId} />
      )}
      {hasMore && (
        <p class="more">
          <Button busy={isLoading} onClick={activity.more}>
            {texts.older}
          </Button>
        </p>
      )}
    </>
  );
}

function Export({ query }: { query: ActivityQuery }) {
  const { client, toasts } = useApp();
  const { records } = useStrings();
  const problemText = useProblemText();
  const [isBusy, setBusy] = useState(false);
  async function save(): Promise<void> {
    setBusy(true);
    try {
      saveAs(`activity-${new Date().toISOString().slice(0, 10)}.csv`, await client.text('activity', query, 'text/csv'));
    } catch (error) {
      toasts.show('bad', problemText(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <Button busy={isBusy} onClick={() => void save()}>
      {records.export}
    </Button>
  );
}

function useColumns(): readonly Column<ActivityLine>[] {
  const { records, recordTypes } = useStrings();
  const { time } = useFormats();
  const texts = useTexts();
  return [
    {
      title: records.when,
      cell: ({ lockDate, lockDateSource }) => (
        <>
          <Ago at={lockDate} />
          <span class="below">
            {time(lockDate)}
            {lockDateSource === 'gateway' && ` (${texts.gatewayDate})`}
          </span>
        </>
      ),
    },
    { title: texts.door, cell: ({ lockId, lockAlias }) => <a href={href('locks', lockId)}>{lockAlias}</a> },
    {
      title: records.what,
      cell: ({ recordType, success, reason }) => (
        <>
          {recordTypes[recordType] ?? recordType} {success === 0 && <span class="tag bad">{records.refused}</span>}
          {reason !== null && <span class="below">{texts.reasons[reason] ?? reason}</span>}
        </>
      ),
    },
    {
      title: records.who,
      cell: ({ personId, personName, username }) => {
        const name = personName ?? username;
        if (name === '') return '–';
        const of = personId === null ? { username } : { person: String(personId), who: name };
        return <a href={`${href('activity')}?${new URLSearchParams(of)}`}>{name}</a>;
      },
    },
    { title: records.number, cell: ({ keyboardPwd }) => (keyboardPwd === '' ? '–' : <code>{keyboardPwd}</code>) },
  ];
}

/** What the address asks, as the gateway is asked. Days are those of this device; one that is missing is as far away as it may be. */
function queryOf({ lock, group, person, username, kind, success, from, to }: Readonly<Record<string, string>>): ActivityQuery {
  const filters = { groupId: group, personId: person, username, kind, success };
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const start = from === undefined ? undefined : new Date(`${from}T00:00:00`).getTime();
  const end = to === undefined ? undefined : new Date(`${to}T23:59:59.999`).getTime();
  return {
    lockId: lock,
    ...filters,
    startDate: start ?? (isFiltered && end !== undefined ? end - mostMs : undefined),
    endDate: end ?? (isFiltered && start !== undefined ? start + mostMs : undefined),
  };
}
