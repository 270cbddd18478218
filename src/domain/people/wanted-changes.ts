// Says which locks may want something else now, when people, schedules or the groups of locks have changed. The stores emit those changes
// when they are on the disk.
import type { DirectSchedules } from '../credentials/direct-schedules.ts';
import type { EventBus } from '../event-bus.ts';
import type { GroupLocks } from '../locks/group-locks.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import { hoursLinesOf } from './granted-numbers.ts';
import type { LocalPeopleView, ScheduleStore } from './people-ports.ts';
import type { Grant, Person, Schedule } from './person.ts';

/** Subscribes for as long as the process lives. */
export function watchWanted(options: {
  readonly events: EventBus;
  readonly people: LocalPeopleView;
  readonly schedules: Pick<ScheduleStore, 'all'>;
  readonly groups: Pick<GroupLocks, 'of' | 'changed'>;
  readonly direct: DirectSchedules;
}): void {
  const { events, people, schedules, groups, direct } = options;
  /** Those of the last change; undefined: after a start the first change is taken for one of all schedules. */
  let known: readonly Schedule[] | undefined;

  function reachedBy(grants: Iterable<Grant>): readonly LockId[] {
    const reached = new Set<LockId>();
    const inGroups = new Set<number>();
    for (const { lockIds, groupIds } of grants) {
      for (const lockId of lockIds) reached.add(lockId);
      for (const groupId of groupIds) inGroups.add(groupId);
    }
    for (const groupId of inGroups) for (const lockId of groups.of(groupId)) reached.add(lockId);
    return [...reached];
  }
  function* grantsOn(some: readonly Schedule[]): Generator<Grant> {
    for (const { scheduleId } of some)
      for (const { grants } of people.onSchedule(scheduleId)) for (const grant of grants) if (grant.scheduleId === scheduleId) yield grant;
  }
  function changed(lockIds: readonly LockId[]): void {
    if (lockIds.length > 0) events.emit('wanted-changed', { lockIds });
  }
  function isReached(lock: Lock): boolean {
    return people.reaching(lock.lockId, lock.groupId).length > 0;
  }

  events.subscribe('person-changed', ({ before, after }) => changed(reachedBy(grantsTouched(before, after))));
  events.subscribe('schedules-changed', () => {
    const now = schedules.all();
    const before = new Set(known);
    const others = known === undefined ? now : now.filter((schedule) => !before.has(schedule));
    known = now;
    changed(reachedBy(grantsOn(others)));
    for (const { scheduleId } of others) void direct.locksWith(scheduleId).then(changed);
  });
  events.subscribe('lock-changed', ({ before, after }) => {
    groups.changed(before, after);
    if (before === undefined || after === undefined) {
      if (after !== undefined && isReached(after)) changed([after.lockId]);
      return;
    }
    const isOther = before.groupId !== after.groupId || hoursLinesOf(before) !== hoursLinesOf(after);
    if (isOther && (isReached(before) || isReached(after))) changed([after.lockId]);
  });
}

/** The grants, of before and after, that mean something else now. */
function grantsTouched(before: Person | undefined, after: Person | undefined): readonly Grant[] {
  const [earlier, later] = [before?.grants ?? [], after?.grants ?? []];
  const isSamePerson =
    before !== undefined &&
    after !== undefined &&
    before.credentials === after.credentials &&
    before.suspended === after.suspended &&
    before.removed === after.removed &&
    before.name === after.name;
  if (!isSamePerson) return [...earlier, ...later];
  return [...earlier.filter((grant) => !later.includes(grant)), ...later.filter((grant) => !earlier.includes(grant))];
}
