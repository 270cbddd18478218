// What an event says of a passcode that the gateway has: whose it was, and that a one-time code is used up.
import { mask } from '../records/passcode-privacy.ts';
import { type DraftToFill, isRemote, type RecordDraft } from '../records/record.ts';
import type { CardId } from './card.ts';
import type { Entry } from './entry.ts';
import type { LockEntries } from './lock-entries.ts';

/** How wrong the clock of a lock may be. */
const toleranceMs = 60_000;

/** The record of an event with this passcode. One from before somebody made the passcode is of another holder, whom nobody knows. */
export function withPasscode(made: DraftToFill, { entryId, name, createdAt }: Entry): RecordDraft {
  if (made.lockDate < createdAt - toleranceMs) {
    if (made.credential === '') made.credential = mask;
    return made;
  }
  made.entryId = entryId;
  if (!isRemote(made.type) && name !== '') made.username = name;
  return made;
}

/** The one-time passcode that this event has used up. */
export function spentBy({ success, entryId }: RecordDraft, held: LockEntries): readonly CardId[] {
  const entry = success && entryId !== undefined ? held.byId(entryId as CardId) : undefined;
  if (entry === undefined || entry.used) return [];
  const windows = [entry.direct, entry.held?.window, entry.held?.before];
  return windows.some((window) => window?.once === true) ? [entry.entryId] : [];
}
