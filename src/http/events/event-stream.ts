// One listener to live events. It first gets the present state, then each event. A listener that reads too slowly, or asks for records of
// the past, gets the records from the record log as fast as it reads them, and of all other events only the newest of each subject. So the
// memory for a listener is bounded, and it misses no record.
import type { ServerResponse } from 'node:http';
import { type Caller, hasFewerRights } from '../../domain/accounts/account.ts';
import { type LiveEvent, subjectOf } from '../../domain/events/live-event.ts';
import type { LiveService, Subscriber } from '../../domain/events/live-service.ts';
import type { Semaphore } from '../../domain/mutex.ts';
import { type EventText, heartbeatText, patienceText, readyText } from './event-text.ts';

/** Bytes that may be buffered for one listener; beyond that it falls behind. */
const bytesAtMost = 64 * 1024;
/** Subjects (such as a lock's state) whose newest event may wait for a listener that is behind; beyond that it is disconnected. */
const subjectsAtMost = 5_000;
const atATime = 100;

export interface EventStream extends Subscriber {
  /** Sends the locks that the caller may see, then the records that it asked for, then live events. */
  start(): void;
  /** Writes the events that are queued since the last flush. */
  flush(): void;
  /** Disconnects a client that reads nothing or may no longer listen; sends the others a heartbeat. Called at regular intervals. */
  sweep(): void;
  /** Ends the stream after the queued events. */
  end(): void;
  /** Ends it at once. */
  cut(): void;
}

export type EndReason = 'slow' | 'rights' | 'failed';

export function createEventStream(options: {
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly live: LiveService;
  readonly textOf: EventText;
  /** The last record that the client has; undefined: it asks for no stored records. */
  readonly lastRecordId: number | undefined;
  /** Who listens, with the rights of the moment. Throws when the client may no longer listen. */
  readonly authenticate: () => Caller;
  /** Called when an event is queued: `flush` must be called soon. */
  readonly onQueued: () => void;
  readonly onBehind: () => void;
  /** Limits how many listeners are sent records of the past at the same time. A slow one does not hold up those of other accounts. */
  readonly inTurn: Semaphore;
  /** Limits how many listeners read such records from the log at the same time, because doors wait meanwhile. */
  readonly readInTurn: Semaphore;
  /** Called when the stream ends by itself; not when the client leaves. */
  readonly onEnd: (reason: EndReason, error?: unknown) => void;
}): EventStream {
  const { response, caller, live, textOf, authenticate, onQueued, onBehind, inTurn, readInTurn, onEnd } = options;
  const toShow = [...live.locksOf(caller)].reverse();
  const missed = new Map<string, LiveEvent>(live.alarmsOf(caller).map((alarm) => [subjectOf(alarm), alarm]));
  // After a restore, the client's last id may be one that this gateway has not reached yet.
  let position = Math.min(options.lastRecordId ?? Number.MAX_SAFE_INTEGER, live.newestRecord());
  let isLive = false;
  let isReady = false;
  let isOver = false;
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  /** The number of bytes that had been written at the last two sweeps. */
  let marks: readonly [older: number, newer: number] = [0, 0];
  let wake: () => void = () => undefined;
  response.once('close', () => {
    isOver = true;
    wake();
  });

  function give(text: Buffer): void {
    queue.push(text);
    queuedBytes += text.length;
    if (queue.length === 1) onQueued();
  }
  function flush(): void {
    if (queue.length === 0 || isOver) return;
    const text = queue.length === 1 ? (queue[0] as Buffer) : Buffer.concat(queue);
    queue = [];
    queuedBytes = 0;
    response.write(text);
  }
  /** Resolves when the connection has accepted the text, or is closed. */
  function written(text: Buffer): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
      response.write(text, () => resolve());
    });
  }
  function leave(reason: EndReason, error?: unknown): void {
    if (isOver) return;
    isOver = true;
    // Unread bytes are dropped: the client is too slow, or may no longer see them.
    response.destroy();
    onEnd(reason, error);
  }

  function onEvent(event: LiveEvent): void {
    if (isOver) return;
    if (isLive && queuedBytes + response.writableLength <= bytesAtMost) {
      give(textOf(event));
      return;
    }
    if (isLive) fallBehind(event.type === 'record' ? event.record.recordId - 1 : live.newestRecord());
    if (event.type === 'record') return;
    const subject = subjectOf(event);
    // Delete first, so that the newest event is the last in the map.
    missed.delete(subject);
    missed.set(subject, event);
    if (missed.size > subjectsAtMost) leave('slow');
  }
  function fallBehind(lastRecordId: number): void {
    isLive = false;
    position = lastRecordId;
    onBehind();
    flush();
    void catchUp();
  }
  async function catchUp(): Promise<void> {
    try {
      while (!isOver && !isLive) {
        if (toShow.length > 0) await written(nextLocks());
        else if (missed.size > 0) await written(nextMissed());
        else if (position < live.newestRecord()) await inTurn(tellRecords);
        // No await lies between the check above and here, so no event can be missed.
        else goLive();
      }
    } catch (error) {
      leave('failed', error);
    }
  }
  function nextLocks(): Buffer {
    const locks = toShow.splice(-atATime).reverse();
    return Buffer.concat(locks.flatMap((lockId) => live.inSight(caller, lockId) ?? []).map(textOf));
  }
  function nextMissed(): Buffer {
    const some = [...missed].slice(0, atATime);
    for (const [subject] of some) missed.delete(subject);
    // The caller may have lost a role meanwhile.
    return Buffer.concat(some.filter(([, event]) => live.mayHear(caller, event)).map(([, event]) => textOf(event)));
  }
  async function tellRecords(): Promise<void> {
    const upTo = live.newestRecord();
    const unread = live.recordsSince(caller, position)[Symbol.asyncIterator]();
    const readSome = () =>
      readInTurn(async () => {
        const { value: records, done } = await unread.next();
        if (done === true) return undefined;
        return { records, text: Buffer.concat(records.map((record) => textOf({ type: 'record', lockId: record.lockId, record }))) };
      });
    try {
      for (let some = await readSome(); some !== undefined; some = await readSome()) {
        const last = some.records.at(-1);
        if (last !== undefined) await written(some.text);
        if (isOver) return;
        position = last?.recordId ?? position;
      }
      position = Math.max(position, upTo);
    } finally {
      await unread.return?.();
    }
  }
  function goLive(): void {
    isLive = true;
    if (!isReady) give(readyText(position));
    isReady = true;
  }
  /** Whether the client has still not read what was written two sweeps ago. */
  function isStuck(): boolean {
    const written = response.socket?.bytesWritten ?? 0;
    const [older, newer] = marks;
    marks = [newer, written];
    return written - response.writableLength < older;
  }
  /** Whether it may hear all that it could when it began: it is ended else, and who comes again gets what he may hear now. */
  function stillMay(): boolean {
    try {
      if (!hasFewerRights(authenticate(), caller)) return true;
    } catch {
      // Whatever is wrong with its token: it is no longer valid.
    }
    leave('rights');
    return false;
  }

  return {
    caller,
    onEvent,
    accountChanged: () => void (isOver || stillMay()),
    start: () => void catchUp(),
    flush,
    sweep() {
      if (isOver || !stillMay()) return;
      if (isStuck()) leave('slow');
      else if (isLive) give(heartbeatText(live.newestRecord()));
      else if (response.writableLength === 0) response.write(patienceText);
    },
    cut() {
      isOver = true;
      response.destroy();
    },
    end() {
      if (isOver) return;
      flush();
      isOver = true;
      wake();
      response.end();
    },
  };
}
