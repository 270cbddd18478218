// What the log said to be wrong lately, for people who cannot read the log.
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { usePolled } from '../components/polled.ts';
import { Table } from '../components/table.tsx';
import { useFormats } from '../format.ts';
import { useTexts } from './texts.ts';

const askEveryMs = 30_000;

interface Warning {
  readonly level: 'warn' | 'error' | 'fatal';
  readonly code: string;
  readonly message: string;
  readonly detail: string;
  readonly lastDate: number;
  readonly count: number;
}

export function WarningsPanel() {
  const { warnings: texts } = useTexts();
  const { dateTime, number } = useFormats();
  const { value, problem, reload } = usePolled<{ readonly list: readonly Warning[] }>('gateway/warnings', askEveryMs);
  return (
    <section class="upkeep">
      <h2>{texts.title}</h2>
      {problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {value === undefined && problem === undefined && <Loading />}
      {value?.list.length === 0 && <p class="empty">{texts.none}</p>}
      {value !== undefined && value.list.length > 0 && (
        <Table
          caption={texts.title}
          rows={value.list}
          keyOf={({ code, detail, lastDate }) => `${code} ${detail} ${lastDate}`}
          columns={[
            {
              title: texts.what,
              cell: ({ level, code, message, detail }) => (
                <>
                  <strong>{texts.levels[level]}</strong> <code>{code}</code> {message}
                  {detail !== '' && <small> ({detail})</small>}
                </>
              ),
            },
            { title: texts.times, cell: ({ count }) => number(count) },
            { title: texts.last, cell: ({ lastDate }) => dateTime(lastDate) },
          ]}
        />
      )}
    </section>
  );
}
