// What one connection still has to publish: no more is under way than the broker takes at once, and of a retained topic only the newest payload waits.
// So what waits is bounded by the number of topics, however slow the broker is.

export interface Publication {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
  readonly qos: 0 | 1;
}

export interface SendWindow {
  /** False: so many messages wait that are not retained that this one is left out, or the window has ended. */
  add(publication: Publication): boolean;
  /** Resolves when little waits, or the window has ended. */
  room(): Promise<void>;
  /** Nothing is sent any more. */
  end(): void;
}

/** Messages that wait and are not retained, each of which counts. */
const eventsAtMost = 1_000;
/** Below this, whoever has much to say goes on. */
const littleWaits = 200;

export function createSendWindow(options: {
  /** How many may be under way, from 1. */
  readonly atOnce: number;
  /** Hands one over and calls `taken` once, when the broker has it, whatever it thinks of it. */
  readonly send: (publication: Publication, taken: () => void) => void;
}): SendWindow {
  /** In the order in which they go; a retained one by its topic, others by a number. */
  const waiting = new Map<string | number, Publication>();
  const forRoom: (() => void)[] = [];
  let underWay = 0;
  let events = 0;
  let added = 0;
  let isSending = false;
  let hasEnded = false;

  function go(): void {
    if (isSending) return;
    isSending = true;
    for (const [key, publication] of waiting) {
      if (hasEnded || underWay >= options.atOnce) break;
      waiting.delete(key);
      if (!publication.retain) events -= 1;
      underWay += 1;
      options.send(publication, taken);
    }
    isSending = false;
    if (hasEnded || waiting.size < littleWaits) for (const resolve of forRoom.splice(0)) resolve();
  }
  function taken(): void {
    underWay -= 1;
    go();
  }

  return {
    add(publication) {
      const { topic, retain } = publication;
      if (hasEnded || (!retain && events >= eventsAtMost)) return false;
      if (!retain) events += 1;
      waiting.set(retain ? topic : added++, publication);
      go();
      return true;
    },
    room: () => (hasEnded || waiting.size < littleWaits ? Promise.resolve() : new Promise((resolve) => forRoom.push(resolve))),
    end() {
      hasEnded = true;
      waiting.clear();
      go();
    },
  };
}
