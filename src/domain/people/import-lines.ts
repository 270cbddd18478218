// Reads the lines of a table: who each is about, and what all lines of a person say together.
import { everyForm } from '../credentials/byte-order.ts';
import { greatestCardNumber, sameCard } from '../credentials/card.ts';
import { type DoorCell, readDate, type ScheduleNames, type TableColumns, tableHeaders } from './import-columns.ts';
import type { Table, TableLine, TableProblems } from './import-table.ts';
import type { LocalDays } from './local-days.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { Person, PersonId, ScheduleId } from './person.ts';

/** Dates and hours at which doors are to open: what a grant has one of. */
export interface Times {
  readonly startDate: number;
  readonly endDate: number;
  readonly scheduleId: ScheduleId | null;
}

/** What all lines of one person say. */
export interface WantedPerson {
  /** The first one. */
  readonly line: number;
  /** undefined: a new person. */
  readonly person: Person | undefined;
  readonly externalId: string | null;
  /** Empty: it is not said. */
  name: string;
  /** Canonical numbers, with the line of each; none: the table does not say which cards. */
  readonly cards: Map<string, number>;
  /** The doors of which the table says when they open, by key. */
  readonly said: Set<string>;
  /** When which doors open, by `keyOfTimes`. */
  readonly opens: Map<string, { readonly times: Times; readonly line: number; readonly doors: Set<string> }>;
}

export interface LineContext {
  readonly columns: TableColumns;
  readonly problems: TableProblems;
  readonly people: Pick<LocalPeopleView, 'get' | 'byExternalId' | 'byCardNumbers'>;
  readonly schedules: ScheduleNames;
  readonly days: LocalDays;
}

const longestText = 64;

export function keyOfTimes({ startDate, endDate, scheduleId }: Times): string {
  return `${startDate} ${endDate} ${scheduleId}`;
}

/** The people of the table in the order of their first lines. It yields now and then, so that other work may run. */
export function* readPeople(
  table: Table,
  context: LineContext,
): Generator<undefined, { readonly lines: number; readonly people: readonly WantedPerson[] }> {
  const people = new Map<string, WantedPerson>();
  const holders = new Map<string, { readonly who: string; readonly line: number }>();
  const lines = yield* table.readLines((line) => readLine(line, context, people, holders));
  return { lines, people: [...people.values()] };
}

function readLine(
  { line, cells }: TableLine,
  context: LineContext,
  people: Map<string, WantedPerson>,
  holders: Map<string, { readonly who: string; readonly line: number }>,
): void {
  const { columns, problems } = context;
  const cellOf = (index: number | undefined): string => (index === undefined ? '' : (cells[index] ?? ''));
  const card = readCard(line, cellOf(columns.card), problems);
  const identity = card === undefined ? undefined : identify(line, cellOf(columns.person), card, context);
  const dates = readDates(line, cellOf(columns.from), cellOf(columns.to), context);
  const doors = readDoors({ line, cells }, context);
  const name = cellOf(columns.name);
  checkText(line, tableHeaders.name, name, problems);
  if (card === undefined || identity === undefined) return;
  if (card !== '') requireOneHolder(line, card, identity, context, holders);

  const wanted = people.get(identity.key) ?? newWanted(line, identity);
  people.set(identity.key, wanted);
  if (wanted.name === '') wanted.name = name;
  else if (name !== '' && name !== wanted.name)
    problems.add(line, tableHeaders.name, `differs from line ${wanted.line} of the same person`);
  if (card !== '' && !wanted.cards.has(card)) wanted.cards.set(card, line);
  for (const { key } of doors.filter(({ cell }) => cell !== 'as-it-is')) wanted.said.add(key);
  if (dates === undefined) return;
  for (const { key, cell } of doors) {
    if (typeof cell === 'string') continue;
    const times = { ...dates, scheduleId: cell.scheduleId };
    const opens = wanted.opens.get(keyOfTimes(times)) ?? { times, line, doors: new Set<string>() };
    wanted.opens.set(keyOfTimes(times), opens);
    opens.doors.add(key);
  }
}

function newWanted(line: number, { person, externalId }: Identity): WantedPerson {
  return { line, person, externalId, name: '', cards: new Map(), said: new Set(), opens: new Map() };
}

/** The canonical number; empty: none; undefined: the cell is wrong. */
function readCard(line: number, cell: string, problems: TableProblems): string | undefined {
  if (cell === '') return '';
  if (/^\d{1,20}$/.test(cell) && BigInt(cell) <= greatestCardNumber) return sameCard(cell);
  problems.add(line, tableHeaders.card, 'must be 1 to 20 decimal digits of a number that fits in 8 bytes');
  return undefined;
}

interface Identity {
  readonly key: string;
  readonly person: Person | undefined;
  readonly externalId: string | null;
}

/** Who the line is about: by `Person`, else by the card. */
function identify(line: number, cell: string, card: string, { problems, people, columns }: LineContext): Identity | undefined {
  const numbered = /^person:([1-9]\d{0,14})$/i.exec(cell)?.[1];
  if (numbered !== undefined) {
    const person = people.get(Number(numbered) as PersonId);
    if (person !== undefined && !person.removed) return identityOf(person);
    problems.add(line, tableHeaders.person, `there is no person ${numbered}`);
    return undefined;
  }
  if (cell !== '') {
    if (!checkText(line, tableHeaders.person, cell, problems)) return undefined;
    const person = people.byExternalId(cell);
    return person === undefined ? { key: `new ${cell}`, person: undefined, externalId: cell } : identityOf(person);
  }
  if (card === '') {
    const names = columns.person === undefined ? tableHeaders.card : `${tableHeaders.person} or ${tableHeaders.card}`;
    problems.add(line, null, `says of nobody: it needs a ${names}`);
    return undefined;
  }
  const holder = people.byCardNumbers([card]).find(({ person }) => !person.removed)?.person;
  return holder === undefined ? { key: `card ${card}`, person: undefined, externalId: null } : identityOf(holder);
}

function identityOf(person: Person): Identity {
  return { key: `person ${person.personId}`, person, externalId: person.externalId };
}

/** A card belongs to one person, under whichever number a reader knows it: of the gateway, and of the table. */
function requireOneHolder(
  line: number,
  card: string,
  { key, person }: Identity,
  { problems, people }: LineContext,
  holders: Map<string, { readonly who: string; readonly line: number }>,
): void {
  const forms = everyForm(card);
  const other = people.byCardNumbers(forms).find((holder) => holder.person.personId !== person?.personId);
  if (other !== undefined)
    problems.add(
      line,
      tableHeaders.card,
      other.person.removed
        ? 'belongs to somebody who is being removed, until every lock has confirmed that'
        : `belongs to person:${other.person.personId}, who must give it back first`,
    );
  const earlier = forms.map((form) => holders.get(form)).find((holder) => holder !== undefined && holder.who !== key);
  if (earlier !== undefined) problems.add(line, tableHeaders.card, `is in line ${earlier.line}, too, which is about somebody else`);
  else holders.set(card, { who: key, line });
}

function readDates(line: number, from: string, to: string, { days, problems }: LineContext): Omit<Times, 'scheduleId'> | undefined {
  const startDate = readDate(from, 'from', days);
  const endDate = readDate(to, 'to', days);
  const message = 'must be a date such as 2026-12-31, or empty';
  if (startDate === undefined) problems.add(line, tableHeaders.from, message);
  if (endDate === undefined) problems.add(line, tableHeaders.to, message);
  if (startDate === undefined || endDate === undefined) return undefined;
  if (endDate === 0 || endDate >= startDate) return { startDate, endDate };
  problems.add(line, tableHeaders.to, `is before ${tableHeaders.from}`);
  return undefined;
}

function readDoors({ line, cells }: TableLine, { columns, schedules, problems }: LineContext) {
  const doors: { readonly key: string; readonly cell: DoorCell }[] = [];
  for (const { key, index, header } of columns.doors) {
    const cell = schedules.read(cells[index] ?? '');
    if (cell === undefined) problems.add(line, header, 'is not Y, N or the name of a schedule');
    else doors.push({ key, cell });
  }
  return doors;
}

function checkText(line: number, column: string, text: string, problems: TableProblems): boolean {
  const isGood = text.isWellFormed() && !/\p{Cc}/u.test(text) && (text.length <= longestText || [...text].length <= longestText);
  if (!isGood) problems.add(line, column, `must have at most ${longestText} characters, none of them a control character`);
  return isGood;
}
