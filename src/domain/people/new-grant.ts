// What a caller gives for credentials and grants, and whether it may be so.
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import { hasEnded, requireInOrder, sameCard } from '../credentials/card.ts';
import { invalidParameter } from '../errors.ts';
import type { GroupLocks } from '../locks/group-locks.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { ScheduleStore } from './people-ports.ts';
import type { CardWidth, Credential, CredentialId, Grant, GrantId } from './person.ts';

export type GivenGrant = Pick<Grant, 'lockIds' | 'groupIds' | 'startDate' | 'endDate' | 'scheduleId'>;

export interface GivenCredential extends Pick<Credential, 'kind' | 'number' | 'name' | 'startDate' | 'endDate'> {
  /** Absent: unknown. */
  readonly width?: CardWidth | null;
}

export interface GrantRules {
  /** Throws `invalid-parameter` unless the grant may be made, or made of `before`, which may name what is gone by now. */
  requireGood(given: GivenGrant, before: Grant | undefined): void;
  grantOf(caller: Caller, grantId: GrantId, given: GivenGrant): Grant;
  /** Throws `invalid-parameter` when it ends before it begins. */
  credentialOf(caller: Caller, credentialId: CredentialId, given: GivenCredential): Credential;
}

export function createGrantRules(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly locks: Pick<LockStore, 'get'>;
  readonly groups: Pick<GroupLocks, 'of'>;
  readonly schedules: Pick<ScheduleStore, 'get'>;
}): GrantRules {
  const { clock, locks, groups, schedules } = options;
  return {
    requireGood(given, before) {
      const { lockIds, groupIds, startDate, endDate, scheduleId } = given;
      const lock = lockIds.find((one) => locks.get(one) === undefined && !before?.lockIds.includes(one));
      if (lock !== undefined) throw invalidParameter('lockIds', `names lock ${lock}, which is not there`);
      const group = groupIds.find((one) => groups.of(one).size === 0 && !before?.groupIds.includes(one));
      if (group !== undefined) throw invalidParameter('groupIds', `names group ${group}, in which no lock is`);
      if (lockIds.length + groupIds.length === 0) throw invalidParameter('lockIds', 'must name a lock, or groupIds a group');
      if (scheduleId !== null && scheduleId !== before?.scheduleId && schedules.get(scheduleId) === undefined)
        throw invalidParameter('scheduleId', `names schedule ${scheduleId}, which is not there`);
      requireInOrder({ startDate, endDate });
      if (endDate !== before?.endDate && hasEnded({ endDate }, clock.now())) throw invalidParameter('endDate', 'must not have passed');
    },
    grantOf({ username }, grantId, { lockIds, groupIds, startDate, endDate, scheduleId }) {
      const places = { lockIds: distinct<LockId>(lockIds), groupIds: distinct(groupIds) };
      return { grantId, ...places, startDate, endDate, scheduleId, excluded: [], createdAt: clock.now(), createdBy: username };
    },
    credentialOf({ username }, credentialId, { kind, number, name, startDate, endDate, width = null }) {
      requireInOrder({ startDate, endDate });
      return {
        ...{ credentialId, kind, width, name, startDate, endDate },
        number: kind === 'card' ? sameCard(number) : number,
        ...{ lost: null, once: false, createdAt: clock.now(), createdBy: username },
      };
    },
  };
}

/** Each once, ascending. */
export function distinct<Id extends number>(ids: readonly Id[]): readonly Id[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}
