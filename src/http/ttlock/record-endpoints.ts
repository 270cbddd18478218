// TTLock's endpoint of what happened at a door.
import { DomainError } from '../../domain/errors.ts';
import { pageOf } from '../../domain/page.ts';
import { maskedCredential } from '../../domain/records/passcode-privacy.ts';
import type { RecordPage, RecordService } from '../../domain/records/record-service.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockEndpoints } from './endpoint.ts';
import { ttlockRecordRange } from './parameters.ts';
import { ttlockRecordView } from './record-view.ts';

export function ttlockRecordRoutes({ endpoint }: TtlockEndpoints, records: RecordService): readonly FacadeRoute[] {
  return endpoint('/v3/lockRecord/list', 'read', ttlockRecordRange, async ({ caller, parameters: { lockId, range, recordType } }) => {
    const page = await records.page(caller, lockId, range).catch(async (error: unknown): Promise<RecordPage> => {
      if (!(error instanceof DomainError) || error.code !== 'outside-retention') throw error;
      // Whether there is such a lock, and whose, comes before how old its records are.
      await records.page(caller, lockId, { pageNo: 1, pageSize: 1, startDate: 0, endDate: 0 });
      return { ...pageOf([], 0, range), showsPasscodes: false };
    });
    const { list, pageNo, pageSize, pages, total, showsPasscodes } = page;
    // The numbers are those of the log: programs ask for page after page until `pages`, however many lines a page has.
    const shown = list.flatMap((record) => {
      const known = ttlockRecordView(record, showsPasscodes ? record.credential : maskedCredential(record));
      return known === undefined || (recordType !== undefined && known.recordType !== recordType) ? [] : [known];
    });
    return { list: shown, pageNo, pageSize, pages, total };
  });
}
