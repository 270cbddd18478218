// What a person did: records are put down to who had the number at their lockDate, whenever they arrived (HTTP API 12.9).
import { sameCard } from '../credentials/card.ts';
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

export interface PersonEntry {
  readonly entryId: number;
  /** Of a card, without leading zeros; null: a passcode, whose records name the entry. */
  readonly number: string | null;
  /** About what the lock holds, and about who wants it. */
  readonly topics: readonly (readonly AccessLine[])[];
}

/** Records that are read at a time. */
const chunk = 1_000;

/** Newest first. `lines`: of the entries of this person, in their order. */
export async function recordsOf(options: {
  readonly records: Pick<RecordStore, 'page'>;
  readonly lines: readonly AccessLine[];
  readonly shown: readonly LockId[];
  readonly question: PersonRecordsQuestion;
}): Promise<PersonRecord[]> {
  const { records, lines, shown, question } = options;
  const { personId, startDate: from, endDate: to } = question;
  const found: PersonRecord[] = [];
  for (const lockId of shown) {
    const ofPerson = personEntriesOf(lines.filter((line) => line.lockId === lockId));
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

export function personEntriesOf(lines: readonly AccessLine[]): readonly PersonEntry[] {
  const byEntry = new Map<number, (readonly AccessLine[])[]>();
  for (const ofTopic of byTopic(lines).values()) {
    const entryId = ofTopic[0]?.entryId ?? 0;
    byEntry.set(entryId, [...(byEntry.get(entryId) ?? []), ofTopic]);
  }
  return [...byEntry].map(([entryId, topics]) => {
    const number = topics[0]?.[0]?.number ?? null;
    return { entryId, number: number === null ? null : sameCard(number), topics };
  });
}

/** The credential of the person that was used; undefined: the record is not this person's. */
export function credentialOf(record: LockRecord, entries: readonly PersonEntry[], personId: number): number | null | undefined {
  const { type, credential, lockDate, entryId } = record;
  const card = type.startsWith('card-') && credential !== '' ? sameCard(credential) : undefined;
  for (const entry of entries) {
    if (card === undefined ? entry.entryId !== entryId : entry.number !== card) continue;
    // What is gone, or wanted by nobody, is nobody's: its line may still have the name of before.
    const lines = entry.topics.flatMap((topic) => holdersAt(topic, lockDate));
    const line = lines.find((one) => one.personId === personId && one.what !== 'gone' && one.what !== 'unwanted');
    if (line !== undefined) return line.credentialId;
  }
  return undefined;
}

/** What an open command leaves unknown is what the lock held, not whose the number was. */
function holdersAt(topic: readonly AccessLine[], at: number): readonly AccessLine[] {
  const { lines } = linesAt(topic, at);
  const known = lines.findIndex(({ notAfter }) => notAfter <= at);
  return known < 0 ? lines : lines.slice(0, known + 1);
}
