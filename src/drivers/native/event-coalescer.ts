// Messages of events that a lock has sent right behind one another, handed on as one: what is done once for a message, from the lock's
// status to the promise that waits for the flush, costs more than a single event. Each message was decoded and judged by itself before.

import type { EventsReport, LockEvent } from '../../domain/locks/lock-report.ts';
import type { LockLine } from './lock-line.ts';

/** As many events as one message may have (Protocol 4.4): to all behind this, a run is a message. */
const maxEvents = 100;

interface Run<R> {
  readonly connection: LockLine;
  readonly epoch: string;
  /** The events of each. */
  readonly messages: (readonly LockEvent[])[];
  events: number;
  readonly answer: Promise<R>;
  handOver(): void;
}

export interface EventRuns<R> {
  /** What becomes of the run of this message: all its messages have the same answer. `events`: 1 to 100. */
  add(connection: LockLine, epoch: string, events: readonly LockEvent[]): Promise<R>;
  /** Hands on what was added, at once: to be called before anything that must not overtake it. */
  handOver(): void;
}

/** `R`: what becomes of a message. `store` is called before anything else can happen: at the end of what was read at once, or with `handOver`. */
export function createEventRuns<R>(store: (connection: LockLine, report: EventsReport, messages: number) => Promise<R>): EventRuns<R> {
  let run: Run<R> | undefined;

  function begin(connection: LockLine, epoch: string, events: readonly LockEvent[]): Run<R> {
    let handOver = (): void => undefined;
    const answer = new Promise<R>((resolve) => {
      handOver = () => resolve(storeAll(begun));
    });
    const begun: Run<R> = { connection, epoch, messages: [events], events: events.length, answer, handOver };
    return begun;
  }
  /** Async, so that what is thrown rejects the answer. */
  async function storeAll({ connection, epoch, messages }: Run<R>): Promise<R> {
    // Full messages are not copied.
    const [only] = messages;
    const events = only !== undefined && messages.length === 1 ? only : messages.flat();
    return store(connection, { epoch, events }, messages.length);
  }
  function handOver(): void {
    const ended = run;
    run = undefined;
    ended?.handOver();
  }

  return {
    add(connection, epoch, events) {
      if (run?.connection === connection && run.epoch === epoch && run.events + events.length <= maxEvents) {
        run.messages.push(events);
        run.events += events.length;
        return run.answer;
      }
      handOver();
      run = begin(connection, epoch, events);
      queueMicrotask(handOver);
      return run.answer;
    },
    handOver,
  };
}
