// What a plan changes on each lock, and where it lets somebody in.
import type { LockId } from '../locks/lock.ts';
import { keyOfDoor } from './import-columns.ts';
import { keyOfTimes, type Times } from './import-lines.ts';
import { doorsOfGrant, hasGrantEnded } from './import-target.ts';
import type { Credential, Person } from './person.ts';
import type { PersonTarget, TargetGrant } from './person-target.ts';
import type { ImportWorld, LockDifferences, PlanEffects, PlannedPerson } from './planned-import.ts';

/** What a change of grants is for one lock. */
interface LockStep {
  readonly lockId: LockId;
  readonly isOpenBefore: boolean;
  readonly isOpenAfter: boolean;
  readonly isSame: boolean;
  readonly isWidened: boolean;
}

const peopleAtOnce = 100;
const locksAtOnce = 1_000;
const stepsCached = 100_000;

/** It yields now and then, so that other work may run. */
export function* differencesOnLocks(people: readonly PlannedPerson[], world: ImportWorld): Generator<undefined, PlanEffects> {
  const changes = new Map<LockId, { lockId: LockId; added: number; removed: number; different: number }>();
  const widened = new Set<LockId>();
  const steps = new StepsOfGrants(world);
  yield* steps.begin();
  let pairsRemoved = 0;
  let work = 0;
  for (const { before, target } of people) {
    if (target === undefined) continue;
    const known = steps.of(before?.grants ?? [], target.grants);
    work += locksAtOnce / peopleAtOnce + known.length;
    if (work >= locksAtOnce) {
      work = 0;
      yield;
    }
    const credentials = countCredentials(before, target);
    pairsRemoved += removedPairs(before, target, credentials, world.now);
    for (const step of known) {
      const isActive = before?.suspended !== true;
      if (step.isWidened || (isActive && step.isOpenAfter && credentials.added > 0)) widened.add(step.lockId);
      if (isActive) count(changes, step, credentials);
    }
  }
  const pairs = yield* pairsNow(world);
  const byId = (one: { readonly lockId: LockId }, other: { readonly lockId: LockId }): number => one.lockId - other.lockId;
  return {
    locks: [...changes.values()].sort(byId),
    removesMoreThanAQuarter: pairsRemoved * 4 > pairs,
    widened: [...widened].sort((one, other) => one - other),
  };
}

interface CredentialCounts {
  readonly stay: number;
  readonly added: number;
  readonly removed: number;
}

function count(
  changes: Map<LockId, { -readonly [Key in keyof LockDifferences]: LockDifferences[Key] }>,
  step: LockStep,
  of: CredentialCounts,
) {
  const { lockId, isOpenBefore, isOpenAfter, isSame } = step;
  const added = (isOpenAfter ? of.added : 0) + (isOpenAfter && !isOpenBefore ? of.stay : 0);
  const removed = (isOpenBefore ? of.removed : 0) + (isOpenBefore && !isOpenAfter ? of.stay : 0);
  const different = isOpenBefore && isOpenAfter && !isSame ? of.stay : 0;
  if (added + removed + different === 0) return;
  const sum = changes.get(lockId) ?? { lockId, added: 0, removed: 0, different: 0 };
  changes.set(lockId, sum);
  sum.added += added;
  sum.removed += removed;
  sum.different += different;
}

const works = ({ lost }: Pick<Credential, 'lost'>): boolean => lost === null;

function countCredentials(before: Person | undefined, { credentials }: PersonTarget): CredentialCounts {
  const now = before?.credentials.filter(works) ?? [];
  const ids = new Set(credentials.filter((one) => typeof one === 'number'));
  const stay = now.filter(({ credentialId }) => ids.has(credentialId)).length;
  return { stay, added: credentials.length - ids.size, removed: now.length - stay };
}

function openDoors(grants: readonly TargetGrant[], now: number): Set<string> {
  return new Set(grants.filter((grant) => !hasGrantEnded(grant, now)).flatMap(doorsOfGrant));
}

function removedPairs(before: Person | undefined, { grants }: PersonTarget, { stay, removed }: CredentialCounts, now: number): number {
  if (before === undefined) return 0;
  const doors = openDoors(before.grants, now);
  const after = openDoors(grants, now);
  return removed * doors.size + stay * [...doors].filter((key) => !after.has(key)).length;
}

/** How many pairs of a card or passcode and a door that it opens there are now. */
function* pairsNow({ people, now }: ImportWorld): Generator<undefined, number> {
  let pairs = 0;
  let seen = 0;
  for (const { removed, credentials, grants } of people.all()) {
    if (++seen % peopleAtOnce === 0) yield;
    if (!removed && grants.length > 0) pairs += credentials.filter(works).length * openDoors(grants, now).size;
  }
  return pairs;
}

/** Many people get the same doors at the same times: the locks behind them are found once. */
class StepsOfGrants {
  readonly #world: ImportWorld;
  readonly #groupOf = new Map<LockId, number>();
  readonly #inGroup = new Map<number, LockId[]>();
  readonly #known = new Map<string, readonly LockStep[]>();
  #cached = 0;

  constructor(world: ImportWorld) {
    this.#world = world;
  }

  /** Learns which locks belong to which group. */
  *begin(): Generator<undefined> {
    for (const [at, { lockId, groupId }] of this.#world.locks.entries()) {
      if (at % locksAtOnce === locksAtOnce - 1) yield;
      this.#groupOf.set(lockId, groupId);
      const inGroup = this.#inGroup.get(groupId);
      if (inGroup === undefined) this.#inGroup.set(groupId, [lockId]);
      else inGroup.push(lockId);
    }
  }

  of(before: readonly TargetGrant[], after: readonly TargetGrant[]): readonly LockStep[] {
    const { now } = this.#world;
    const old = before.filter((grant) => !hasGrantEnded(grant, now));
    const next = after.filter((grant) => !hasGrantEnded(grant, now));
    const key = JSON.stringify([old, next].map((grants) => grants.map((grant) => [keyOfTimes(grant), grant.lockIds, grant.groupIds])));
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#find(timesOfDoors(old), timesOfDoors(next));
    this.#cached += found.length;
    if (this.#cached <= stepsCached) this.#known.set(key, found);
    return found;
  }

  #find(before: ReadonlyMap<string, readonly Times[]>, after: ReadonlyMap<string, readonly Times[]>): LockStep[] {
    const steps: LockStep[] = [];
    for (const lockId of this.#locksBehind([...before.keys(), ...after.keys()])) {
      const keys = [keyOfDoor({ lockId }), keyOfDoor({ groupId: this.#groupOf.get(lockId) ?? 0 })];
      const old = keys.flatMap((key) => before.get(key) ?? []);
      const next = keys.flatMap((key) => after.get(key) ?? []);
      const isWidened = next.some((times) => !old.some((wide) => isNoLess(wide, times)));
      const isSame = isEqual(new Set(old.map(keyOfTimes)), new Set(next.map(keyOfTimes)));
      steps.push({ lockId, isOpenBefore: old.length > 0, isOpenAfter: next.length > 0, isSame, isWidened });
    }
    return steps;
  }

  #locksBehind(keys: readonly string[]): ReadonlySet<LockId> {
    const locks = new Set<LockId>();
    for (const key of keys) {
      const [kind, digits] = key.split(':');
      const behind = kind === 'group' ? (this.#inGroup.get(Number(digits)) ?? []) : [Number(digits) as LockId];
      for (const lockId of behind) if (this.#groupOf.has(lockId)) locks.add(lockId);
    }
    return locks;
  }
}

/** The times of each door, by its key. */
function timesOfDoors(grants: readonly TargetGrant[]): ReadonlyMap<string, readonly Times[]> {
  const times = new Map<string, Times[]>();
  for (const grant of grants) {
    for (const key of doorsOfGrant(grant)) {
      const ofDoor = times.get(key);
      if (ofDoor === undefined) times.set(key, [grant]);
      else ofDoor.push(grant);
    }
  }
  return times;
}

/** Whether `wide` admits whenever `narrow` does, as far as dates and schedules say. */
function isNoLess(wide: Times, narrow: Times): boolean {
  if (wide.scheduleId !== null && wide.scheduleId !== narrow.scheduleId) return false;
  return wide.startDate <= narrow.startDate && (wide.endDate === 0 || (narrow.endDate !== 0 && narrow.endDate <= wide.endDate));
}

function isEqual(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size === others.size && [...some].every((one) => others.has(one));
}
