// What the bench asks of people and their grants over HTTP.
import type { Address } from './daemon.ts';
import { cardOfPerson } from './people-seed.ts';

const header = 'Person,Name,Card Number,From,To';

/** What a dry run answers, of which an import is applied. */
export interface PlannedTable {
  readonly importId: string;
  readonly plan: string;
  readonly errors: readonly unknown[];
}

/** A table of so many people for these doors; a third of its cells opens: with 'Y', or with the name of a schedule. */
export function importTable(doors: readonly string[], lines: number, opening = 'Y'): string {
  const rows = Array.from({ length: lines }, (_, n) => {
    const cells = doors.map((_door, place) => ((n + place) % 3 === 0 || doors.length === 1 ? opening : ''));
    return `HR-${n + 1},Resident ${n + 1},${cardOfPerson(n + 1)},2026-01-01,2036-12-31,${cells.join(',')}`;
  });
  return `${header},${doors.join(',')}\n${rows.join('\n')}\n`;
}

interface AskedSite {
  readonly http: Address;
  readonly token: string;
}

interface Sent {
  readonly csv?: string;
  readonly body?: object;
}

/** Sends a request to the daemon; throws when it is refused. */
export async function askSite<Answer>({ http, token }: AskedSite, method: string, path: string, { csv, body }: Sent = {}): Promise<Answer> {
  const response = await fetch(`http://${http.host}:${http.port}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(csv !== undefined && { 'Content-Type': 'text/csv' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...((csv ?? body) !== undefined && { body: csv ?? JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  const text = await response.text();
  return (response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text) as Answer;
}
