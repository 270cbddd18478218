// The report on a lost credential: what is known of it at each lock that it was ever wanted on, or that ever held it.
import type { AccessLine, AccessLog } from '../access/access-log.ts';
import { type Caller, localAdministrator, roleSuffices } from '../accounts/account.ts';
import type { AlarmService } from '../alarms/alarm-service.ts';
import type { Clock } from '../clock.ts';
import { sameCard } from '../credentials/card.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import type { Drivers } from '../locks/driver.ts';
import { type Lock, type LockId, roleOn } from '../locks/lock.ts';
import type { LockStore, StatusStore } from '../locks/lock-ports.ts';
import type { RecordStore } from '../records/record-ports.ts';
import { entriesOfLost } from './lost-entries.ts';
import { isDead, type LockRevocation, type Revocation, type RevocationReport } from './revocation.ts';
import { revokedState } from './revoked-state.ts';

export interface RevocationReports {
  /** Each lock by lockId. Cost: of what the access log says about this credential. Rejects with `storage-unavailable`. */
  locksOf(revocation: Revocation): Promise<readonly LockRevocation[]>;
  /** As this caller may see it. */
  of(caller: Caller, revocation: Revocation): Promise<RevocationReport>;
}

/** How many of the newest records of a lock that is offline are searched for the last use. */
const recordsSearched = 200;

export function createRevocationReports(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly locks: Pick<LockStore, 'get'>;
  readonly entries: EntryStore;
  readonly accessLog: Pick<AccessLog, 'stored' | 'about'>;
  readonly statuses: Pick<StatusStore, 'get'>;
  readonly records: Pick<RecordStore, 'page'>;
  readonly alarms: Pick<AlarmService, 'active'>;
  readonly link: Pick<Drivers, 'session'>;
  /** When this lock last showed all that it holds, in its present session. */
  readonly shownAt: (lockId: LockId) => number | undefined;
  /** Whether what this lock is sent about any of these entries fails again and again. */
  readonly isFailing: (lock: Lock, entries: readonly Entry[]) => boolean;
}): RevocationReports {
  const { clock, locks, entries, accessLog, statuses, records, alarms, link, shownAt, isFailing } = options;

  async function linesOf({ credentialId, numbers }: Revocation): Promise<ReadonlyMap<LockId, readonly AccessLine[]>> {
    await accessLog.stored();
    const ofCredential = credentialId === null ? [] : await accessLog.about({ credentialId });
    const ofNumbers = numbers.length === 0 ? [] : await accessLog.about({ numbers });
    const lines = [...new Map([...ofCredential, ...ofNumbers].map((line) => [line.id, line])).values()].sort((a, b) => a.id - b.id);
    const byLock = new Map<LockId, AccessLine[]>();
    for (const line of lines) {
      if (line.lockId === null) continue;
      const ofLock = byLock.get(line.lockId) ?? [];
      byLock.set(line.lockId, ofLock);
      ofLock.push(line);
    }
    return byLock;
  }

  async function onLock(lockId: LockId, lines: readonly AccessLine[], revocation: Revocation): Promise<LockRevocation> {
    const lock = locks.get(lockId);
    const isOnline = link.session(lockId) !== undefined;
    const all = lock ? await readEntries(lockId) : undefined;
    const found = all && entriesOfLost(all, revocation);
    const mayFail = isOnline ? (found ?? []).filter(({ held }) => held !== null) : [];
    const { lastSeenAt, batteryPercent } = statuses.get(lockId);
    const state = revokedState({
      ...{ lockId, lines, isOnline, isRegistered: lock !== undefined, lastSeenAt, batteryPercent, entries: found, now: clock.now() },
      isClockRight: alarms.active('wrong-clock', lockId) === undefined,
      shownAt: shownAt(lockId),
      isFailing: lock !== undefined && isFailing(lock, mayFail),
    });
    return state.state === 'offline' ? { ...state, lastSwipe: await lastSwipe(lockId, revocation) } : state;
  }

  async function readEntries(lockId: LockId) {
    return entries.inMemory(lockId) ?? (await entries.of(lockId).catch(() => undefined));
  }

  async function lastSwipe(lockId: LockId, { numbers }: Revocation): Promise<number | null> {
    if (numbers.length === 0) return null;
    const newest = { lockId, from: 0, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: recordsSearched };
    const { list } = await records.page(newest).catch(() => ({ list: [] }));
    return list.find(({ type, credential }) => type.startsWith('card-') && numbers.includes(sameCard(credential)))?.lockDate ?? null;
  }

  async function locksOf(revocation: Revocation): Promise<readonly LockRevocation[]> {
    const lines = await linesOf(revocation);
    const lockIds = [...new Set([...lines.keys(), ...revocation.lockIds])].sort((a, b) => a - b);
    return Promise.all(lockIds.map((lockId) => onLock(lockId, lines.get(lockId) ?? [], revocation)));
  }

  return {
    locksOf,
    async of(caller, revocation) {
      const all = await locksOf(revocation);
      const seen = all.filter(({ lockId }) => {
        const lock = locks.get(lockId);
        // Who administers the machine has no roles, and could read every file.
        if (caller.accountId === localAdministrator.accountId) return true;
        return lock === undefined ? caller.gatewayAdministrator : roleSuffices(roleOn(lock, caller), 'manager');
      });
      return { revocation, ...summaryOf(all), locks: seen, hiddenLocks: all.length - seen.length };
    },
  };
}

export function summaryOf(locks: readonly LockRevocation[]): Pick<RevocationReport, 'certain' | 'doors'> {
  const open = locks.filter((lock) => !isDead(lock)).length;
  const never = locks.filter(({ state }) => state === 'never').length;
  return { certain: open === 0, doors: { dead: locks.length - open - never, open } };
}
