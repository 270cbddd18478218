// The history of a lock's battery: as a chart, and as a table for people who cannot see the chart.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import type { BatteryLevel } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/table.tsx';
import { useFormats } from '../format.ts';
import type { LiveLock } from '../live.ts';

/** Fewer levels are said in a sentence. */
const fewest = 3;

export function LockBattery({ lock: { lockId, electricQuantity } }: { lock: LiveLock }) {
  const { client } = useApp();
  const { battery: strings, states } = useStrings();
  const { dateTime } = useFormats();
  const [levels, setLevels] = useState<readonly BatteryLevel[]>();
  const [problem, setProblem] = useState<unknown>();

  // Loads again with each level that the lock reports.
  useEffect(() => {
    let current = true;
    client.get<Page<BatteryLevel>>('lock/battery-history', { lockId }).then(
      ({ list }) => current && setLevels(list),
      (error: unknown) => current && setProblem(error),
    );
    return () => {
      current = false;
    };
  }, [client, lockId, electricQuantity]);

  const points = useMemo(() => (levels ?? []).map(({ reportDate, electricQuantity: value }) => ({ at: reportDate, value })), [levels]);
  const [first] = levels ?? [];
  const last = levels?.at(-1);
  return (
    <section class="panel" aria-labelledby="battery">
      <h2 id="battery">{strings.title}</h2>
      {problem !== undefined && <ProblemCallout problem={problem} />}
      {levels === undefined && problem === undefined && <Loading />}
      {levels?.length === 0 && <p class="empty">{strings.none}</p>}
      {levels && first && last && levels.length < fewest && (
        <p>{strings.levels(levels.map((level) => strings.level(level.electricQuantity, dateTime(level.reportDate))).join(', '))}</p>
      )}
      {levels && first && last && levels.length >= fewest && (
        <>
          <Chart
            points={points}
            max={100}
            text={states.percent}
            label={strings.chart(dateTime(first.reportDate), first.electricQuantity, last.electricQuantity)}
          />
          <details>
            <summary>{strings.asTable}</summary>
            <Table
              caption={strings.title}
              rows={[...levels].reverse()}
              keyOf={({ reportDate }) => reportDate}
              columns={[
                { title: strings.since, cell: ({ reportDate }) => dateTime(reportDate) },
                { title: strings.title, cell: (level) => states.percent(level.electricQuantity) },
              ]}
            />
          </details>
        </>
      )}
    </section>
  );
}
