// The nodes that share a database: the rows in which they say that they live, and who of them is surely dead.
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';

/** A node as the database has it. One that has ended has no row. */
export interface NodeRow {
  /** A UUID of the process. */
  readonly incarnation: string;
  readonly name: string;
  /** Where other nodes would reach it; null: nowhere. */
  readonly url: string | null;
  /** Of the machine since it was switched on. */
  readonly bootId: string;
  /** Which data directory of its machine it has; null: it is of an older latchd, which does not say it. */
  readonly directory: string | null;
  readonly leaseMs: number;
  readonly serving: boolean;
  /** It serves, and tells that a change is done only when others know it; an older latchd does not wait for them. */
  readonly waitsForOthers?: boolean;
  /** How often it has said that it lives. */
  readonly beat: number;
  /** Another node has taken its place, and its lease may not be over. */
  readonly isDeposed?: boolean;
}

/** What the row of a node says after a beat. */
export interface NodeBeat {
  readonly beat: number;
  /** The last change that it has taken in, of those for which others wait; null: nobody waits for it. */
  readonly applied: number | null;
}

/** The rows of all nodes. A call whose outcome is unknown rejects, and the next one is made over a new connection. */
export interface NodeTable {
  /** Rejects with a `NodeRefused` when nobody may use this database any more. */
  register(node: Omit<NodeRow, 'serving' | 'beat'>): Promise<void>;
  all(): Promise<readonly NodeRow[]>;
  /** undefined: the node has ended. */
  beat(incarnation: string): Promise<NodeBeat | undefined>;
  /** From its commit on this node alone may write. Resolves with its new beat; undefined: another node serves, or this one has ended. */
  serve(incarnation: string): Promise<number | undefined>;
  /**
   * As `serve`, in place of the node `silent`, unless that has said meanwhile that it lives. It is deposed: its row stays until its lease is surely
   * over, or it has ended.
   */
  depose(incarnation: string, silent: Pick<NodeRow, 'incarnation' | 'beat'>): Promise<number | undefined>;
  /**
   * From its commit on whoever changes something waits until this node has taken it in, unless it serves. `applied`: the number of the last change
   * that it has taken in. Resolves with the number of the newest change after that commit; undefined: the node has ended, or serves.
   */
  read(incarnation: string, applied: number): Promise<number | undefined>;
  /** From its commit on nobody waits for a node that does not serve, unless it has said meanwhile that it lives: `beat` is its last one. */
  stopReading(node: Pick<NodeRow, 'incarnation' | 'beat'>): Promise<void>;
  /** Ends a node, unless it has said meanwhile that it lives; without `beat`, whatever it has said. Resolves with whether it did. */
  end(node: { readonly incarnation: string; readonly beat?: number }): Promise<boolean>;
  close(): void;
}

/** This node must not start; the message says why and what to do. */
export class NodeRefused extends Error {}

/** Why it must not, when it knows more than the database. */
export const lostData =
  'the database has lost what it had confirmed to this node (perhaps an older copy took its place): see which copy is right, then run `latchd recovered`';

/** The clocks of two machines differ in a lease by less. */
export const marginMs = 1_000;
/** A node that lives, and may have lost its connection, has said so by then once the database answers. */
const backMs = 5_000;
/** One look follows another by less while the database answers. */
const gapMs = 3_000;

export interface OtherNodes {
  /**
   * Reads who is there, and ends those that were silent for so long that their lease is surely over, also after the database was back: who
   * lives has said so then. Rejects as the table does.
   */
  look(): Promise<void>;
  /** At the last look. */
  all(): readonly NodeRow[];
  /** The names of those that serve. */
  serving(): readonly string[];
  /** For how long the one that serves has given no sign to the database; undefined: none serves, or the database does not answer. */
  silentMs(): number | undefined;
  /** Whether the database has answered for so long that who lives has said so. */
  answersAgain(): boolean;
}

export function createOtherNodes(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly table: NodeTable;
  /** Of the node that looks. */
  readonly incarnation: string;
}): OtherNodes {
  const { clock, log, table, incarnation } = options;
  /** Since when each beat is known. It is counted from after the answer that brought it: never from before its commit. */
  const silences = new Map<string, { readonly beat: number; readonly since: number }>();
  let others: readonly NodeRow[] = [];
  /** The last look, and since when the database has answered them all. */
  let lookedAt = Number.NEGATIVE_INFINITY;
  let answersSince = 0;

  // While the database was away nobody could say anything.
  const answersAgain = (): boolean => lookedAt - answersSince >= backMs;

  return {
    async look() {
      const rows = await table.all();
      const now = clock.monotonic();
      if (now - lookedAt > gapMs) answersSince = now;
      lookedAt = now;
      others = rows.filter((row) => row.incarnation !== incarnation);
      for (const known of silences.keys()) if (!others.some((row) => row.incarnation === known)) silences.delete(known);
      for (const row of others) {
        const silence = silences.get(row.incarnation);
        if (silence?.beat !== row.beat) silences.set(row.incarnation, { beat: row.beat, since: now });
        else if (answersAgain() && now - silence.since >= row.leaseMs + marginMs && (await table.end(row))) {
          others = others.filter((one) => one !== row);
          log.warn(
            { code: 'node-ended', node: row.name, served: row.serving || row.isDeposed === true },
            'a node was not heard of for a whole lease: it has ended',
          );
        }
      }
    },
    all: () => others,
    serving: () => others.filter(({ serving }) => serving).map(({ name }) => name),
    silentMs() {
      const [one, now] = [others.find(({ serving }) => serving), clock.monotonic()];
      const silence = one && silences.get(one.incarnation);
      return silence === undefined || now - lookedAt > gapMs ? undefined : now - silence.since;
    },
    answersAgain: () => answersAgain() && clock.monotonic() - lookedAt <= gapMs,
  };
}

/** What a node that starts says of itself. */
type StartingNode = Pick<NodeRow, 'name' | 'bootId' | 'directory' | 'leaseMs'>;

/**
 * Whether a row is of a process that was this node. A data directory has one process at a time, so that one is dead. A latchd that does not say
 * which directory it has is taken for this node by its name and machine alone.
 */
export function isFormerSelf(own: StartingNode, row: NodeRow): boolean {
  return row.name === own.name && row.bootId === own.bootId && (row.directory === null || row.directory === own.directory);
}

/** A node beside which this one must not run, and why; undefined: there is none. */
export function conflictIn(own: StartingNode, rows: readonly NodeRow[]): { readonly row: NodeRow; readonly why: string } | undefined {
  for (const row of rows.filter((one) => !isFormerSelf(own, one))) {
    if (row.name === own.name && row.bootId === own.bootId) {
      const remedy = 'give each a name of its own (cluster.name), or stop one of them';
      return { row, why: `another daemon on this machine is the node ${own.name} too, with another data directory: ${remedy}` };
    }
    if (row.leaseMs !== own.leaseMs) {
      const lengths = `${own.leaseMs / 1_000} here and ${row.leaseMs / 1_000} at the node ${row.name}`;
      return { row, why: `cluster.leaseSeconds is ${lengths}: it must be the same at all nodes` };
    }
  }
  return undefined;
}
