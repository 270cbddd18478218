// Completions in the order of arrival, although the work behind them overlaps: PUBACKs must come in the order of
// their PUBLISHes [MQTT-4.6.0-2] while many flushes are under way.

export interface InOrder {
  /** Takes the next place. Call the returned function with what completes it, once; it runs when all earlier ones have run. */
  reserve(): (complete: () => void) => void;
  /** Places that have not been completed yet. */
  size(): number;
}

export function createInOrder(): InOrder {
  const places: { complete: (() => void) | undefined }[] = [];

  return {
    reserve() {
      const place: { complete: (() => void) | undefined } = { complete: undefined };
      places.push(place);
      return (complete) => {
        place.complete ??= complete;
        while (places[0]?.complete !== undefined) places.shift()?.complete?.();
      };
    },
    size: () => places.length,
  };
}
