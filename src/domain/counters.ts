// The port for numbers.

/** Numbers that are never given twice, not even after a crash. Durable before they are given. */
export interface CounterStore {
  next(kind: 'lockId' | 'cardId' | 'accountId' | 'tokenId' | 'webhookId'): Promise<number>;
  /** The id that belongs to this group name for ever (a new one at first); 0 for "". */
  groupId(name: string): Promise<number>;
}
