// Cards and passcodes in a lock's memory, as a lock with the feature `credentials` has them: pure functions over the lists that it stores.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cardListing, commandArguments } from '../src/drivers/native/messages.ts';
import { sorted, withCard, withoutCard } from './card-memory.ts';

const onWire = commandArguments['put-credentials'].shape.items.element.shape;
const { hours, once } = onWire;

/** In the memory file. */
export const storedCard = cardListing.shape.cards.element.extend({ hours, once });
export type StoredCard = z.infer<typeof storedCard>;
export const storedPasscode = z.object({ number: z.string(), startDate: z.int(), endDate: z.int(), hours, once });
export type StoredPasscode = z.infer<typeof storedPasscode>;

/** A card or passcode as the commands have it. */
export type Credential = z.infer<(typeof commandArguments)['put-credentials']>['items'][number];
export type CredentialKey = Pick<Credential, 'kind' | 'number'>;

export interface Held {
  readonly cards: readonly StoredCard[];
  readonly passcodes: readonly StoredPasscode[];
}

export function findPasscode(passcodes: readonly StoredPasscode[], number: string): StoredPasscode | undefined {
  return passcodes.find((passcode) => passcode.number === number);
}

/** With this one in it, whole, in place of an earlier one of the same kind and number. */
export function withCredential({ cards, passcodes }: Held, { kind, number, ...window }: Credential) {
  if (kind === 'card') return { cards: withCard(cards, { cardNumber: number, ...window }), passcodes: [...passcodes] };
  return { cards: [...cards], passcodes: [...passcodes.filter((other) => other.number !== number), { number, ...window }] };
}

export function withoutCredential({ cards, passcodes }: Held, { kind, number }: CredentialKey) {
  if (kind === 'card') return { cards: withoutCard(cards, number), passcodes: [...passcodes] };
  return { cards: [...cards], passcodes: passcodes.filter((other) => other.number !== number) };
}

/** Cards first, each kind sorted by number as text, so that the pages of list-credentials fit together. */
export function allCredentials({ cards, passcodes }: Held): Credential[] {
  const asCards = (codes: readonly StoredPasscode[]) => sorted(codes.map(({ number, ...window }) => ({ cardNumber: number, ...window })));
  return [
    ...sorted(cards).map(({ cardNumber, ...window }) => ({ kind: 'card' as const, number: cardNumber, ...window })),
    ...asCards(passcodes).map(({ cardNumber, ...window }) => ({ kind: 'passcode' as const, number: cardNumber, ...window })),
  ];
}

/** First 16 hex digits of SHA-256 over `kind,number,startDate,endDate,hours,once\n` of each (Protocol 4.1). */
export function credentialDigest(held: Held): string {
  const hash = createHash('sha256');
  for (const one of allCredentials(held)) {
    const kind = one.kind === 'card' ? 'c' : 'p';
    hash.update(`${kind},${one.number},${one.startDate},${one.endDate},${one.hours ?? ''},${one.once === true ? '1' : ''}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
