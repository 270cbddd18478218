// Whether a node that does not lead may answer from memory: its row says so first, and then whoever changes something waits for it.
import type { NodeBeat, NodeTable } from './nodes.ts';

export interface Reading {
  /** See `beginReading` of NodeLease. */
  begin(applied: number): Promise<number | undefined>;
  /** See `reads` of NodeLease. */
  reads(): void;
  /** This node leads, and knows all that was changed before it did. */
  knowsAll(): void;
  /** Its row is gone. */
  end(): void;
  /** What its row says after a beat of a node that does not lead. */
  beaten(said: NodeBeat): void;
  /** Whether it may while nobody takes it for dead; since it leads: whether it knows all that anybody was told before. */
  isAllowed(): boolean;
}

export function createReading(options: {
  readonly table: Pick<NodeTable, 'read'>;
  /** Of this node. */
  readonly incarnation: string;
  /** Whether it has a row, as far as it knows. */
  readonly hasRow: () => boolean;
  /** Whether it answers from memory now. */
  readonly answers: () => boolean;
}): Reading {
  const { table, incarnation, hasRow, answers } = options;
  /** As long as its row is there. `asked`: its row may say so; `begun`: it does. */
  let state: 'no' | 'asked' | 'begun' | 'yes' = 'no';

  return {
    async begin(applied) {
      if (!hasRow()) return undefined;
      if (!answers()) state = 'asked';
      const newest = await table.read(incarnation, applied);
      if (newest === undefined || !hasRow()) state = 'no';
      // What its row was meanwhile counts.
      if (state === 'no') return undefined;
      if (state === 'asked') state = 'begun';
      return newest;
    },
    reads() {
      if (state === 'begun') state = 'yes';
    },
    knowsAll() {
      state = 'yes';
    },
    end() {
      state = 'no';
    },
    beaten({ applied }) {
      // A database that has lost what this node said: nobody waits for it.
      if (applied === null) state = 'no';
    },
    isAllowed: () => state === 'yes',
  };
}
