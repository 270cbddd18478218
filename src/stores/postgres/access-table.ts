// The access log in PostgreSQL. Lines that come during a write go out together. Memory holds a fingerprint of what the last line about each topic
// says, while it stands; the database marks that line as current.
import { type AccessDraft, type AccessLine, type AccessLog, type NamedEntry, stands, topicOf } from '../../domain/access/access-log.ts';

import type { Clock } from '../../domain/clock.ts';
import { sameCard } from '../../domain/credentials/card.ts';
import type { Log } from '../../domain/part.ts';
import { retentionCutoff } from '../../domain/records/record.ts';
import { createCurrentFacts } from '../files/access/current-facts.ts';
import { createExpectedLines } from '../files/access/expected-lines.ts';
import { createAccessFacts } from './access-facts.ts';
import type { Database, Writer } from './database.ts';
import { createGroupWrites } from './group-writes.ts';
import { storageFailure } from './storage-failure.ts';

/** Lines of a statement. */
const mostAtOnce = 500;
/** Some 1 GiB. */
const mostLines = 4_000_000;
/** The lock of lines about the gateway. */
const ofGateway = 0;

const insert = `WITH input AS (
    SELECT *, row_number() OVER (PARTITION BY lock_id, topic ORDER BY o DESC) = 1 AS is_last
    FROM unnest($1::bigint[], $2::text[], $3::bool[], $4::bool[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::json[])
      WITH ORDINALITY AS i(lock_id, topic, stands, is_contact, entry_id, person_id, credential_id, number, body, o)),
  former AS (
    UPDATE access_line l SET is_current = false FROM input i WHERE i.is_last AND l.is_current AND l.lock_id = i.lock_id AND l.topic = i.topic
    RETURNING 1),
  head AS (SELECT advance('access', $11) AS last FROM (SELECT count(*) FROM former) AS done)
  INSERT INTO access_line (id, recorded_at, lock_id, topic, stands, is_current, is_contact, entry_id, person_id, credential_id, number, body)
  SELECT head.last - $11 + i.o, $10, i.lock_id, i.topic, i.stands, i.is_last, i.is_contact, i.entry_id, i.person_id, i.credential_id, i.number,
    i.body FROM input i CROSS JOIN head`;
const columns = 'SELECT id, recorded_at AS "recordedAt", body FROM access_line';
const ofLock = `${columns} WHERE lock_id = $1 AND recorded_at <= $2 ORDER BY id`;
const ofContact = `${columns} WHERE is_contact AND lock_id = ANY ($1) ORDER BY id`;
const ofEntries = `${columns} WHERE entry_id IN (SELECT entry_id FROM access_line
  WHERE person_id = $1 OR credential_id = $2 OR number = ANY ($3)) ORDER BY id`;
const naming = `SELECT DISTINCT lock_id AS "lockId", entry_id AS "entryId", credential_id AS "credentialId" FROM access_line
  WHERE person_id = $1 AND lock_id <> ${ofGateway} AND entry_id IS NOT NULL`;
/** What the database says to be so, of some locks. */
const currentOf = 'SELECT body FROM access_line WHERE is_current AND stands AND lock_id = ANY ($1)';
/** Of lines before $1 the last one about each topic stays, if it still stood then. */
const condense = `WITH old AS (DELETE FROM access_line l WHERE recorded_at < $1 AND (NOT stands OR EXISTS (
    SELECT FROM access_line later WHERE later.lock_id = l.lock_id AND later.topic = l.topic AND later.id > l.id AND later.recorded_at < $1))
    RETURNING 1)
  SELECT advance('access', 0), (SELECT count(*) FROM old) AS deleted`;
const surplusDate = 'SELECT recorded_at AS date FROM access_line ORDER BY id DESC OFFSET $1 LIMIT 1';

type LineRow = { readonly id: number; readonly recordedAt: number; readonly body: AccessDraft };

export interface AccessTable extends AccessLog {
  /** See `AccessFacts.look`; before `open`. */
  readAhead(isOver: () => boolean): Promise<void>;
  /** Reads what is so now. */
  open(): Promise<void>;
  /** Condenses what is older than `days` days or six calendar months to what still stood then. Resolves with how many lines went. */
  purge(now: number, days: number): Promise<number>;
  idle(): Promise<void>;
}

export function createAccessTable(options: {
  readonly database: Pick<Database, 'query'>;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly log: Log;
}): AccessTable {
  const { database, writer, clock, log } = options;
  const accessFacts = createAccessFacts(database.query);
  let facts = createCurrentFacts();
  let expected = createExpectedLines(facts);
  const writes = createGroupWrites<AccessDraft>(mostAtOnce, write);
  let newestAt = 0;
  let newest: Promise<unknown> = Promise.resolve();
  let failure: unknown;
  /** Locks of which a write has failed: what of it is stored is read before the next one. */
  const doubtful = new Set<number>();

  async function write(group: readonly AccessDraft[]): Promise<void> {
    const recordedAt = clock.now();
    try {
      if (doubtful.size > 0) await readAgain();
      await writer.write(insert, [...accessColumns(group), recordedAt, group.length]).catch(storageFailure);
      failure = undefined;
      newestAt = recordedAt;
      for (const draft of group) expected.arrived(draft, true);
    } catch (error) {
      failure = error;
      for (const draft of group) {
        doubtful.add(draft.lockId ?? ofGateway);
        expected.arrived(draft, false);
      }
      throw error;
    }
  }
  async function readAgain(): Promise<void> {
    const lockIds = [...doubtful];
    const rows = await database.query<{ body: AccessDraft }>(currentOf, [lockIds]).catch(storageFailure);
    for (const lockId of lockIds) facts.forget(lockId);
    for (const { body } of rows) facts.set(body);
    doubtful.clear();
  }
  async function read(sql: string, values: readonly unknown[]): Promise<readonly AccessLine[]> {
    const rows = await database.query<LineRow>(sql, values).catch(storageFailure);
    return rows.map(({ id, recordedAt, body }) => ({ id, recordedAt, ...body }));
  }

  return {
    readAhead: accessFacts.look,
    async open() {
      facts = await accessFacts.open();
      expected = createExpectedLines(facts);
      const [row] = await database.query<{ at: number | null }>('SELECT recorded_at AS at FROM access_line ORDER BY id DESC LIMIT 1');
      newestAt = row?.at ?? 0;
    },
    async append(drafts) {
      if (drafts.length === 0) return;
      for (const draft of drafts) expected.expect(draft);
      const written = Promise.all(drafts.map(writes.add));
      newest = written;
      await written;
    },
    async stored() {
      await newest.catch(() => undefined);
      if (failure !== undefined) throw failure;
    },
    ofLock: (lockId, until) => read(ofLock, [lockId ?? ofGateway, until]),
    contactOf: (lockIds) => read(ofContact, [[...lockIds, ofGateway]]),
    about: (subject) =>
      read(ofEntries, [
        'personId' in subject ? subject.personId : null,
        'credentialId' in subject ? subject.credentialId : null,
        'numbers' in subject ? subject.numbers.map(sameCard) : null,
      ]),
    async entriesOf(personId) {
      const rows = await database.query<Omit<NamedEntry, 'mayBeHeld'>>(naming, [personId]).catch(storageFailure);
      return rows.map((row) => ({ ...row, mayBeHeld: expected.mayBeHeld(row) }));
    },
    says: (draft) => expected.says(draft),
    topicsOf: (lockId) => expected.topicsOf(lockId),
    newestAt: () => newestAt,
    async purge(now, days) {
      const [surplus] = await database.query<{ date: number }>(surplusDate, [mostLines]).catch(storageFailure);
      const cutoff = retentionCutoff(now, days);
      if (surplus !== undefined && surplus.date > cutoff)
        log.warn({ code: 'access-full', lines: mostLines }, 'the oldest parts of the access log were condensed: there are too many lines');
      const [row] = await writer.write<{ deleted: number }>(condense, [Math.max(cutoff, surplus?.date ?? cutoff)]).catch(storageFailure);
      return row?.deleted ?? 0;
    },
    idle: writes.idle,
  };
}

/** The columns from `lock_id` to `body`. */
export function accessColumns(group: readonly AccessDraft[]): readonly unknown[] {
  return [
    group.map(({ lockId }) => lockId ?? ofGateway),
    group.map(topicOf),
    group.map(stands),
    group.map(({ what }) => what === 'online' || what === 'offline' || what === 'clock'),
    group.map(({ entryId }) => entryId),
    group.map(({ personId }) => personId),
    group.map(({ credentialId }) => credentialId),
    group.map(({ number }) => (number === null ? null : sameCard(number))),
    group.map((draft) => JSON.stringify(draft)),
  ];
}
