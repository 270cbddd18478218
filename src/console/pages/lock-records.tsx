// What happened at a lock's door, by time and kind, and as a file.
import { useEffect, useState } from 'preact/hooks';
import type { LockRecord } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { LockHead } from '../components/lock-head.tsx';
import { usePaged } from '../components/paged.ts';
import { type Column, PagedTable } from '../components/table.tsx';
import { useFormats } from '../format.ts';
import type { PageProps } from './page.ts';
import { RecordExport } from './record-export.tsx';
import { type RecordRange, recordIdOf } from './record-range.ts';
import { useRecordsOfKind } from './records-of-kind.ts';

/** An event that the gateway stored so much later was stored by the lock while it was offline. */
const lateMs = 2 * 60_000;

export function LockRecordsPage({ parameters }: PageProps) {
  const lockId = Number(parameters['lockId']);
  return (
    <LockHead lockId={lockId} section="records">
      {() => <Records lockId={lockId} />}
    </LockHead>
  );
}

/** The records of a lock by its id; the lock may have been removed. */
export function Records({ lockId }: { lockId: number }) {
  const { records: strings, recordTypes } = useStrings();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [kind, setKind] = useState('');
  const range = { lockId, startDate: startOfDay(from), endDate: endOfDay(to) };
  return (
    <>
      <p class="intro">{strings.intro}</p>
      <search class="filters records">
        <TextField label={strings.from} name="from" type="date" max={to} onInput={setFrom} />
        <TextField label={strings.to} name="to" type="date" min={from} onInput={setTo} />
        <SelectField
          label={strings.kind}
          name="kind"
          value={kind}
          onInput={setKind}
          options={[{ value: '', text: strings.allKinds }, ...Object.entries(recordTypes).map(([value, text]) => ({ value, text }))]}
        />
        <RecordExport range={range} kind={kind} />
      </search>
      {kind === '' ? <AllRecords range={range} /> : <RecordsOfKind range={range} kind={kind} />}
    </>
  );
}

function AllRecords({ range }: { range: RecordRange }) {
  const { live } = useApp();
  const { records: strings } = useStrings();
  const columns = useColumns();
  const paged = usePaged<LockRecord>('lock/records', { ...range });
  const [hasFresh, setHasFresh] = useState(false);
  const isFirst = (paged.page?.pageNo ?? 1) === 1;
  useEffect(
    () => live.listen((happening) => happening.type === 'record' && happening.record.lockId === range.lockId && setHasFresh(true)),
    [live, range.lockId],
  );
  // The first page is always up to date, with at most one request a second; on other pages, rows do not move while somebody reads.
  useEffect(() => {
    if (!hasFresh || !isFirst) return;
    const timer = setTimeout(() => {
      setHasFresh(false);
      paged.reload();
    }, 1_000);
    return () => clearTimeout(timer);
  }, [hasFresh, isFirst]);
  return (
    <>
      {hasFresh && !isFirst && (
        <p class="fresh" role="status">
          {strings.fresh} <Button onClick={() => paged.turnTo(1)}>{strings.showThem}</Button>
        </p>
      )}
      <PagedTable caption={strings.what} paged={paged} empty={strings.none} keyOf={recordIdOf} columns={columns} />
    </>
  );
}

function RecordsOfKind({ range, kind }: { range: RecordRange; kind: string }) {
  const { records: strings } = useStrings();
  const columns = useColumns();
  const { paged, progress } = useRecordsOfKind(range, kind);
  return (
    <>
      {progress && (
        <p class="fresh" role="status">
          <progress max={progress.total} value={progress.seen} aria-label={strings.looking(progress.seen, progress.total)} />{' '}
          {strings.looking(progress.seen, progress.total)}
        </p>
      )}
      {(!progress || (paged.page?.total ?? 0) > 0) && (
        <PagedTable caption={strings.what} paged={paged} empty={strings.none} keyOf={recordIdOf} columns={columns} />
      )}
    </>
  );
}

function useColumns(): readonly Column<LockRecord>[] {
  const { records: strings, recordTypes } = useStrings();
  const { dateTime, time } = useFormats();
  return [
    {
      title: strings.when,
      cell: ({ lockDate, serverDate }) => (
        <>
          {time(lockDate)}
          {serverDate - lockDate > lateMs && <span class="below">{strings.stored(dateTime(serverDate))}</span>}
        </>
      ),
    },
    {
      title: strings.what,
      cell: ({ recordType, success }) => (
        <>
          {recordTypes[recordType] ?? recordType} {success === 0 && <span class="tag bad">{strings.refused}</span>}
        </>
      ),
    },
    { title: strings.who, cell: ({ username }) => username || '–' },
    { title: strings.number, cell: ({ keyboardPwd }) => (keyboardPwd === '' ? '–' : <code>{keyboardPwd}</code>) },
  ];
}

// Days are in the time zone of this device.
function startOfDay(date: string): number | undefined {
  return date === '' ? undefined : new Date(`${date}T00:00:00`).getTime();
}

function endOfDay(date: string): number | undefined {
  if (date === '') return undefined;
  const end = new Date(`${date}T00:00:00`);
  return end.setDate(end.getDate() + 1) - 1;
}
