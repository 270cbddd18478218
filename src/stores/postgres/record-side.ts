// What grows and what is reported, in PostgreSQL: records, the access log, the audit log, the quarantine, states and batteries.
import { DomainError } from '../../domain/errors.ts';
import { allSettled } from '../files/document-stores.ts';
import { createAccessTable } from './access-table.ts';
import { createAuditLogTable } from './audit-table.ts';
import { createBatteryTable } from './battery-table.ts';
import { FencedError, type Writer } from './database.ts';
import { createQuarantineTable } from './quarantine-table.ts';
import { createRecordTables, type RecordTables, type RecordTablesOptions } from './record-tables.ts';
import { createStatusTable } from './status-table.ts';

/**
 * Everything but `records.count`, `records.newest` and `stats` may be used only between `open` and `close`. Before `open`, while this node stands in
 * for another one, everything that writes is refused (`storage-unavailable`), and what locks report is kept in memory alone.
 */
export function createRecordSide(
  options: Omit<RecordTablesOptions, 'writer'> & {
    /** Called when a write was refused because another node writes. */
    readonly onFenced: (error: Error) => void;
  },
) {
  const { database, onFenced, log } = options;
  let isOpen = false;
  function openWriter(): Writer {
    const { write } = database.openWriter();
    return {
      async write(sql, values) {
        if (!isOpen) throw new DomainError('storage-unavailable', 'This node does not serve; nothing was stored');
        return write<never>(sql, values).catch((error: unknown) => {
          if (error instanceof FencedError) onFenced(error);
          throw error;
        });
      },
    };
  }
  // Records have a connection of their own: nothing else holds up a PUBACK.
  const records = createRecordTables({ ...options, writer: openWriter() });
  const shared = { ...options, writer: openWriter() };
  const access = createAccessTable(shared);
  const audit = createAuditLogTable(shared);
  const quarantine = createQuarantineTable(shared);
  const statuses = createStatusTable(shared);
  const batteries = createBatteryTable(shared);

  return {
    ...{ records, access, audit, quarantine, statuses, batteries },
    /** Reads what `open` will need, while another node may change it; `isOver` ends it. Rejects when the database does not answer. */
    readAhead: access.readAhead,
    async open(): Promise<void> {
      isOpen = true;
      // All of them end before one is opened again.
      for (const one of await Promise.allSettled([statuses.open(), batteries.open(), access.open()]))
        if (one.status === 'rejected') throw one.reason;
      await records.open();
    },
    seal: records.seal,
    /**
     * Deletes records and access lines older than `recordDays` (30 to 184) and audit entries older than six calendar months; nothing while the
     * clock is suspect. `storage-unavailable`.
     */
    async purge(now: number, recordDays: number): ReturnType<RecordTables['purge']> {
      const outcome = await records.purge(now, recordDays);
      if (outcome.clockIsSuspect) return outcome;
      const ofAudit = await audit.purge(now);
      const ofAccess = await access.purge(now, recordDays);
      return { ...outcome, deleted: [...outcome.deleted, ...deletedText(ofAudit, 'audit'), ...deletedText(ofAccess, 'access')] };
    },
    /** Rejects with `storage-unavailable` while nobody knows what of the last events is stored. */
    async probe(): Promise<void> {
      records.requireKnown();
    },
    forgetLocks: records.forgetLocks,
    stats: records.stats,
    streamConflicts: records.streamConflicts,
    /** Waits for running writes. Never rejects. */
    async close(): Promise<void> {
      await allSettled(log, [records.close(), statuses.close(), batteries.close(), access.idle(), audit.idle(), quarantine.idle()]);
    },
  };
}

function deletedText(count: number, table: string): readonly string[] {
  return count === 0 ? [] : [`${count} of ${table}`];
}
