// What has just happened at a door, as events that Home Assistant shows once and never again. They are not retained: nobody is to read tomorrow
// that a door opens now. No card number and no passcode is in them.
import { type LockRecord, recordLabel } from '../../domain/records/record.ts';

/** All types of events; Home Assistant drops any other. */
export const homeEventTypes = ['unlock', 'lock', 'refused', 'door_opened', 'door_closed', 'jammed', 'tamper', 'duress', 'other'] as const;
type HomeEventType = (typeof homeEventTypes)[number];

/** Why a command of Home Assistant did nothing. */
export interface HomeRefusal {
  /** One word, such as `late`. */
  readonly reason: string;
  /** With `late`: how old the command was; below 0 when its date was ahead. */
  readonly ageMs?: number;
  /** With `failed`: what the lock said. */
  readonly detail?: string;
}

const namedTypes: Readonly<Record<string, HomeEventType>> = {
  'door-open': 'door_opened',
  'door-close': 'door_closed',
  jammed: 'jammed',
  tamper: 'tamper',
  duress: 'duress',
};
/** What happened longer ago is no event but history: it is in the records. */
const liveMs = 60_000;

/** The type of the event of a record. */
export function homeEventType({ type, success }: Pick<LockRecord, 'type' | 'success'>): HomeEventType {
  // An alarm and a door are what they are; a lock says of a jam that it did not succeed.
  const named = Object.hasOwn(namedTypes, type) ? namedTypes[type] : undefined;
  if (named !== undefined) return named;
  if (!success) return 'refused';
  if (type.endsWith('-unlock')) return 'unlock';
  return type.endsWith('-lock') ? 'lock' : 'other';
}

/** `IC card` of `unlock by IC card`. */
function methodOf(type: string): string {
  return recordLabel(type).replace(/^(?:unlock|lock) (?:by )?/, '');
}

/** The event of a record; undefined: it is too old. `showsUser`: the account may know who it was. */
export function recordEventText(record: LockRecord, now: number, showsUser: boolean): string | undefined {
  const { type, success, username, recordId, lockDate } = record;
  if (now - lockDate >= liveMs) return undefined;
  return JSON.stringify({
    event_type: homeEventType(record),
    method: methodOf(type),
    user: showsUser && username !== '' ? username : null,
    success,
    record_id: recordId,
    at: new Date(lockDate).toISOString(),
  });
}

/** The body of a refusal, for its own topic and as an event. `at`: epoch milliseconds of the refusal. */
export function refusalTexts({ reason, ageMs, detail }: HomeRefusal, at: number): { readonly refused: string; readonly event: string } {
  const body = { reason, at, ...(ageMs !== undefined && { age_ms: ageMs }), ...(detail !== undefined && { detail }) };
  return { refused: JSON.stringify(body), event: JSON.stringify({ event_type: 'refused', ...body }) };
}
