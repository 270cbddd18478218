// Whether a node that does not lead may answer from memory: its row says so first, and then whoever changes something waits for it. A node that beats and
// cannot read would be waited for as long as it lives: it gives that up.
import type { Log } from '../../domain/part.ts';
import type { NodeBeat, NodeTable } from './nodes.ts';

export interface Reading {
  /** See `beginReading` of NodeLease. */
  begin(applied: number): Promise<number | undefined>;
  /** See `reads` of NodeLease. */
  reads(): void;
  /** See NodeLease. */
  looked(): void;
  /** This node leads, and knows all that was changed before it did. */
  knowsAll(): void;
  /** Its row is gone. */
  end(): void;
  /** The database took a beat of this node, which does not lead. Rejects as the table does. */
  beaten(said: NodeBeat): Promise<void>;
  /** Whether it may while nobody takes it for dead; since it leads: whether it knows all that anybody was told before. */
  isAllowed(): boolean;
}

export function createReading(options: {
  readonly log: Log;
  readonly table: Pick<NodeTable, 'read' | 'stopReading'>;
  /** Of this node. */
  readonly incarnation: string;
  /** Whether it has a row, as far as it knows. */
  readonly hasRow: () => boolean;
  /** Whether it answers from memory now. */
  readonly answers: () => boolean;
  /** After so many beats since its last look it gives up. A database that is away takes none, so that ends nothing. */
  readonly unreadBeats: number;
}): Reading {
  const { log, table, incarnation, hasRow, answers, unreadBeats } = options;
  /** As long as its row is there. `asked`: its row may say so; `begun`: it does. */
  let state: 'no' | 'asked' | 'begun' | 'yes' = 'no';
  let beatsSinceLook = 0;
  /** Since the last beat. The statement that says so may come late, and does nothing after the next one. */
  let givesUp = false;
  /** Since it gave up. */
  let isBehind = false;

  return {
    async begin(applied) {
      if (!hasRow() || givesUp) return undefined;
      if (!answers()) state = 'asked';
      const newest = await table.read(incarnation, applied);
      if (newest === undefined || !hasRow()) state = 'no';
      // Its row may say meanwhile that it does not.
      if (state === 'no') return undefined;
      if (state === 'asked') state = 'begun';
      return newest;
    },
    reads() {
      if (state !== 'begun') return;
      state = 'yes';
      if (isBehind) log.info({ code: 'follows-again' }, 'this node reads again what is changed, and follows');
      isBehind = false;
    },
    looked() {
      beatsSinceLook = 0;
    },
    knowsAll() {
      state = 'yes';
    },
    end() {
      state = 'no';
    },
    async beaten({ beat, applied }) {
      givesUp = false;
      beatsSinceLook += 1;
      // A database that has lost what this node said: nobody waits for it.
      if (applied === null) state = 'no';
      else if (beatsSinceLook >= unreadBeats) {
        // In this order: at no moment it answers from memory while nobody waits for it.
        [state, givesUp] = ['no', true];
        if (!isBehind)
          log.warn(
            { code: 'follows-no-more' },
            'the database takes the word of this node, which cannot read there: no change waits for it any more, and it opens no door before it follows again',
          );
        isBehind = true;
        await table.stopReading({ incarnation, beat });
      }
    },
    isAllowed: () => state === 'yes',
  };
}
