// All listeners to live events: limits their number, sends the heartbeat, and decides who reads and writes next.
import type { ServerResponse } from 'node:http';
import type { AccountId, Caller } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LiveService } from '../../domain/events/live-service.ts';
import { createSemaphore, type Semaphore } from '../../domain/mutex.ts';
import type { Log } from '../../domain/part.ts';
import { createEventStream, type EndReason, type EventStream } from './event-stream.ts';
import { createEventText } from './event-text.ts';

const listenersAtMost = 2_000;
/** The remaining places are for gateway administrators, so that two other accounts cannot take all of them. */
const listenersOfOthers = 1_800;
const listenersOfAccount = 1_000;
const sweepMs = 15_000;
/** Listeners that are sent records of the past at the same time: each has a chunk of the log in memory. */
const replaysAtOnce = 32;
const replaysOfAccount = 4;
/** Listeners whose chunk is read and turned into text at the same time: doors wait meanwhile. */
const readsAtOnce = 2;
/** Listeners that are flushed in one tick of the event loop: each costs a system call, and doors wait meanwhile. */
const flushesAtOnce = 64;

export interface EventStreams {
  /** Throws `rate-limited` when there are too many listeners, of this account or in all. Call it before `begin`. */
  requireRoom(caller: Caller): void;
  /** Begins a stream on a response whose head is sent; from now on the stream owns the response. */
  begin(listener: {
    readonly response: ServerResponse;
    readonly caller: Caller;
    readonly lastRecordId: number | undefined;
    readonly authenticate: () => Caller;
  }): void;
  /** Ends all streams with whatever is queued; new ones may begin. */
  cut(): void;
  /** Ends all streams after their queued events. Idempotent. */
  close(): void;
  stats(): EventStats;
}

export interface EventStats {
  readonly listeners: number;
  /** Counters since the start: listeners that fell behind; that were disconnected for reading nothing; that were refused. */
  readonly behind: number;
  readonly slow: number;
  readonly refused: number;
}

interface OfAccount {
  listeners: number;
  readonly inTurn: Semaphore;
}

export function createEventStreams(options: { readonly live: LiveService; readonly clock: Clock; readonly log: Log }): EventStreams {
  const { live, clock, log } = options;
  const streams = new Set<EventStream>();
  const accounts = new Map<AccountId, OfAccount>();
  const textOf = createEventText();
  const inTurn = createSemaphore(replaysAtOnce);
  const readInTurn = createSemaphore(readsAtOnce);
  const stats = { behind: 0, slow: 0, refused: 0 };
  /** Streams with queued events, in the order in which their first event came. */
  let queued: EventStream[] = [];
  let cancelSweep: (() => void) | undefined;
  let isClosed = false;

  function queue(stream: EventStream): void {
    if (queued.length === 0) setImmediate(flushSome);
    queued.push(stream);
  }
  /** While a stream waits for its flush, more events join its queue: under load one write carries many events. */
  function flushSome(): void {
    const some = queued.slice(0, flushesAtOnce);
    queued = queued.slice(flushesAtOnce);
    if (queued.length > 0) setImmediate(flushSome);
    for (const stream of some) stream.flush();
  }
  function sweep(): void {
    cancelSweep = streams.size > 0 ? clock.timer(sweepMs, sweep) : undefined;
    for (const stream of streams) stream.sweep();
  }
  function ofAccount(accountId: AccountId): OfAccount {
    const known = accounts.get(accountId);
    if (known !== undefined) return known;
    const made = { listeners: 0, inTurn: createSemaphore(replaysOfAccount) };
    accounts.set(accountId, made);
    return made;
  }

  return {
    requireRoom({ accountId, gatewayAdministrator }) {
      const inAll = gatewayAdministrator ? listenersAtMost : listenersOfOthers;
      const isFull = isClosed || streams.size >= inAll || (accounts.get(accountId)?.listeners ?? 0) >= listenersOfAccount;
      if (!isFull) return;
      stats.refused += 1;
      throw new DomainError('rate-limited', 'there are too many listeners to live events', { retryAfterSeconds: 10 });
    },
    begin({ response, caller, lastRecordId, authenticate }) {
      // Its client has left while the request waited for its turn: nobody would hear again that it is closed.
      if (response.destroyed) return;
      const { accountId, username } = caller;
      const own = ofAccount(accountId);
      const stream: EventStream = createEventStream({
        ...{ response, caller, live, textOf, lastRecordId, authenticate },
        onQueued: () => queue(stream),
        inTurn: (work) => own.inTurn(() => inTurn(work)),
        readInTurn,
        onBehind() {
          stats.behind += 1;
        },
        onEnd(reason: EndReason, error) {
          if (reason === 'slow') stats.slow += 1;
          if (reason === 'failed')
            log.warn({ code: 'listener-ended', account: username, err: error }, 'a listener to live events was ended because of the disk');
          else log.info({ account: username, reason }, 'a listener to live events was ended');
        },
      });
      const unsubscribe = live.subscribe(stream);
      own.listeners += 1;
      streams.add(stream);
      response.once('close', () => {
        unsubscribe();
        streams.delete(stream);
        own.listeners -= 1;
        if (own.listeners === 0) accounts.delete(accountId);
      });
      cancelSweep ??= clock.timer(sweepMs, sweep);
      stream.start();
    },
    cut() {
      for (const stream of streams) stream.cut();
    },
    close() {
      isClosed = true;
      cancelSweep?.();
      for (const stream of streams) stream.end();
    },
    stats: () => ({ listeners: streams.size, ...stats }),
  };
}
