// The documents in the memory of a node that does not lead: they follow what the leader changes, and say how far they are.
import type { Clock } from '../../domain/clock.ts';
import { commandKeyName } from '../files/documents/command-key.ts';
import { readIfThere } from '../files/documents/durable-file.ts';
import { type DocumentTablesLayer, documentRoot } from './document-tables.ts';
import { followUntil } from './follow.ts';
import type { Hints } from './hints.ts';
import type { NodeLease } from './node-lease.ts';

export interface Replica {
  /** Follows until `acquired` does, and resolves or rejects as that does. */
  follow(acquired: Promise<void>): Promise<void>;
  /** Once this process alone may write: takes in the rest. */
  complete(): Promise<void>;
  /** undefined: no look has found it. */
  commandKey(): Buffer | undefined;
}

export function createReplica(options: {
  readonly clock: Clock;
  readonly tables: DocumentTablesLayer;
  readonly lease: Pick<NodeLease, 'beginReading' | 'reads' | 'looked' | 'readingLeftMs'>;
  readonly hints: Pick<Hints, 'sendApplied' | 'subscribe' | 'isOpen'>;
  /** Of this process. */
  readonly incarnation: string;
  /** Loads the stores of documents. */
  readonly loadStores: () => Promise<void>;
  /** Reads what else will be needed; `isOver` ends it. */
  readonly readAhead: (isOver: () => boolean) => Promise<void>;
  /** Changes are in effect here, and nobody was told so yet: what has no right any more must end. */
  readonly onTakenIn: () => void;
}): Replica {
  const { clock, tables, lease, hints, incarnation, loadStores, onTakenIn } = options;
  let isLoaded = false;
  let commandKey: Buffer | undefined;
  /** The change up to which it was said last that they are in effect here. */
  let said = 0;
  let isAsked = false;
  let readingAhead: Promise<void> | undefined;

  async function load(): Promise<void> {
    await tables.load(async () => {
      isLoaded = true;
      // When the stores fail, and not the database, they are half full: a start from nothing may be better.
      await loadStores().catch((error: Error) => {
        throw new Error(error.message, { cause: error });
      });
    });
  }
  async function takeIn(): Promise<void> {
    const before = tables.takenIn();
    await tables.look();
    if (tables.takenIn() !== before) onTakenIn();
  }
  function sayTakenIn(): void {
    [said, isAsked] = [tables.takenIn(), false];
    hints.sendApplied(incarnation, said);
  }
  /** From the first statement on, whoever changes something waits for this node; the changes before it are read after it. */
  async function beginReading(): Promise<void> {
    const newest = await lease.beginReading(tables.takenIn()).catch(() => undefined);
    if (newest === undefined) return;
    await takeIn();
    // Else it was another database that answered: that of a primary which is none any more.
    if (tables.takenIn() < newest) return;
    sayTakenIn();
    lease.reads();
  }
  async function look(isOver: () => boolean): Promise<void> {
    if (!isLoaded) {
      if (!(await tables.canBeLoaded())) return;
      await load();
    }
    await takeIn();
    // Both nodes may start for the first time: then the other one makes it after all that is needed for a load.
    commandKey ??= await readIfThere(tables, `${documentRoot}/${commandKeyName}`);
    lease.looked();
    // Its row says how far it is also where hints do not: else no change at the other node would ever be told.
    if (lease.readingLeftMs() === 0 || !hints.isOpen()) await beginReading();
    else if (isAsked || tables.takenIn() !== said) sayTakenIn();
    // Nobody who changes something waits for this.
    readingAhead ??= options
      .readAhead(isOver)
      .catch(() => undefined)
      .finally(() => {
        readingAhead = undefined;
      });
  }

  return {
    async follow(acquired) {
      function onHint(wake: () => void): () => void {
        return hints.subscribe('changed', () => {
          isAsked = true;
          wake();
        });
      }
      await followUntil(acquired, { clock, look, onHint });
      await readingAhead;
    },
    complete: () => (isLoaded ? tables.look() : load()),
    commandKey: () => commandKey,
  };
}
