// Whether what an import is about is still as its plan saw it.
import type { Secrets } from '../secrets.ts';
import { createDoorNames, createScheduleNames, keyOfDoor, type TableNames } from './import-columns.ts';
import type { ImportStep, StoredImport } from './import-ports.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { Person } from './person.ts';
import type { PersonTarget, TargetGrant } from './person-target.ts';
import type { ImportPlan, PlannedPerson } from './planned-import.ts';

type Hash = Pick<Secrets, 'hash'>['hash'];

const stepsAtOnce = 100;

/** Of everything of a person but codes, which must not be guessed from a hash. */
export function baseOf(person: Person, hash: Hash): string {
  const credentials = person.credentials.map(({ number, ...rest }) => (rest.kind === 'card' ? { ...rest, number } : rest));
  return hash(JSON.stringify({ ...person, credentials }));
}

function stepOf({ line, before, target }: PlannedPerson, hash: Hash): ImportStep {
  const personId = before?.personId ?? null;
  return { line, personId, base: before === undefined ? null : baseOf(before, hash), target: target ?? null };
}

/** Over the doors of a table, the locks in their groups, and all schedules. It yields now and then. */
export function* hashSurroundings(doors: StoredImport['doors'], names: TableNames, hash: Hash): Generator<undefined, string> {
  const meant = yield* createDoorNames(names);
  const inGroup = new Map<number, number[]>();
  for (const { groupId, lockId } of names.locks) {
    const group = inGroup.get(groupId);
    if (group === undefined) inGroup.set(groupId, [lockId]);
    else group.push(lockId);
  }
  const written = createScheduleNames(names.schedules);
  let sum = hash(
    JSON.stringify(names.schedules.map((schedule) => [schedule.scheduleId, written.write(schedule.scheduleId), schedule.hours])),
  );
  for (const { header } of doors) {
    const found = meant.meantBy(header);
    const locks = found.map((door) => ('groupId' in door ? inGroup.get(door.groupId) : door.lockId));
    sum = hash(JSON.stringify([sum, header, found.map(keyOfDoor), locks]));
    yield;
  }
  return sum;
}

/** The hash of the whole plan, and its steps. It yields now and then. */
export function* stepsOf(
  { people, doors }: Pick<ImportPlan, 'people' | 'doors'>,
  { absent, names, hash }: { readonly absent: string; readonly names: TableNames; readonly hash: Hash },
): Generator<undefined, { readonly steps: readonly ImportStep[]; readonly plan: string; readonly surroundings: string }> {
  const surroundings = yield* hashSurroundings(doors, names, hash);
  let plan = hash(JSON.stringify([absent, surroundings]));
  const steps: ImportStep[] = [];
  for (const person of people) {
    if (steps.length % stepsAtOnce === stepsAtOnce - 1) yield;
    const step = stepOf(person, hash);
    steps.push(step);
    plan = hash(plan + JSON.stringify(step));
  }
  return { steps, plan, surroundings };
}

/** Who has changed since the plan was made, as far as the first one; undefined: nobody. It yields now and then. */
export function* changedSince(
  steps: readonly ImportStep[],
  people: LocalPeopleView,
  hash: Hash,
): Generator<undefined, ImportStep | undefined> {
  let count = 0;
  for (const step of steps) {
    if (++count % stepsAtOnce === 0) yield;
    const person = step.personId === null ? personMeant(step, people) : people.get(step.personId);
    if ((person === undefined ? null : baseOf(person, hash)) !== step.base) return step;
  }
  return undefined;
}

/** The person whom a step that adds one would find now: by the external id, or by a card. */
export function personMeant({ target }: ImportStep, people: LocalPeopleView): Person | undefined {
  if (target === null) return undefined;
  if (target.externalId !== null) return people.byExternalId(target.externalId);
  const numbers = target.credentials.flatMap((one) => (typeof one === 'number' ? [] : [one.number]));
  return people.byCardNumbers(numbers)[0]?.person;
}

/** Whether the step has been done already, before a crash. */
export function isAsTargeted(person: Person, target: PersonTarget): boolean {
  const { credentials, grants } = person;
  const has = (one: PersonTarget['credentials'][number]): boolean =>
    credentials.some(({ credentialId, kind, number }) =>
      typeof one === 'number' ? credentialId === one : kind === one.kind && number === one.number,
    );
  const hasGrant = (one: TargetGrant): boolean =>
    grants.some((grant) => (one.grantId === null || one.grantId === grant.grantId) && saidOf(grant) === saidOf(one));
  return (
    person.name === target.name &&
    person.externalId === target.externalId &&
    credentials.length === target.credentials.length &&
    grants.length === target.grants.length &&
    target.credentials.every(has) &&
    target.grants.every(hasGrant)
  );
}

function saidOf({ lockIds, groupIds, startDate, endDate, scheduleId }: TargetGrant): string {
  const sorted = (ids: readonly number[]): number[] => [...ids].sort((one, other) => one - other);
  return JSON.stringify([sorted(lockIds), sorted(groupIds), startDate, endDate, scheduleId]);
}
