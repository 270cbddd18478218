// The lines of the activity, as JSON and as a table (HTTP API 13.3).
import type { ActivityLine } from '../../domain/activity/activity.ts';
import { cellText } from '../../domain/people/import-table.ts';
import { lockDateSource } from '../../domain/records/record.ts';
import { activityColumns } from './activity-schemas.ts';
import type { ResponseBody } from './response-schemas.ts';
import { recordView } from './views.ts';

export function activityView({ record, lockName, lockAlias, kind, personId, personName }: ActivityLine): ResponseBody<'ActivityLine'> {
  const { recordId, lockId, serverDate, recordType, success, keyboardPwd, lockDate, username } = recordView(record);
  return {
    ...{ recordId, lockId, lockName, lockAlias, serverDate, recordType, kind, success, keyboardPwd, lockDate },
    ...{ lockDateSource: lockDateSource(record), username, personId, personName, reason: record.reason ?? null },
  };
}

const dates: ReadonlySet<string> = new Set(['serverDate', 'lockDate']);

/** The first line of the table. */
export const tableHead = `\uFEFF${activityColumns.join(',')}\r\n`;

/** Lines of the table; no cell of it is a formula (`import-table.ts`). */
export function tableLines(list: readonly ActivityLine[]): string {
  return list
    .map(activityView)
    .map((view) => `${activityColumns.map((column) => cellText(cellOf(column, view[column]), ',')).join(',')}\r\n`)
    .join('');
}

function cellOf(column: string, value: string | number | null): string {
  return dates.has(column) ? new Date(value as number).toISOString() : String(value ?? '');
}
