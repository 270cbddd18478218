// One listener: first what is, then what happens. When it reads more slowly than things happen, or begins in the past, it gets records
// from the log and of all else the newest, at its own pace; so what waits for it is bounded, and no record is left out.
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/account.ts';
import { type LiveEvent, subjectOf } from '../../domain/events/live-event.ts';
import type { LiveService, Subscriber } from '../../domain/events/live-service.ts';
import type { Semaphore } from '../../domain/mutex.ts';
import { type EventText, heartbeatText, patienceText, readyText } from './event-text.ts';

/** Bytes that wait for one listener; beyond that it falls behind. */
const bytesAtMost = 64 * 1024;
/** Things about which a listener that is behind is still to be told, besides records. */
const subjectsAtMost = 5_000;
const atATime = 100;

export interface EventStream extends Subscriber {
  /** Begins with the locks in sight, then the records that were asked for, then what happens. */
  start(): void;
  /** Gives the connection what was heard since the last time. */
  flush(): void;
  /** Ends what has become of no use; else lets the client, and all between, know that there is somebody. Called at even intervals. */
  sweep(): void;
  /** What was told goes out first. */
  end(): void;
}

export type EndReason = 'slow' | 'rights' | 'failed';

export function createEventStream(options: {
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly live: LiveService;
  readonly textOf: EventText;
  /** The last record that the client had; undefined: it asks for none that is there already. */
  readonly lastRecordId: number | undefined;
  /** Throws when the client may not go on. */
  readonly authenticate: () => void;
  /** `flush` is to be called soon. */
  readonly onQueued: () => void;
  readonly onBehind: () => void;
  /** Works through records of the past when there is room for that; however slowly the client takes them, others can, too. */
  readonly inTurn: Semaphore;
  /** Reads some of them: a few listeners at a time, because doors wait meanwhile. */
  readonly readInTurn: Semaphore;
  /** It ends itself; not told when the client goes. */
  readonly onEnd: (reason: EndReason, error?: unknown) => void;
}): EventStream {
  const { response, caller, live, textOf, authenticate, onQueued, onBehind, inTurn, readInTurn, onEnd } = options;
  const toShow = [...live.locksOf(caller)].reverse();
  const missed = new Map<string, LiveEvent>(live.alarmsOf(caller).map((alarm) => [subjectOf(alarm), alarm]));
  // An id from another life of this gateway may be one that is still to come.
  let position = Math.min(options.lastRecordId ?? Number.MAX_SAFE_INTEGER, live.newestRecord());
  let isLive = false;
  let isReady = false;
  let isOver = false;
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  /** All that had been written at the last two sweeps. */
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
  /** Resolves when the connection has taken it, or is gone. */
  function written(text: Buffer): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
      response.write(text, () => resolve());
    });
  }
  function leave(reason: EndReason, error?: unknown): void {
    if (isOver) return;
    isOver = true;
    // What it has not read is not worth waiting for, or not for it to see any more.
    response.destroy();
    onEnd(reason, error);
  }

  function hear(event: LiveEvent): void {
    if (isOver) return;
    if (isLive && queuedBytes + response.writableLength <= bytesAtMost) {
      give(textOf(event));
      return;
    }
    if (isLive) fallBehind(event.type === 'record' ? event.record.recordId - 1 : live.newestRecord());
    if (event.type === 'record') return;
    const subject = subjectOf(event);
    // To the end: what is told last is newest.
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
        // Nothing has been waited for since it was seen that there is nothing more: no event can have been overlooked.
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
    // A right may have gone since.
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
  /** What was written two sweeps ago is still not taken. */
  function isStuck(): boolean {
    const written = response.socket?.bytesWritten ?? 0;
    const [older, newer] = marks;
    marks = [newer, written];
    return written - response.writableLength < older;
  }
  function stillMay(): boolean {
    try {
      authenticate();
      return true;
    } catch {
      leave('rights');
      return false;
    }
  }

  return {
    caller,
    hear,
    accountChanged: () => void (isOver || stillMay()),
    start: () => void catchUp(),
    flush,
    sweep() {
      if (isOver || !stillMay()) return;
      if (isStuck()) leave('slow');
      else if (isLive) give(heartbeatText(live.newestRecord()));
      else if (response.writableLength === 0) response.write(patienceText);
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
