// People and their grants as a table that an import reads back as `unchanged` (Decision 46). What it cannot say it leaves out, and an
// import lets that be: passcodes, lost cards, grants that have ended, doors that are gone, suspensions.
import { createDoorNames, createScheduleNames, tableHeaders, writeDate } from './import-columns.ts';
import { keyOfTimes, type Times } from './import-lines.ts';
import { cellText } from './import-table.ts';
import { doorsOfGrant, hasGrantEnded } from './import-target.ts';
import type { Person } from './person.ts';
import type { ImportWorld } from './planned-import.ts';

export type Separator = ',' | ';' | '\t';

/** The doors of one line, with what its cells say. */
interface WrittenLine {
  readonly times: Times;
  /** What is written in the cell of each door. */
  readonly cells: Map<string, string>;
}

const peopleAtOnce = 500;
const textAtOnce = 16_384;

/**
 * Yields the text piece by piece, after each piece other work may run. The doors are those that somebody of these people may open, locks
 * first. A person has as many lines as it takes: one for each pair of dates, each schedule of a door, and each card.
 */
export function* exportTable(
  people: readonly Person[],
  { locks, schedules, days, now }: Pick<ImportWorld, 'locks' | 'schedules' | 'days' | 'now'>,
  separator: Separator,
): Generator<string> {
  const naming = createDoorNames({ locks });
  let names = naming.next();
  for (; names.done !== true; names = naming.next()) yield '';
  const doorNames = names.value;
  const keys = new Set<string>();
  let seen = 0;
  for (const { grants } of people) {
    if (++seen % peopleAtOnce === 0) yield '';
    for (const grant of grants)
      if (!hasGrantEnded(grant, now)) for (const key of doorsOfGrant(grant)) if (doorNames.has(key)) keys.add(key);
  }
  const doors = [...keys].sort(byKindAndId);
  const hours = createScheduleNames(schedules);
  const lineOf = (cells: readonly string[]): string => `${cells.map((cell) => cellText(cell, separator)).join(separator)}\r\n`;
  let text = `\uFEFF${lineOf([...Object.values(tableHeaders), ...doors.map((key) => doorNames.headerOf(key))])}`;
  for (const person of people) {
    const cards = person.credentials.filter(({ kind, lost }) => kind === 'card' && lost === null).map(({ number }) => number);
    const lines = linesOf(person, now, (scheduleId) => hours.write(scheduleId));
    for (let n = 0; n < Math.max(cards.length, lines.length, 1); n++) {
      const line = lines[Math.min(n, lines.length - 1)];
      const dates = [writeDate(line?.times.startDate ?? 0, 'from', days), writeDate(line?.times.endDate ?? 0, 'to', days)];
      const card = cards[Math.min(n, cards.length - 1)] ?? '';
      text += lineOf([personCell(person), person.name, card, ...dates, ...doors.map((key) => line?.cells.get(key) ?? 'N')]);
    }
    if (text.length < textAtOnce) continue;
    yield text;
    text = '';
  }
  yield text;
}

function byKindAndId(one: string, other: string): number {
  const [kind = '', id] = one.split(':');
  const [otherKind = '', otherId] = other.split(':');
  return kind === otherKind ? Number(id) - Number(otherId) : kind === 'lock' ? -1 : 1;
}

/** Such that an import finds this very person. */
function personCell({ personId, externalId }: Person): string {
  return externalId === null || externalId.trim() === '' || /^person:/i.test(externalId) ? `person:${personId}` : externalId;
}

/** Lines of equal dates are one line, unless a door has several schedules at these dates. */
function linesOf({ grants }: Person, now: number, written: (scheduleId: Times['scheduleId']) => string): readonly WrittenLine[] {
  const lines: WrittenLine[] = [];
  for (const grant of grants) {
    if (hasGrantEnded(grant, now)) continue;
    const dates = keyOfTimes({ ...grant, scheduleId: null });
    const same = lines.filter(({ times }) => keyOfTimes({ ...times, scheduleId: null }) === dates);
    const cell = written(grant.scheduleId);
    for (const key of doorsOfGrant(grant)) {
      if (same.some(({ cells }) => cells.get(key) === cell)) continue;
      let line = same.find(({ cells }) => !cells.has(key));
      if (line === undefined) {
        line = { times: grant, cells: new Map() };
        lines.push(line);
        same.push(line);
      }
      line.cells.set(key, cell);
    }
  }
  return lines;
}
