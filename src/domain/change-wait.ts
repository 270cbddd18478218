// A change is answered when no node that answers from memory honours what was there before.

export interface ChangeWait {
  /**
   * Resolves when every other node that answers from memory knows what this one has changed so far, or has ended. Rejects with `storage-unavailable`
   * when that cannot be found out.
   */
  settled(): Promise<void>;
}

/** Of a gateway whose data no other one can reach. */
export const nobodyElse: ChangeWait = { settled: async () => undefined };
