// What a person did: records are put down to who had the number at their lockDate, whenever they arrived (HTTP API 12.9).
import { sameCard } from '../credentials/card.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockRecord } from '../records/record.ts';
import type { RecordStore } from '../records/record-ports.ts';
import type { AccessLine } from './access-log.ts';
import { byTopic, linesAt } from './lines-at.ts';

export interface PersonRecordsQuestion {
  readonly personId: number;
  /** Lowest and highest lockDate, both included. */
  readonly startDate: number;
  readonly endDate: number;
}

export interface PersonRecord {
  readonly record: LockRecord;
  readonly personId: number;
  readonly credentialId: number | null;
}

interface PersonEntry {
  readonly entryId: number;
  readonly kind: 'card' | 'passcode';
  /** As records have it. */
  readonly number: string;
  /** About what the lock holds, and about who wants it. */
  readonly topics: readonly (readonly AccessLine[])[];
}

/** Records that are read at a time. */
const chunk = 1_000;

/** Newest first. `lines`: of the entries of this person, in their order. */
export async function recordsOf(options: {
  readonly records: Pick<RecordStore, 'page'>;
  readonly entries: Pick<EntryStore, 'of'>;
  readonly lines: readonly AccessLine[];
  readonly shown: readonly LockId[];
  readonly question: PersonRecordsQuestion;
}): Promise<PersonRecord[]> {
  const { records, entries, lines, shown, question } = options;
  const { personId, startDate: from, endDate: to } = question;
  const found: PersonRecord[] = [];
  for (const lockId of shown) {
    const ofPerson = await entriesOf(lines, lockId, entries);
    if (ofPerson.length === 0) continue;
    for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
      const page = await records.page({ lockId, from, to, pageNo, pageSize: chunk });
      pages = page.pages;
      for (const record of page.list) {
        const credentialId = credentialOf(record, ofPerson, personId);
        if (credentialId !== undefined) found.push({ record, personId, credentialId });
      }
    }
  }
  return found.sort((a, b) => b.record.recordId - a.record.recordId);
}

/** The number of a passcode is in no line: it is known while the lock has it. */
async function entriesOf(lines: readonly AccessLine[], lockId: LockId, entries: Pick<EntryStore, 'of'>): Promise<readonly PersonEntry[]> {
  const topics = byTopic(lines.filter((line) => line.lockId === lockId));
  const byEntry = new Map<number, (readonly AccessLine[])[]>();
  for (const ofTopic of topics.values()) {
    const entryId = ofTopic[0]?.entryId ?? 0;
    byEntry.set(entryId, [...(byEntry.get(entryId) ?? []), ofTopic]);
  }
  const stored = (await entries.of(lockId)).entries;
  return [...byEntry].flatMap(([entryId, ofEntry]) => {
    const [line] = ofEntry.flat();
    const kind = line?.kind ?? 'card';
    const number = line?.number ?? stored.find((entry) => entry.entryId === entryId)?.number;
    return number === undefined ? [] : [{ entryId, kind, number: kind === 'card' ? sameCard(number) : number, topics: ofEntry }];
  });
}

/** The credential of the person that was used; undefined: the record is not this person's. */
function credentialOf(
  { type, credential, lockDate }: LockRecord,
  entries: readonly PersonEntry[],
  personId: number,
): number | null | undefined {
  const kind = type.startsWith('card-') ? 'card' : type.startsWith('passcode-') ? 'passcode' : undefined;
  if (kind === undefined || credential === '') return undefined;
  const number = kind === 'card' ? sameCard(credential) : credential;
  for (const entry of entries) {
    if (entry.kind !== kind || entry.number !== number) continue;
    // What is gone, or wanted by nobody, is nobody's: its line may still have the name of before.
    const lines = entry.topics.flatMap((topic) => linesAt(topic, lockDate).lines);
    const line = lines.find((one) => one.personId === personId && one.what !== 'gone' && one.what !== 'unwanted');
    if (line !== undefined) return line.credentialId;
  }
  return undefined;
}
