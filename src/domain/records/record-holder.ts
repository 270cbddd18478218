// Whose number a record names, as far as the record itself says.
import { sameCard } from '../credentials/card.ts';
import type { RecordDraft } from './record.ts';

/** One word for a card, or for a passcode that the gateway knows; empty: neither. */
export function recordHolder({ type, credential, entryId }: Pick<RecordDraft, 'type' | 'credential' | 'entryId'>): string {
  if (type.startsWith('card-') && credential !== '') return cardHolder(credential);
  return entryId === undefined ? '' : entryHolder(entryId);
}

export function cardHolder(number: string): string {
  return `card ${sameCard(number)}`;
}

export function entryHolder(entryId: number): string {
  return `entry ${entryId}`;
}
