// What the log said to be wrong lately, in sentences for people who cannot read the log; its line is folded below each.
import { useApp, useStrings } from '../app.ts';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { usePolled } from '../components/polled.ts';
import { Table } from '../components/table.tsx';
import { useFormats } from '../format.ts';
import { href } from '../router.ts';
import { useTexts } from './texts.ts';

const askEveryMs = 30_000;

interface Warning {
  readonly level: 'warn' | 'error' | 'fatal';
  readonly code: string;
  /** null: about no lock. */
  readonly lockId: number | null;
  readonly message: string;
  /** `name value` pairs; dates in ISO 8601. */
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
          // The same one, when it comes again: its line stays open.
          keyOf={({ code, lockId, message }) => `${code} ${lockId} ${code === '' ? message : ''}`}
          columns={[
            { title: texts.what, cell: (warning) => <What {...warning} /> },
            { title: texts.times, cell: ({ count }) => number(count) },
            { title: texts.last, cell: ({ lastDate }) => dateTime(lastDate) },
          ]}
        />
      )}
    </section>
  );
}

function What({ level, code, lockId, message, detail }: Warning) {
  const { live } = useApp();
  const { alarmKinds } = useStrings();
  const { warnings: texts } = useTexts();
  const { time } = useFormats();
  const lock = lockId === null ? undefined : live.locks.value?.get(lockId);
  const [, kind = ''] = code === 'alarm-began' ? (/\balarm ([\w-]+)/.exec(detail) ?? []) : [];
  const sentence = kind === '' ? texts.sentences[code] : texts.alarm(alarmKinds[kind] ?? kind);
  const dated = detail.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (date) => time(Date.parse(date)));
  return (
    <>
      <strong>{texts.levels[level]}</strong> {sentence ?? texts.unknown}{' '}
      {lockId !== null && <a href={lock ? href('locks', lockId) : href('registered', lockId)}>{lock?.lockAlias ?? texts.lock(lockId)}</a>}
      <details>
        <summary>{texts.line}</summary>
        <code class="long">
          {code} {message}
          {dated !== '' && ` (${dated})`}
        </code>
      </details>
    </>
  );
}
