// Says which locks may want something else now, when people, schedules or the groups of locks have changed. The stores emit those changes
// when they are on the disk.
import type { DirectSchedules } from '../credentials/direct-schedules.ts';
import type { EventBus } from '../event-bus.ts';
import type { GroupLocks } from '../locks/group-locks.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import { hoursLinesOf } from './granted-numbers.ts';
import type { Slices } from './in-slices.ts';
import type { LocalPeopleView, ScheduleStore } from './people-ports.ts';
import type { Grant, Person, Schedule } from './person.ts';

const peopleAtOnce = 200;

/** Subscribes for as long as the process lives. */
export function watchWanted(options: {
  readonly events: EventBus;
  readonly people: LocalPeopleView;
  readonly schedules: Pick<ScheduleStore, 'all'>;
  readonly groups: Pick<GroupLocks, 'of' | 'changed'>;
  readonly direct: DirectSchedules;
  readonly slices: Slices;
}): void {
  const { events, people, schedules, groups, direct, slices } = options;
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
  /** It yields now and then: many people may have a schedule. Who changes meanwhile is told of by that. */
  function* reachedBySchedules(some: readonly Schedule[]): Generator<undefined, readonly LockId[]> {
    const reached = new Set<LockId>();
    for (const { scheduleId } of some) {
      const users = people.onSchedule(scheduleId);
      for (let from = 0; from < users.length; from += peopleAtOnce) {
        const grants = users.slice(from, from + peopleAtOnce).flatMap((person) => person.grants);
        for (const lockId of reachedBy(grants.filter((grant) => grant.scheduleId === scheduleId))) reached.add(lockId);
        yield;
      }
    }
    return [...reached];
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
    void slices.run(reachedBySchedules(others)).then(changed);
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
