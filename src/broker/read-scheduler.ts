// Shares the event loop between all connections (Faults T14 and T25): when the reads of one turn have taken their time, further ones
// are put off to the next, first come first served, so that HTTP and the doors get a word in between. Without load nothing waits.
import type { Clock } from '../domain/clock.ts';

export interface ReadLimits {
  /** Reads that come later than this in a turn of the event loop are put off. */
  readonly turnMs: number;
  /** What one read gives at most, unless it completes a larger packet: all that a lock may have under way, and no more than half a turn's work. */
  readonly readBytes: number;
  /** A connection's first reads go before the backlogs of others: its login, its hello. */
  readonly firstReads: number;
  /** Bytes of messages that wait for the disk, of all connections: beyond that only those that go first are read (Fault T12). */
  readonly maxHeldBytes: number;
}

const defaultReadLimits: ReadLimits = {
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
interface Owner {
  /** A command is under way on it: somebody stands at a door. */
  isUrgent(): boolean;
  /** Its turn has come: tells the reader to read. */
  resume(): void;
}

export interface ReadSchedulerOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Calls back in the next turn of the event loop, in the order of the calls. */
  readonly nextTick?: (action: () => void) => void;
  /** Done before the reads that were put off: what somebody waits for goes before the backlogs of others. */
  readonly drain?: () => void;
  readonly limits?: Partial<ReadLimits> | undefined;
}

/** Of five reads that were put off, at least one is an ordinary one: those that go first starve nobody. */
const firstInARow = 4;
/** One callback for each read, so that what it leaves to microtasks is done, and measured, before the next; no more than fit in a turn. */
const maxArmed = 32;

/** The queue of the reads that were put off. */
export class ReadScheduler {
  readonly limits: ReadLimits;
  readonly #clock: ReadSchedulerOptions['clock'];
  readonly #nextTick: (action: () => void) => void;
  readonly #drain: () => void;
  readonly #first = new Set<ReadSlot>();
  readonly #ordinary = new Set<ReadSlot>();
  #turn = 0;
  #turnAt = 0;
  /** The end of this turn will be noticed. */
  #isTurnOpen = false;
  #armed = 0;
  #resumed = 0;
  #inARow = 0;
  #heldBytes = 0;
  #readsPutOff = 0;

  constructor({ clock, nextTick = (action) => void setImmediate(action), drain = () => {}, limits }: ReadSchedulerOptions) {
    this.limits = { ...defaultReadLimits, ...limits };
    this.#clock = clock;
    this.#nextTick = nextTick;
    this.#drain = drain;
  }

  /** So many bytes wait for the disk; call the returned function, once, when they no longer do. */
  hold(bytes: number): () => void {
    this.#heldBytes += bytes;
    return () => {
      this.#heldBytes -= bytes;
      if (this.#ordinary.size > 0) this.#arm();
    };
  }

  stats(): ReadSchedulerStats {
    return { readsPutOff: this.#readsPutOff, readsWaiting: this.#first.size + this.#ordinary.size, heldBytes: this.#heldBytes };
  }

  /** For a slot that wants to read: the turn in which it may read at once, or undefined: then it is in the queue. */
  turnFor(slot: ReadSlot): number | undefined {
    if (this.#first.has(slot) || this.#ordinary.has(slot)) return undefined;
    this.#noticeTurn();
    if (this.#first.size + this.#ordinary.size === 0 && !this.#isOver() && !this.#isFull()) return this.#turn;
    const isUrgent = slot.isUrgent();
    // Once in a turn: not even a connection with a command under way has all of it.
    if (isUrgent && slot.lastTurn !== this.#turn) return this.#turn;
    (isUrgent || slot.reads < this.limits.firstReads ? this.#first : this.#ordinary).add(slot);
    this.#readsPutOff++;
    this.#arm();
    return undefined;
  }

  turn(): number {
    return this.#turn;
  }

  /** Before the ordinary ones, if it waits. */
  prioritize(slot: ReadSlot): void {
    if (!this.#ordinary.delete(slot)) return;
    this.#first.add(slot);
    this.#arm();
  }

  forget(slot: ReadSlot): void {
    this.#first.delete(slot);
    this.#ordinary.delete(slot);
  }

  readonly #beginTurn = (): void => {
    // Not of the time that is for reads.
    this.#drain();
    this.#turn++;
    this.#turnAt = this.#clock.monotonic();
    this.#resumed = 0;
    this.#isTurnOpen = this.#ready() > 0;
    if (this.#isTurnOpen) this.#nextTick(this.#beginTurn);
  };

  #noticeTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    this.#turnAt = this.#clock.monotonic();
    this.#nextTick(this.#beginTurn);
  }

  #isOver(): boolean {
    return this.#clock.monotonic() - this.#turnAt >= this.limits.turnMs;
  }

  #isFull(): boolean {
    return this.#heldBytes >= this.limits.maxHeldBytes;
  }

  /** Slots that can go on. While the disk stalls, the others must not keep the process spinning. */
  #ready(): number {
    return this.#first.size + (this.#isFull() ? 0 : this.#ordinary.size);
  }

  #arm(): void {
    const most = Math.min(maxArmed, this.#ready());
    if (most === 0) return;
    this.#noticeTurn();
    for (; this.#armed < most; this.#armed++) this.#nextTick(this.#takeNext);
  }

  readonly #takeNext = (): void => {
    this.#armed--;
    try {
      // One in each turn, whatever else that was busy with: nobody waits for ever.
      if (this.#resumed > 0 && this.#isOver()) return;
      this.#drain();
      const slot = this.#next();
      if (slot === undefined) return;
      this.forget(slot);
      this.#resumed++;
      slot.go();
    } finally {
      this.#arm();
    }
  };

  #next(): ReadSlot | undefined {
    const [urgent] = this.#first;
    const [usual] = this.#isFull() ? [] : this.#ordinary;
    this.#inARow = urgent !== undefined && (usual === undefined || this.#inARow < firstInARow) ? this.#inARow + 1 : 0;
    return this.#inARow > 0 ? urgent : usual;
  }
}

/** The place of one connection among the reads of all. A class, for its methods are shared: there are thousands. */
export class ReadSlot {
  readonly #owner: Owner;
  readonly #scheduler: ReadScheduler;
  /** So far, and in which turn the last of them was. */
  reads = 0;
  lastTurn = -1;
  #isGranted = false;
  #isOver = false;

  constructor(owner: Owner, scheduler: ReadScheduler) {
    this.#owner = owner;
    this.#scheduler = scheduler;
  }

  get readBytes(): number {
    return this.#scheduler.limits.readBytes;
  }

  isUrgent(): boolean {
    return this.#owner.isUrgent();
  }

  /** Whether its connection may read once now; if not, the connection is resumed when it may. */
  mayRead(): boolean {
    const turn = this.#isGranted || this.#isOver ? this.#scheduler.turn() : this.#scheduler.turnFor(this);
    if (turn === undefined) return false;
    this.#isGranted = false;
    this.reads++;
    this.lastTurn = turn;
    return true;
  }

  /** For the scheduler: its turn has come. */
  go(): void {
    this.#isGranted = true;
    this.#owner.resume();
  }

  /** It has become urgent while it may be waiting. */
  prioritize(): void {
    this.#scheduler.prioritize(this);
  }

  /** The connection has ended. Idempotent. */
  leave(): void {
    this.#isOver = true;
    this.#scheduler.forget(this);
  }
}
