// Completions in the order of arrival, although the work behind them overlaps: PUBACKs must come in the order of
// their PUBLISHes [MQTT-4.6.0-2] while many flushes are under way.

/** Something under way; `done` is for `InOrder` to set. */
export interface Place {
  done: boolean;
}

export interface InOrder<P extends Place> {
  enter(place: P): void;
  /** This one has completed: it is finished as soon as all that entered before it are. Idempotent. */
  complete(place: P): void;
  /** The first that has not completed. */
  oldest(): P | undefined;
  /** Places that have not been finished yet. */
  size(): number;
}

export function createInOrder<P extends Place>(finish: (place: P) => void): InOrder<P> {
  const places: P[] = [];

  return {
    enter: (place) => void places.push(place),
    complete(place) {
      place.done = true;
      while (places[0]?.done) finish(places.shift() as P);
    },
    oldest: () => places[0],
    size: () => places.length,
  };
}
