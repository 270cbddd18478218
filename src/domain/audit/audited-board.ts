// The audit action of each method of the board, of the activity, and of the locking of a group.
import type { ActivityService } from '../activity/activity-service.ts';
import type { BoardService } from '../board/board-service.ts';
import type { GroupLockResult, GroupLockService } from '../board/group-lock.ts';
import { type AuditTable, type AuditTrail, audited } from './audit.ts';

const board: AuditTable<BoardService> = {
  version: 'not-audited',
  board: 'not-audited',
  orderGroups: ([, groupIds]) => ({ action: 'group-order', object: 'groups', detail: groupIds.slice(0, 20).join(', ') }),
  // What a person sees first is nobody else's business.
  chooseFavourites: 'not-audited',
};

const groupLock: AuditTable<GroupLockService> = {
  lockGroup: ([, groupId], results = []) => ({ action: 'group-lock', object: `group ${groupId}`, detail: counted(results) }),
};

const activity: AuditTable<ActivityService> = { page: 'not-audited' };

/** `12 locked, 1 offline`. */
function counted(results: readonly GroupLockResult[]): string {
  const counts = new Map<string, number>();
  for (const { result } of results) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
}

export const auditedActivity = (service: ActivityService, trail: AuditTrail) => audited(service, activity, trail);
export const auditedBoard = (service: BoardService, trail: AuditTrail) => audited(service, board, trail);
export const auditedGroupLock = (service: GroupLockService, trail: AuditTrail) => audited(service, groupLock, trail);
