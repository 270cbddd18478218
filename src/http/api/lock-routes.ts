// The lock endpoints at a glance (Specification 4.1, HTTP API 5).
import type { LockService, LockView } from '../../domain/locks/lock-service.ts';
import { paginate } from '../../domain/page.ts';
import type { LockRecord } from '../../domain/records/record.ts';
import type { RecordService } from '../../domain/records/record-service.ts';
import { autoLock, lockList, lockRename, lockSettings, oneLock, recordRange, wholeLockList } from '../pipeline/query.ts';
import type { KeptTexts } from '../pipeline/rendered-json-cache.ts';
import { type Answer, done, type JsonRoute, jsonRoute, ok, type Route, route } from '../pipeline/route.ts';
import { batteryLevelView, batteryView, lockDetailView, lockItemView, moveView, pageText, pageView, recordView } from './views.ts';

/**
 * Records of a larger page are read through once. Their texts would push out those that are asked for again: with nine million records and
 * pages of 1,000 the process took 261 MB at its highest instead of 183.
 */
const mostKept = 100;

/** Specification 4.1 and HTTP API 5: who may do what, and whether the lock exists, is for the services to say. */
export function lockRoutes(locks: LockService, records: RecordService, { textOf }: KeptTexts): readonly (Route | JsonRoute)[] {
  const lockText = textOf(lockItemView, ({ lock }) => lock, shownBeside);
  const keptRecordText = textOf(recordView, ({ recordId }) => recordId);
  const recordText = (record: LockRecord): string => JSON.stringify(recordView(record));
  return [
    route('POST', '/api/v1/lock/unlock', 'unlock', oneLock, async ({ caller, parameters: { lockId }, gone }) =>
      ok(moveView(await locks.move(caller, lockId, 'unlocked', gone))),
    ),
    route('POST', '/api/v1/lock/lock', 'lock', oneLock, async ({ caller, parameters: { lockId }, gone }) =>
      ok(moveView(await locks.move(caller, lockId, 'locked', gone))),
    ),
    route('GET', '/api/v1/lock/state', 'lockState', oneLock, ({ caller, parameters: { lockId } }) =>
      stateAnswer(locks.state(caller, lockId)),
    ),
    jsonRoute('/api/v1/lock/list', 'listLocks', lockList, ({ caller, parameters: { page, wanted } }) =>
      pageText(locks.list(caller, page, wanted), lockText),
    ),
    route('GET', '/api/v1/lock/battery', 'battery', oneLock, ({ caller, parameters: { lockId } }) =>
      ok(batteryView(locks.battery(caller, lockId))),
    ),
    route('GET', '/api/v1/lock/battery-history', 'batteryHistory', wholeLockList, ({ caller, parameters: { lockId, page } }) =>
      ok(pageView(paginate(locks.batteryHistory(caller, lockId), page), batteryLevelView)),
    ),
    jsonRoute('/api/v1/lock/records', 'listRecords', recordRange, async ({ caller, parameters: { lockId, range } }) =>
      pageText(await records.page(caller, lockId, range), range.pageSize <= mostKept ? keptRecordText : recordText),
    ),
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

/** What of `lockItemView` is not in the lock's document. */
function shownBeside({ status, callerIsAdministrator }: LockView): number {
  return 2 * (status.batteryPercent ?? -1) + Number(callerIsAdministrator);
}

/** The body is the specification's alone; how old and how current it is stands in headers (HTTP API 5.2). */
function stateAnswer({ state, stateAt, online, sure }: ReturnType<LockService['state']>): Answer {
  const now = ['Latchd-Lock-Online', String(online), 'Latchd-State-Sure', String(sure)];
  const headers = ['Last-Modified', new Date(stateAt).toUTCString(), ...now];
  return { headers, body: { state } };
}
