// The routes of locks (Specification 4.1, HTTP API 5).
import type { LockService } from '../../domain/locks/lock-service.ts';
import { paginate } from '../../domain/page.ts';
import type { RecordService } from '../../domain/records/record-service.ts';
import { autoLock, lockList, lockRename, lockSettings, oneLock, recordRange, wholeLockList } from '../pipeline/query.ts';
import { type Answer, done, ok, type Route, route } from '../pipeline/route.ts';
import { createPageText } from './page-text.ts';
import { batteryLevelView, batteryView, boltView, lockDetailView, lockItemView, pageView, recordView, wholeRecordView } from './views.ts';

/** Specification 4.1 and HTTP API 5. The services check the caller's rights and whether the lock exists. */
export function lockRoutes(locks: LockService, records: RecordService): readonly Route[] {
  const recordPage = createPageText(recordView);
  const wholeRecordPage = createPageText(wholeRecordView);
  return [
    route('POST', '/api/v1/lock/unlock', 'unlock', oneLock, async ({ caller, parameters: { lockId }, gone }) =>
      ok(boltView(await locks.setBolt(caller, lockId, 'unlocked', gone))),
    ),
    route('POST', '/api/v1/lock/lock', 'lock', oneLock, async ({ caller, parameters: { lockId }, gone }) =>
      ok(boltView(await locks.setBolt(caller, lockId, 'locked', gone))),
    ),
    route('GET', '/api/v1/lock/state', 'lockState', oneLock, ({ caller, parameters: { lockId } }) =>
      stateAnswer(locks.state(caller, lockId)),
    ),
    route('GET', '/api/v1/lock/list', 'listLocks', lockList, ({ caller, parameters: { page, wanted } }) =>
      ok(pageView(locks.list(caller, page, wanted), lockItemView)),
    ),
    route('GET', '/api/v1/lock/battery', 'battery', oneLock, ({ caller, parameters: { lockId } }) =>
      ok(batteryView(locks.battery(caller, lockId))),
    ),
    route('GET', '/api/v1/lock/battery-history', 'batteryHistory', wholeLockList, async ({ caller, parameters: { lockId, page } }) =>
      ok(pageView(paginate(await locks.batteryHistory(caller, lockId), page), batteryLevelView)),
    ),
    route('GET', '/api/v1/lock/records', 'listRecords', recordRange, async ({ caller, parameters: { lockId, range } }) => {
      const page = await records.page(caller, lockId, range);
      return page.showsPasscodes ? wholeRecordPage(page) : recordPage(page);
    }),
    route('POST', '/api/v1/lock/set-auto-lock-timer', 'setAutoLockTimer', autoLock, ({ caller, parameters: { lockId, seconds }, gone }) =>
      done(locks.setAutoLock(caller, lockId, seconds, gone)),
    ),
    route('GET', '/api/v1/lock/detail', 'lockDetail', oneLock, ({ caller, parameters: { lockId } }) =>
      ok(lockDetailView(locks.detail(caller, lockId))),
    ),
    route('PUT', '/api/v1/lock/rename', 'renameLock', lockRename, ({ caller, parameters: { lockId, alias } }) =>
      done(locks.rename(caller, lockId, alias)),
    ),
    route('PUT', '/api/v1/lock/settings', 'changeLockSettings', lockSettings, ({ caller, parameters: { lockId, settings }, gone }) =>
      done(locks.changeSettings(caller, lockId, settings, gone)),
    ),
  ];
}

/** The body has only what the specification says; headers say how old the state is and whether it is certain (HTTP API 5.2). */
function stateAnswer({ state, stateAt, online, sure }: ReturnType<LockService['state']>): Answer {
  const now = ['Latchd-Lock-Online', String(online), 'Latchd-State-Sure', String(sure)];
  const headers = ['Last-Modified', new Date(stateAt).toUTCString(), ...now];
  return { headers, body: { state } };
}
