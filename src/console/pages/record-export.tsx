// The records that are chosen, as a file for spreadsheets.
import { useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { LockRecord } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { csvText } from '../csv.ts';
import { useProblemText } from '../format.ts';
import { saveAs } from '../save-as.ts';
import { type RecordRange, recordIdOf } from './record-range.ts';

const header = ['recordId', 'lockDate', 'serverDate', 'recordType', 'success', 'keyboardPwd', 'username'];

export function RecordExport({ range, kind }: { range: RecordRange; kind: string }) {
  const { client, toasts } = useApp();
  const { records: strings } = useStrings();
  const problemText = useProblemText();
  const [percent, setPercent] = useState<number>();

  async function save(): Promise<void> {
    setPercent(0);
    try {
      const lines: string[][] = [];
      let seen = 0;
      for await (const { rows, total } of allRows<LockRecord>(
        client,
        'lock/records',
        { ...range },
        recordIdOf,
        new AbortController().signal,
      )) {
        seen += rows.length;
        setPercent(Math.min(100, Math.round((100 * seen) / Math.max(1, total))));
        for (const row of rows) if (kind === '' || row.recordType === kind) lines.push(lineOf(row));
      }
      if (lines.length > 0) saveAs(`records-of-lock-${range.lockId}.csv`, csvText([header, ...lines]));
      toasts.show('good', lines.length > 0 ? strings.exported(lines.length) : strings.noExport);
    } catch (error) {
      toasts.show('bad', problemText(error));
    } finally {
      setPercent(undefined);
    }
  }
  return (
    <Button busy={percent !== undefined} onClick={() => void save()}>
      {percent === undefined ? strings.export : strings.exporting(percent)}
    </Button>
  );
}

function lineOf({ recordId, lockDate, serverDate, recordType, success, keyboardPwd, username }: LockRecord): string[] {
  const date = (ms: number) => new Date(ms).toISOString();
  return [String(recordId), date(lockDate), date(serverDate), recordType, String(success), keyboardPwd, username];
}
