// Which clients have fallen silent: one and a half keep alives without a byte (Protocol 6, MQTT 3.1.1 section 3.1.2.10). One timer looks
// at all connections, each of them at its own intervals; what reads and answers their packets knows nothing of it.
import type { Clock } from '../domain/clock.ts';

/** A connection, as far as its silence is concerned. */
interface Heard {
  /** Bytes that have come so far. More than before: it lives, also in the middle of a packet. */
  bytesCome(): number;
  /** Something has come that is not read yet, so that more may wait unseen: the silence is not the client's. */
  isHeldUp(): boolean;
  onSilent(): void;
}

export interface KeepAliveOptions {
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

/** The timer for all connections. */
export class KeepAliveWatch {
  readonly #clock: KeepAliveOptions['clock'];
  readonly #nextTick: (action: () => void) => void;
  /** By the tick in which they are looked at next. */
  readonly #due = new Map<number, Set<KeepAlive>>();
  /** Silent when they were looked at; once more when all has been read. */
  #doubtful: KeepAlive[] = [];
  #size = 0;
  /** Milliseconds that the process was awake for, up to the last tick. */
  #awakeMs = 0;
  #tickedAt = 0;
  #tick = 0;
  #cancel: (() => void) | undefined;

  constructor({ clock, nextTick = (action) => void setImmediate(action) }: KeepAliveOptions) {
    this.#clock = clock;
    this.#nextTick = nextTick;
  }

  /** From now on. */
  watch(heard: Heard, keepAliveSeconds: number): KeepAlive {
    if (this.#cancel === undefined) this.#arm();
    this.#size++;
    return new KeepAlive(heard, keepAliveSeconds * 1_000 * limitInKeepAlives, this);
  }

  /** Milliseconds that the process was awake for. */
  now(): number {
    return this.#awakeMs + Math.min(this.#clock.monotonic() - this.#tickedAt, tickAtMostMs);
  }

  /** Looks at it again when it may be silent, and before; gives the tick of that. */
  lookAgain(keepAlive: KeepAlive, limitMs: number, heardAt: number): number {
    const restMs = Math.min(limitMs / looks, heardAt + limitMs - this.#awakeMs);
    const tick = this.#tick + Math.max(1, Math.ceil(restMs / tickMs));
    this.#due.set(tick, (this.#due.get(tick) ?? new Set()).add(keepAlive));
    return tick;
  }

  forget(keepAlive: KeepAlive, tick: number): void {
    this.#due.get(tick)?.delete(keepAlive);
    this.#size--;
    if (this.#size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#due.clear();
  }

  #arm(): void {
    this.#tickedAt = this.#clock.monotonic();
    this.#cancel = this.#clock.timer(tickMs, () => this.#sweep());
  }

  #sweep(): void {
    this.#awakeMs = this.now();
    this.#arm();
    const isEnding = this.#doubtful.length > 0;
    for (const last = Math.floor(this.#awakeMs / tickMs); this.#tick < last; ) {
      this.#tick++;
      const those = this.#due.get(this.#tick) ?? [];
      this.#due.delete(this.#tick);
      for (const each of those) {
        if (each.isSilent()) this.#doubtful.push(each);
        else each.rest();
      }
    }
    if (this.#doubtful.length > 0 && !isEnding) this.#nextTick(() => this.#endSilent());
  }

  #endSilent(): void {
    const those = this.#doubtful.slice(0, endsInATurn);
    this.#doubtful = this.#doubtful.slice(endsInATurn);
    for (const each of those) {
      if (each.isOver()) continue;
      if (each.isSilent()) each.heard.onSilent();
      else each.rest();
    }
    if (this.#doubtful.length > 0) this.#nextTick(() => this.#endSilent());
  }
}

/** Of one connection. A class, for its methods are shared: there are thousands. */
export class KeepAlive {
  readonly heard: Heard;
  readonly #limitMs: number;
  readonly #watch: KeepAliveWatch;
  #bytes: number;
  #heardAt: number;
  #tick: number;
  #isOver = false;

  constructor(heard: Heard, limitMs: number, watch: KeepAliveWatch) {
    this.heard = heard;
    this.#limitMs = limitMs;
    this.#watch = watch;
    this.#bytes = heard.bytesCome();
    this.#heardAt = watch.now();
    this.#tick = watch.lookAgain(this, limitMs, this.#heardAt);
  }

  isSilent(): boolean {
    const bytes = this.heard.bytesCome();
    if (bytes !== this.#bytes || this.heard.isHeldUp()) this.#heardAt = this.#watch.now();
    this.#bytes = bytes;
    return this.#watch.now() - this.#heardAt >= this.#limitMs;
  }

  /** Until the next look. */
  rest(): void {
    this.#tick = this.#watch.lookAgain(this, this.#limitMs, this.#heardAt);
  }

  isOver(): boolean {
    return this.#isOver;
  }

  /** The connection has ended. Idempotent. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#watch.forget(this, this.#tick);
  }
}
