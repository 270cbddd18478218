// What a table of people and doors would change: computed from the table, people, locks and schedules at an instant (Decision 46).
import { createScheduleNames, readColumns, tableHeaders } from './import-columns.ts';
import { differencesOnLocks } from './import-differences.ts';
import { keyOfTimes, readPeople, type WantedPerson } from './import-lines.ts';
import { createTableProblems, readTable, type TableProblems } from './import-table.ts';
import { doorsOfGrant, grantsAtMost, hasGrantEnded, revokedTarget, targetOf } from './import-target.ts';
import type { PersonTarget } from './person-target.ts';
import type { Absent, ImportPlan, ImportWorld, PlannedPerson } from './planned-import.ts';

const peopleAtMost = 20_000;
const credentialsAtMost = 10;
const peopleAtOnce = 20;

/** A generator, so that a long table does not hold up other work: it yields now and then. */
export function* planImport(text: string, absent: Absent, world: ImportWorld): Generator<undefined, ImportPlan> {
  const problems = createTableProblems();
  const table = yield* readTable(text, problems);
  const columns = yield* readColumns(table.header, world, problems);
  // What else is wrong with the lines is said, too.
  if (columns === undefined) return failed(yield* table.readLines(() => undefined), problems);
  const context = { ...world, columns, problems, schedules: createScheduleNames(world.schedules) };
  const { lines, people: wanted } = yield* readPeople(table, context);
  if (lines === 0 && absent === 'revoke') problems.add(1, null, 'is the only line: it would take these doors from everybody');
  const people: PlannedPerson[] = [];
  for (const one of wanted) {
    if (people.length % peopleAtOnce === 0) yield;
    const target = targetOf(one, world.now);
    if (target !== undefined) requireAllowed(one, target, world.now, problems);
    people.push({ line: one.line, before: one.person, target });
  }
  const lost = new Set(absent === 'revoke' ? columns.doors.map(({ key }) => key) : []);
  const { extraneous, revoked } = yield* peopleNotIn(wanted, lost, world);
  const counts = { ...countsOf(people), extraneous };
  if (world.people.count() + counts.added > peopleAtMost)
    problems.add(1, null, `leads to more than ${peopleAtMost} people, which is the most that there can be`);
  if (problems.count() > 0) return failed(lines, problems);
  const all = [...revoked, ...people];
  const doors = columns.doors.map(({ header, key }) => ({ header, key }));
  return { lines, errors: [], errorCount: 0, doors, people: all, counts, ...(yield* differencesOnLocks(all, world)) };
}

function failed(lines: number, problems: TableProblems): ImportPlan {
  const counts = { added: 0, updated: 0, unchanged: 0, extraneous: 0 };
  const nothing = { doors: [], people: [], counts, locks: [], removesMoreThanAQuarter: false, widened: [] };
  return { lines, errors: problems.list, errorCount: problems.count(), ...nothing };
}

function requireAllowed({ line, person, opens, cards }: WantedPerson, target: PersonTarget, now: number, problems: TableProblems): void {
  const { credentials, grants } = target;
  const cardLine = [...cards.values()].at(-1) ?? line;
  if (credentials.length > credentialsAtMost)
    problems.add(cardLine, tableHeaders.card, `is one too many: a person has at most ${credentialsAtMost} cards and passcodes`);
  if (grants.length > grantsAtMost)
    problems.add(
      line,
      null,
      `leads to ${grants.length} grants of one person, of which there can be ${grantsAtMost}: too many different dates`,
    );
  for (const { times, line: at, doors } of opens.values()) {
    if (!hasGrantEnded(times, now)) continue;
    const there = new Set(person?.grants.filter((grant) => keyOfTimes(grant) === keyOfTimes(times)).flatMap(doorsOfGrant));
    if ([...doors].some((key) => !there.has(key))) problems.add(at, tableHeaders.to, 'is in the past');
  }
}

function countsOf(people: readonly PlannedPerson[]) {
  const counts = { added: 0, updated: 0, unchanged: 0 };
  for (const { before, target } of people) counts[before === undefined ? 'added' : target === undefined ? 'unchanged' : 'updated'] += 1;
  return counts;
}

/** How many people of the gateway are not in the table, and what they lose of these doors. */
function* peopleNotIn(
  wanted: readonly WantedPerson[],
  doors: ReadonlySet<string>,
  { people, now }: ImportWorld,
): Generator<undefined, { readonly extraneous: number; readonly revoked: readonly PlannedPerson[] }> {
  const there = new Set(wanted.map(({ person }) => person?.personId));
  const revoked: PlannedPerson[] = [];
  let extraneous = 0;
  let count = 0;
  for (const before of people.all()) {
    if (++count % (10 * peopleAtOnce) === 0) yield;
    if (before.removed || there.has(before.personId)) continue;
    extraneous += 1;
    const target = doors.size === 0 ? undefined : revokedTarget(before, doors, now);
    if (target !== undefined) revoked.push({ line: null, before, target });
  }
  return { extraneous, revoked };
}
