// A day whose file exists and cannot be read (Fault T4): a failing disk, wrong rights. It keeps its place among the days, so that a page
// that may need it is refused instead of leaving these records out silently.
import type { DomainError } from '../../../domain/errors.ts';
import type { DayFile, DayName, RecordPages } from './day-file.ts';

export interface UnreadableDay extends DayFile, RecordPages {
  /** The error for everybody who requests its records: `storage-unavailable`. */
  readonly problem: DomainError;
  /** Whether a later index says which events it contains. If none does, latchd cannot know whether an event is stored already. */
  readonly isCovered: boolean;
}

export function isUnreadable(day: DayFile): day is UnreadableDay {
  return 'problem' in day;
}

export function createUnreadableDay(name: DayName, isCovered: boolean, problem: DomainError): UnreadableDay {
  function refuse(): never {
    throw problem;
  }
  return {
    name,
    isCovered,
    problem,
    count: () => 0,
    newest: refuse,
    above: refuse,
    newestFirst: refuse,
    bytes: refuse,
    readAt: refuse,
    close: async () => undefined,
  };
}
