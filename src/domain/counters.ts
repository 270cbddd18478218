// The port for ids and other numbers that are never used twice.

export type CountedId =
  | 'lockId'
  | 'cardId'
  | 'accountId'
  | 'tokenId'
  | 'webhookId'
  | 'personId'
  | 'credentialId'
  | 'grantId'
  | 'scheduleId'
  | 'revocationId'
  | 'suggestionId'
  | 'passkeyId'
  | 'ttlockLoginId';

/** Numbers that are never given twice, not even after a crash. A number is durable before it is given. */
export interface CounterStore {
  next(kind: CountedId): Promise<number>;
  /** The id that belongs to this group name for ever (a new id for a new name); 0 for "". */
  groupId(name: string): Promise<number>;
  /** All groups that there ever were, in the order that a person has set; new ones last. */
  groupIds(): readonly number[];
  /** Puts these groups, each once, before all others, which stay in their order. Rejects with `not-found`: there is no such group. */
  orderGroups(groupIds: readonly number[]): Promise<void>;
}
