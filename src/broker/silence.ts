// Who has fallen silent: one and a half keep alives without a byte (Protocol 6, MQTT 3.1.1 section 3.1.2.10). One timer looks at
// all connections, each of them at its own intervals; what reads and answers their packets knows nothing of it.
import type { Clock } from '../domain/ports.ts';

/** A connection, as far as its silence is concerned. */
export interface Heard {
  /** Bytes that have come so far. More than before: it lives, also in the middle of a packet. */
  bytesCome(): number;
  /** Something has come that is not read yet, so that more may wait unseen: it is not the client who is waited for. */
  isHeldUp(): boolean;
  onSilent(): void;
}

/** One connection that is watched. */
export interface Listening {
  /** The connection has ended. Idempotent. */
  leave(): void;
}

export interface SilenceWatch {
  /** From now on. */
  watch(heard: Heard, keepAliveSeconds: number): Listening;
}

export interface SilenceOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>;
  /** Calls back when what lies in the sockets has been read. */
  readonly nextTick?: (action: () => void) => void;
}

const tickMs = 125;
/** A tick that comes later than this stood still with the process: what the others said meanwhile is not read yet. */
const tickAtMostMs = 2 * tickMs;
const limitInKeepAlives = 1.5;
/** A connection is looked at so often within its limit. */
const looks = 16;
/** Ended in one turn: the network may have been lost to all of them at once. */
const endsInATurn = 64;

export function createSilenceWatch({ clock, nextTick = (action) => void setImmediate(action) }: SilenceOptions): SilenceWatch {
  /** By the tick in which they are looked at next. */
  const due = new Map<number, Set<Watched>>();
  /** Silent when they were looked at; once more when all has been read. */
  let doubtful: Watched[] = [];
  let watched = 0;
  /** Milliseconds that the process was awake for, up to the last tick. */
  let awakeMs = 0;
  let tickedAt = 0;
  let tick = 0;
  let cancel: (() => void) | undefined;

  const now = (): number => awakeMs + Math.min(clock.monotonic() - tickedAt, tickAtMostMs);

  /** A class, for its methods are shared: there are thousands. */
  class Watched implements Listening {
    readonly heard: Heard;
    readonly #limitMs: number;
    #bytes: number;
    #heardAt = now();
    #tick = 0;
    isOver = false;

    constructor(heard: Heard, limitMs: number) {
      this.heard = heard;
      this.#limitMs = limitMs;
      this.#bytes = heard.bytesCome();
      this.rest();
    }

    isSilent(): boolean {
      const bytes = this.heard.bytesCome();
      if (bytes !== this.#bytes || this.heard.isHeldUp()) this.#heardAt = now();
      this.#bytes = bytes;
      return now() - this.#heardAt >= this.#limitMs;
    }

    /** Until the next look. */
    rest(): void {
      const restMs = Math.min(this.#limitMs / looks, this.#heardAt + this.#limitMs - awakeMs);
      this.#tick = tick + Math.max(1, Math.ceil(restMs / tickMs));
      due.set(this.#tick, (due.get(this.#tick) ?? new Set()).add(this));
    }

    leave(): void {
      if (this.isOver) return;
      this.isOver = true;
      due.get(this.#tick)?.delete(this);
      watched--;
      if (watched > 0) return;
      cancel?.();
      cancel = undefined;
      due.clear();
    }
  }

  function arm(): void {
    tickedAt = clock.monotonic();
    cancel = clock.timer(tickMs, sweep);
  }

  function sweep(): void {
    awakeMs = now();
    arm();
    const isEnding = doubtful.length > 0;
    for (const last = Math.floor(awakeMs / tickMs); tick < last; ) {
      tick++;
      const those = due.get(tick) ?? [];
      due.delete(tick);
      for (const each of those) {
        if (each.isSilent()) doubtful.push(each);
        else each.rest();
      }
    }
    if (doubtful.length > 0 && !isEnding) nextTick(endSilent);
  }

  function endSilent(): void {
    const those = doubtful.slice(0, endsInATurn);
    doubtful = doubtful.slice(endsInATurn);
    for (const each of those) {
      if (each.isOver) continue;
      if (each.isSilent()) each.heard.onSilent();
      else each.rest();
    }
    if (doubtful.length > 0) nextTick(endSilent);
  }

  return {
    watch(heard, keepAliveSeconds) {
      if (cancel === undefined) arm();
      watched++;
      return new Watched(heard, keepAliveSeconds * 1_000 * limitInKeepAlives);
    },
  };
}
