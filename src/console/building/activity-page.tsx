// What happened in the whole building, newest first and live: by lock, group, person, kind, outcome and time, and as a file.
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../api/problem.ts';
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
      {problem === undefined && <LookedAt query={query} />}
      {problem !== undefined && <ProblemCallout problem={isTooLong(problem) ? texts.tooLong : problem} retry={activity.reload} />}
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

/** Says which days are looked at, when a person has not chosen them: otherwise nothing found would seem to be nothing that ever happened. */
function LookedAt({ query }: { query: ActivityQuery }) {
  const { router } = useApp();
  const { dateTime } = useFormats();
  const texts = useTexts();
  const { from, to } = router.query.value;
  if (!isFiltered(query) || (from !== undefined && to !== undefined)) return null;
  const now = Date.now();
  return (
    <p class="hint">{texts.lookedAt(dateTime(Number(query['startDate'] ?? now - mostMs)), dateTime(Number(query['endDate'] ?? now)))}</p>
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

/** Whether anything but a door and times is asked for. */
function isFiltered({ lockId: _door, startDate: _start, endDate: _end, ...filters }: ActivityQuery): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** The days are further apart than the gateway looks for anything but a door. */
function isTooLong(problem: unknown): boolean {
  return problem instanceof Problem && (problem.parameters.has('startDate') || problem.parameters.has('endDate'));
}

/**
 * What the address asks, as the gateway is asked. Days are those of this device, both included, in either order; one that is missing is as far
 * away as it may be.
 */
function queryOf({ lock, group, person, username, kind, success, from, to }: Readonly<Record<string, string>>): ActivityQuery {
  const filters = { groupId: group, personId: person, username, kind, success };
  const isLimited = isFiltered(filters);
  const [first, last] = from !== undefined && to !== undefined && from > to ? [to, from] : [from, to];
  const start = first === undefined ? undefined : new Date(`${first}T00:00:00`).getTime();
  const end = last === undefined ? undefined : new Date(`${last}T23:59:59.999`).getTime();
  return {
    lockId: lock,
    ...filters,
    startDate: start ?? (isLimited && end !== undefined ? end - mostMs : undefined),
    endDate: end ?? (isLimited && start !== undefined ? start + mostMs : undefined),
  };
}
