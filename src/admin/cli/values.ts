// Strict parsers for the values that people type as options and arguments.
import { WrongValue } from './command.ts';

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new WrongValue('it must be a positive integer.');
  return Number(text);
}

/** Epoch milliseconds of a date in ISO 8601 (UTC when no zone is given) or in milliseconds. */
export function instant(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  // Date.parse accepts 31 November as 1 December.
  const day = text.slice(0, 10);
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const at = Date.parse(/T.*(Z|[+-]\d{2}:\d{2})$|^[^T]*$/.test(text) ? text : `${text}Z`);
  if (!isDate || !isDay || Number.isNaN(at))
    throw new WrongValue('it must be a date such as 2026-11-01 or 2026-11-01T08:00Z, or epoch milliseconds.');
  return at;
}

/** An empty range is probably a typing mistake, so it is an error. */
export function requireDatesInOrder(from: number, to: number): void {
  if (from > to) throw new Error('--from is after --to: nothing lies between them');
}
