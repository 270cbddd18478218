// The columns of a table of people and doors, and the values of its cells: the same names are written at an export and read at an import.
import type { Lock, LockId } from '../locks/lock.ts';
import type { TableProblems } from './import-table.ts';
import type { LocalDays } from './local-days.ts';
import type { Schedule, ScheduleId } from './person.ts';

/** A lock, or the locks of a group. */
export type Door = { readonly lockId: LockId } | { readonly groupId: number };

export interface DoorColumn {
  /** The index of its cells. */
  readonly index: number;
  readonly header: string;
  /** `lock:7` or `group:2`. */
  readonly key: string;
  readonly door: Door;
}

/** Where the cells of each kind are; undefined: the table has none. */
export interface TableColumns {
  readonly person: number | undefined;
  readonly name: number | undefined;
  readonly card: number | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly doors: readonly DoorColumn[];
}

/** What a table names. */
export interface TableNames {
  readonly locks: readonly Pick<Lock, 'lockId' | 'alias' | 'groupId' | 'groupName'>[];
  readonly schedules: readonly Schedule[];
}

export const tableHeaders = { person: 'Person', name: 'Name', card: 'Card Number', from: 'From', to: 'To' } as const;

export function keyOfDoor(door: Door): string {
  return 'lockId' in door ? `lock:${door.lockId}` : `group:${door.groupId}`;
}

const plainHeader = (header: string): string => header.replaceAll(/\s/g, '').toLowerCase();
const reserved: ReadonlySet<string> = new Set(Object.values(tableHeaders).map(plainHeader));
/** Doors and columns between two places where the work may be interrupted. */
const doorsAtOnce = 500;
/** Of those that a header may mean. */
const doorsShown = 5;
const explicit = /^(lock|group|person|schedule):(\d+)$/i;

/** The doors of a building by what a header may call them. */
class DoorNames {
  readonly #byKey = new Map<string, Door>();
  readonly #byName = new Map<string, Door[]>();
  readonly #named = new Map<string, string>();

  add(door: Door, name: string): void {
    const key = keyOfDoor(door);
    if (this.#byKey.has(key)) return;
    this.#byKey.set(key, door);
    if (name.trim() === '') return;
    this.#named.set(key, name);
    for (const spelling of new Set([name, name.toLowerCase()])) {
      const named = this.#byName.get(spelling);
      if (named === undefined) this.#byName.set(spelling, [door]);
      else named.push(door);
    }
  }

  /** The doors that a header may mean: one, if all is well. */
  meantBy(header: string): readonly Door[] {
    if (explicit.test(header)) {
      const door = this.#byKey.get(header.toLowerCase());
      return door === undefined ? [] : [door];
    }
    return this.#byName.get(header) ?? this.#byName.get(header.toLowerCase()) ?? [];
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The name that means this door alone, else `lock:7`. */
  headerOf(key: string): string {
    const name = this.#named.get(key);
    const isClear = name !== undefined && !explicit.test(name) && !reserved.has(plainHeader(name));
    return isClear && (this.#byName.get(name.toLowerCase())?.length ?? 0) === 1 ? name : key;
  }
}

/** Yields now and then, so that other work may run: a building may have many doors. */
export function* createDoorNames({ locks }: Pick<TableNames, 'locks'>): Generator<undefined, DoorNames> {
  const names = new DoorNames();
  for (const [at, { lockId, alias, groupId, groupName }] of locks.entries()) {
    if (at % doorsAtOnce === doorsAtOnce - 1) yield;
    names.add({ lockId }, alias);
    if (groupId !== 0) names.add({ groupId }, groupName);
  }
  return names;
}

/** Reads the header; undefined, with problems in line 1, when a column is not clear or the table says nothing of people. */
export function* readColumns(
  header: readonly string[],
  names: TableNames,
  problems: TableProblems,
): Generator<undefined, TableColumns | undefined> {
  const before = problems.count();
  const doors: DoorColumn[] = [];
  const places = new Map<string, number>();
  const doorNames = yield* createDoorNames(names);
  for (const [index, text] of header.entries()) {
    if (index % doorsAtOnce === doorsAtOnce - 1) yield;
    const plain = plainHeader(text);
    const meant = reserved.has(plain) ? [] : doorNames.meantBy(text);
    const [door] = meant;
    const key = door === undefined ? plain : keyOfDoor(door);
    if (text === '') problems.add(1, null, `has no name for column ${index + 1}`);
    else if (meant.length > 1)
      problems.add(1, text, `is the name of several doors: write ${meant.slice(0, doorsShown).map(keyOfDoor).join(' or ')}`);
    else if (door === undefined && !reserved.has(plain)) problems.add(1, text, 'is no alias of a lock and no name of a group');
    else if (places.has(key)) problems.add(1, text, `is the same column as ${header[places.get(key) ?? 0]}`);
    else if (door !== undefined) doors.push({ index, header: text, key, door });
    if (!places.has(key)) places.set(key, index);
  }
  const placeOf = (kind: keyof typeof tableHeaders): number | undefined => places.get(plainHeader(tableHeaders[kind]));
  const columns = {
    person: placeOf('person'),
    name: placeOf('name'),
    card: placeOf('card'),
    from: placeOf('from'),
    to: placeOf('to'),
    doors,
  };
  if (columns.person === undefined && columns.card === undefined)
    problems.add(1, null, `must have a column ${tableHeaders.person} or ${tableHeaders.card}`);
  return problems.count() === before ? columns : undefined;
}

/** What a cell of a door says: nothing, that nothing opens it, that it is open at all hours, or with a schedule. */
export type DoorCell = 'as-it-is' | 'none' | { readonly scheduleId: ScheduleId | null };

export interface ScheduleNames {
  /** undefined: the cell is none of the words and names that it may be. */
  read(cell: string): DoorCell | undefined;
  write(scheduleId: ScheduleId | null): string;
}

export function createScheduleNames(schedules: readonly Schedule[]): ScheduleNames {
  const read = new Map<string, DoorCell>([
    ['', 'as-it-is'],
    ['y', { scheduleId: null }],
    ['n', 'none'],
  ]);
  const written = new Map<ScheduleId | null, string>([[null, 'Y']]);
  const spelled = new Map<string, number>();
  for (const { name } of schedules) spelled.set(name.trim().toLowerCase(), (spelled.get(name.trim().toLowerCase()) ?? 0) + 1);
  for (const { scheduleId, name } of schedules) {
    const key = `schedule:${scheduleId}`;
    const plain = name.trim().toLowerCase();
    const isClear = spelled.get(plain) === 1 && !explicit.test(plain) && !read.has(plain);
    if (isClear) read.set(plain, { scheduleId });
    read.set(key, { scheduleId });
    written.set(scheduleId, isClear ? name : key);
  }
  return {
    read: (cell) => read.get(cell.trim().toLowerCase()),
    write: (scheduleId) => written.get(scheduleId) ?? `schedule:${scheduleId}`,
  };
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/;

/** When a cell of `From` begins, or one of `To` ends, to the last millisecond; 0: open; undefined: it is no date. */
export function readDate(cell: string, side: 'from' | 'to', days: LocalDays): number | undefined {
  if (cell === '') return 0;
  const at = instant.test(cell) ? Date.parse(cell) : side === 'from' ? days.startOf(cell) : endOf(cell, days);
  return at === undefined || Number.isNaN(at) || at <= 0 ? undefined : at;
}

/** As `readDate` reads it: a whole day as a date, else the instant. */
export function writeDate(at: number, side: 'from' | 'to', days: LocalDays): string {
  if (at === 0) return '';
  const date = days.dateOf(at);
  return readDate(date, side, days) === at ? date : new Date(at).toISOString();
}

function endOf(date: string, days: LocalDays): number | undefined {
  const next = days.endOf(date);
  return next === undefined ? undefined : next - 1;
}
