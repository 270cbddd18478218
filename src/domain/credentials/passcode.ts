// Passcodes of a lock as programs see them: an entry of the kind `passcode`, and what opens the door of it as far as is known.
import type { CardId, Validity, Via } from './card.ts';
import type { Entry, ValidWindow } from './entry.ts';
import { listedWindow } from './listed-card.ts';

/** Opens once; always; for a time. */
export type PasscodeType = 'once' | 'permanent' | 'period';

export interface Passcode {
  readonly passcodeId: CardId;
  readonly lockId: Entry['lockId'];
  /** Secret. */
  readonly code: string;
  readonly name: string;
  readonly type: PasscodeType;
  readonly startDate: number;
  readonly endDate: number;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Somebody chose its digits. */
  readonly isCustom: boolean;
}

/** As for cards; `queue`: the gateway notes what is wanted, and the lock gets it as soon as it can. */
export type PasscodeVia = Via | 'queue';

export interface NewPasscode extends Validity {
  readonly type: PasscodeType;
  /** Absent: the gateway makes one of so many `digits`, or of as many as are usual. */
  readonly code?: string;
  readonly digits?: number;
  readonly scheduleId?: number;
  readonly name: string;
}

export interface NewTimes extends Validity {
  /** null: at all hours; absent: as it is. */
  readonly scheduleId?: number | null;
}

export interface ChangedPasscode {
  /** Of what the lock gets as soon as it can; absent: it is done. */
  readonly status?: 'pending' | 'updating' | 'removing' | 'ended';
}

export interface AddedPasscode extends ChangedPasscode {
  readonly passcodeId: CardId;
  /** Secret: shown to who made it. */
  readonly code: string;
}

/** Undefined: a card, or a passcode that is not listed, as cards are not. */
export function listedPasscode(entry: Entry, now: number): Passcode | undefined {
  const window = entry.kind === 'passcode' && !entry.used ? listedWindow(entry, now) : undefined;
  return window && passcodeOf(entry, window);
}

/** The passcode of an entry with these times. */
export function passcodeOf(entry: Entry, window: ValidWindow): Passcode {
  const { entryId: passcodeId, lockId, number: code, name, createdAt, createdBy, custom } = entry;
  const { startDate, endDate, once } = window;
  const type = once ? 'once' : startDate === 0 && endDate === 0 ? 'permanent' : 'period';
  return { passcodeId, lockId, code, name, type, startDate, endDate, createdAt, createdBy, isCustom: custom === true };
}
