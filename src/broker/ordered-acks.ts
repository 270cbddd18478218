// The messages of one connection that something comes before, their own flush or another message: answered in the order of their
// arrival, although the work behind them overlaps [MQTT-4.6.0-2], and within a time.
import type { Clock } from '../domain/clock.ts';
import type { Receipt } from './client-handlers.ts';

/** What is due when the receipt is there: PUBACKs, or with QoS 2 the go-on of aedes. */
export interface Due {
  /** Of the PUBACKs, in order. */
  readonly messageIds: number[];
  /** With QoS 2, in place of PUBACKs. */
  readonly goOn: ((receipt: Receipt) => void) | undefined;
}

/** The pipeline. */
interface Owner {
  answer(receipt: Receipt, due: Due): void;
  /** A message failed, or took too long. */
  fail(error: unknown): void;
}

/** The same for all connections. */
export interface OrderedAcksOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>;
  /** Longest wait for one message. */
  readonly timeoutMs: number;
  /** So many bytes wait for the disk, until the returned function is called. */
  hold(bytes: number): () => void;
}

/** Messages right behind one another with the same flush, or with none, are one of these. */
interface Waiting extends Due {
  /** On the monotonic clock. Those behind it have later ones. */
  readonly until: number;
  /** What is waited for; undefined when it waits for those before it only. */
  readonly awaited: Promise<Receipt> | undefined;
  /** Once it is there. */
  receipt: Receipt | undefined;
  messages: number;
  /** They no longer wait for the disk. */
  readonly releases: (() => void)[];
  /** What came behind it. */
  next: Waiting | undefined;
}

/** A class and a chain: thousands of connections have nothing under way, and then nothing is in it. */
export class OrderedAcks {
  readonly #owner: Owner;
  readonly #options: OrderedAcksOptions;
  #first: Waiting | undefined;
  #last: Waiting | undefined;
  #size = 0;
  #unhandled = 0;
  #isOver = false;
  #cancelTimer: (() => void) | undefined;

  constructor(owner: Owner, options: OrderedAcksOptions) {
    this.#owner = owner;
    this.#options = options;
  }

  /** Messages that wait. */
  size(): number {
    return this.#size;
  }

  /** Those of them that are no mere number yet: their receipts are not there, or aedes holds the packet. */
  unhandled(): number {
    return this.#unhandled;
  }

  /** Answers when the receipt is there and all before it are answered; unless the connection ends first. */
  add(receipt: Receipt | Promise<Receipt>, bytes: number, { messageIds, goOn }: Due): void {
    const { clock, timeoutMs, hold } = this.#options;
    const awaited = receipt instanceof Promise ? receipt : undefined;
    const last = this.#last;
    const known = awaited === undefined ? (receipt as Receipt) : undefined;
    this.#size++;
    if (known === undefined || goOn !== undefined) this.#unhandled++;
    if (last !== undefined && goOn === undefined && last.goOn === undefined && isAlike(last, awaited, known)) {
      last.messages++;
      last.messageIds.push(...messageIds);
      if (known === undefined) last.releases.push(hold(bytes));
      return;
    }
    const waiting: Waiting = {
      until: clock.monotonic() + timeoutMs,
      awaited,
      receipt: known,
      messages: 1,
      messageIds,
      goOn,
      releases: awaited === undefined ? [] : [hold(bytes)],
      next: undefined,
    };
    if (last === undefined) this.#first = waiting;
    else last.next = waiting;
    this.#last = waiting;
    if (awaited !== undefined) this.#await(awaited, waiting);
  }

  /** The connection has ended: nothing is answered any more, and no timer is left. */
  end(): void {
    this.#isOver = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Apart from all else, so that what waits holds on to its place and not to its packet: thousands wait for a flush. */
  #await(awaited: Promise<Receipt>, waiting: Waiting): void {
    if (this.#cancelTimer === undefined) this.#watch(waiting);
    // Released also when the connection ends meanwhile: it is the disk that is waited for.
    awaited.then(
      (receipt) => {
        for (const release of waiting.releases) release();
        waiting.receipt = receipt;
        if (waiting.goOn === undefined) this.#unhandled -= waiting.messages;
        this.#answerFirst();
      },
      (error) => {
        for (const release of waiting.releases) release();
        this.#owner.fail(error);
      },
    );
  }

  /** All that have their receipts, up to the first that has none. */
  #answerFirst(): void {
    while (!this.#isOver && this.#first?.receipt !== undefined) {
      const first = this.#first;
      this.#first = first.next;
      // An old one that is dead, but not collected yet, would keep all behind it from being collected, too.
      first.next = undefined;
      if (this.#first === undefined) this.#last = undefined;
      this.#size -= first.messages;
      if (first.goOn !== undefined) this.#unhandled -= first.messages;
      this.#owner.answer(first.receipt as Receipt, first);
    }
  }

  /**
   * One timer for all that is waited for, and it is not stopped when the last of it is there: one each, or one for each
   * flush, would cost more than the wait is worth.
   */
  #watch({ until }: Waiting): void {
    const { clock, timeoutMs } = this.#options;
    this.#cancelTimer = clock.timer(Math.max(0, until - clock.monotonic()), () => {
      this.#cancelTimer = undefined;
      if (this.#first === undefined) return;
      if (clock.monotonic() >= this.#first.until) this.#owner.fail(new Error(`not handled within ${timeoutMs} ms`));
      else this.#watch(this.#first);
    });
  }
}

/** Whether what is waited for, or the receipt that is there, is the same as of this one: then both are answered as one. */
function isAlike(last: Waiting, awaited: Promise<Receipt> | undefined, known: Receipt | undefined): boolean {
  return awaited === undefined ? last.receipt === known : last.awaited === awaited && last.receipt === undefined;
}
