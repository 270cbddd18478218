// Completions in the order of arrival, although the work behind them overlaps: PUBACKs must come in the order of
// their PUBLISHes [MQTT-4.6.0-2] while many flushes are under way.

/** Something under way; `done` and `next` are for `InOrder` to set. */
export interface Place<P> {
  done: boolean;
  /** What entered behind it. */
  next?: P | undefined;
}

/** A class and a chain, for thousands of connections have nothing under way: then it holds nothing. */
export class InOrder<P extends Place<P>> {
  readonly #finish: (place: P) => void;
  #first: P | undefined;
  #last: P | undefined;

  constructor(finish: (place: P) => void) {
    this.#finish = finish;
  }

  enter(place: P): void {
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
  }

  /** This one has completed: it is finished as soon as all that entered before it are. Idempotent. */
  complete(place: P): void {
    place.done = true;
    while (this.#first?.done) {
      const finished = this.#first;
      this.#first = finished.next;
      // An old place that is dead, but not collected yet, would keep all behind it from being collected, too.
      finished.next = undefined;
      if (this.#first === undefined) this.#last = undefined;
      this.#finish(finished);
    }
  }

  /** The first that has not completed. */
  oldest(): P | undefined {
    return this.#first;
  }
}
