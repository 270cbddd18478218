// Shares the event loop between all connections (T14, T25): when the reads of one turn have taken their time, further ones
// are put off to the next, first come first served, so that HTTP and the doors get a word in between. Without load nothing waits.
import type { Clock } from '../domain/ports.ts';

export interface PacingLimits {
  /** Reads that come later than this in a turn of the event loop are put off. */
  readonly turnMs: number;
  /** What one read gives at most, unless it completes a larger packet: all that a lock may have under way, and no more than half a turn's work. */
  readonly readBytes: number;
  /** A connection's first reads go before the backlogs of others: its login, its hello. */
  readonly firstReads: number;
  /** Bytes of messages that wait for the disk, of all connections: beyond that only those that go first are read (T12). */
  readonly maxHeldBytes: number;
}

const defaultPacingLimits: PacingLimits = {
  turnMs: 1,
  readBytes: 16_384,
  firstReads: 8,
  maxHeldBytes: 67_108_864,
};

export interface ReadSchedulerStats {
  /** How often a read was put off. */
  readonly readsPutOff: number;
  /** Connections that wait for their turn now: at most all. */
  readonly readsWaiting: number;
  /** Of messages that wait for the disk now. */
  readonly heldBytes: number;
}

/** A connection, as far as its reads are concerned. */
export interface Paced {
  /** A command is under way on it: somebody stands at a door. */
  isUrgent(): boolean;
  /** Its turn has come: tells the reader to read. */
  resume(): void;
}

/** A connection's place in the traffic. */
export interface Lane {
  /** Whether it may read once now; if not, `resume` is called when it may. */
  mayRead(): boolean;
  /** It has become urgent while it may be waiting. */
  hurry(): void;
  /** The connection has ended. Idempotent. */
  leave(): void;
}

export interface Pacing {
  readonly limits: PacingLimits;
  enter(paced: Paced): Lane;
  /** So many bytes wait for the disk; call the returned function, once, when they no longer do. */
  hold(bytes: number): () => void;
  stats(): ReadSchedulerStats;
}

export interface PacingOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Calls back in the next turn of the event loop, in the order of the calls. */
  readonly nextTick?: (action: () => void) => void;
  /** Done before the reads that were put off: what somebody waits for goes before the backlogs of others. */
  readonly catchUp?: () => void;
  readonly limits?: Partial<PacingLimits> | undefined;
}

/** Of five reads that were put off, at least one is an ordinary one: those that go first starve nobody. */
const firstInARow = 4;
/** One callback for each lane, so that what a read leaves to microtasks is done, and measured, before the next; no more than fit in a turn. */
const maxArmed = 32;

interface Waiting {
  go(): void;
}

export function createPacing({
  clock,
  nextTick = (action) => void setImmediate(action),
  catchUp = () => {},
  limits: given,
}: PacingOptions): Pacing {
  const limits = { ...defaultPacingLimits, ...given };
  const first = new Set<Waiting>();
  const ordinary = new Set<Waiting>();
  let turn = 0;
  let turnAt = 0;
  /** The end of this turn will be noticed. */
  let open = false;
  let armed = 0;
  let resumed = 0;
  let inARow = 0;
  let held = 0;
  let readsPutOff = 0;

  function beginTurn(): void {
    // Not of the time that is for reads.
    catchUp();
    turn++;
    turnAt = clock.monotonic();
    resumed = 0;
    open = ready() > 0;
    if (open) nextTick(beginTurn);
  }

  function noticeTurn(): void {
    if (open) return;
    open = true;
    turnAt = clock.monotonic();
    nextTick(beginTurn);
  }

  const isOver = (): boolean => clock.monotonic() - turnAt >= limits.turnMs;
  const isFull = (): boolean => held >= limits.maxHeldBytes;

  /** Lanes that can go on. While the disk stalls, the others must not keep the process spinning. */
  const ready = (): number => first.size + (isFull() ? 0 : ordinary.size);

  function arm(): void {
    const most = Math.min(maxArmed, ready());
    if (most === 0) return;
    noticeTurn();
    for (; armed < most; armed++) nextTick(takeNext);
  }

  function takeNext(): void {
    armed--;
    try {
      // One in each turn, whatever else that was busy with: nobody waits for ever.
      if (resumed > 0 && isOver()) return;
      catchUp();
      next()?.go();
    } finally {
      arm();
    }
  }

  function next(): Waiting | undefined {
    const [urgent] = first;
    const [usual] = isFull() ? [] : ordinary;
    inARow = urgent !== undefined && (usual === undefined || inARow < firstInARow) ? inARow + 1 : 0;
    return inARow > 0 ? urgent : usual;
  }

  /** A class, for its methods are shared: there are thousands. */
  class Place implements Lane, Waiting {
    readonly #paced: Paced;
    #reads = 0;
    #lastTurn = -1;
    #granted = false;
    #gone = false;

    constructor(paced: Paced) {
      this.#paced = paced;
    }

    go(): void {
      this.#forget();
      resumed++;
      this.#granted = true;
      this.#paced.resume();
    }

    #forget(): void {
      first.delete(this);
      ordinary.delete(this);
    }

    #read(): true {
      this.#granted = false;
      this.#reads++;
      this.#lastTurn = turn;
      return true;
    }

    mayRead(): boolean {
      if (this.#granted || this.#gone) return this.#read();
      if (first.has(this) || ordinary.has(this)) return false;
      noticeTurn();
      if (first.size + ordinary.size === 0 && !isOver() && !isFull()) return this.#read();
      const urgent = this.#paced.isUrgent();
      // Once in a turn: not even a lock with a command under way has all of it.
      if (urgent && this.#lastTurn !== turn) return this.#read();
      (urgent || this.#reads < limits.firstReads ? first : ordinary).add(this);
      readsPutOff++;
      arm();
      return false;
    }

    hurry(): void {
      if (!ordinary.delete(this)) return;
      first.add(this);
      arm();
    }

    leave(): void {
      this.#gone = true;
      this.#forget();
    }
  }

  return {
    limits,
    enter: (paced) => new Place(paced),
    hold(bytes) {
      held += bytes;
      return () => {
        held -= bytes;
        if (ordinary.size > 0) arm();
      };
    },
    stats: () => ({ readsPutOff, readsWaiting: first.size + ordinary.size, heldBytes: held }),
  };
}
