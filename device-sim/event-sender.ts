// Sends the events in a lock's memory to the gateway: oldest first, few at a time, each stored until its PUBACK (Protocol 4.4).
import type { LockEvent } from '../src/domain/locks/lock-report.ts';
import type { EventsMessage } from '../src/drivers/native/messages.ts';
import type { LockMemory } from './lock-memory.ts';

/** Sends one message and resolves with its PUBACK; rejects when the connection ends before. */
type PublishEvents = (message: EventsMessage) => Promise<void>;

export interface EventSender {
  /** A connection is up: the sender sends all unacknowledged events again, oldest first. */
  begin(publish: PublishEvents): void;
  /** The connection is gone. */
  end(): void;
  /** Sends the events that may be sent now; called after each new event was flushed. */
  pump(): void;
  /** Sends the stored events of from..to once more, before anything else; resolves with their number after the PUBACKs. */
  resend(epoch: string, from: number, to: number): Promise<number>;
  /** How many messages are sent and not yet acknowledged. */
  readonly inFlight: number;
}

interface Batch {
  readonly events: readonly LockEvent[];
  readonly acknowledged: () => void;
}

const eventsInMessage = 100;

/** `window`: at most so many messages without PUBACK (20, Protocol 4.4 rule 3). */
export function createEventSender(memory: LockMemory, window: number): EventSender {
  let link: { readonly publish: PublishEvents; inFlight: number } | undefined;
  let sentUpTo = 0;
  let again: Batch[] = [];

  function nextBatch(): Batch | undefined {
    const first = again.shift();
    if (first !== undefined) return first;
    const events = memory.contents.events.filter((event) => event.seq > sentUpTo && event.seq <= memory.flushedSeq);
    if (events.length === 0) return undefined;
    const batch = events.slice(0, eventsInMessage);
    sentUpTo = batch.at(-1)?.seq ?? sentUpTo;
    return { events: batch, acknowledged: () => undefined };
  }

  function pump(): void {
    while (link !== undefined && link.inFlight < window) {
      const batch = nextBatch();
      if (batch === undefined) return;
      send(batch, link);
    }
  }

  function send(batch: Batch, mine: { readonly publish: PublishEvents; inFlight: number }): void {
    mine.inFlight++;
    mine.publish({ epoch: memory.contents.epoch, events: batch.events }).then(
      () => {
        mine.inFlight--;
        memory.acknowledge(batch.events);
        batch.acknowledged();
        pump();
      },
      () => undefined, // the connection has ended; the next one sends them again
    );
  }

  return {
    get inFlight() {
      return link?.inFlight ?? 0;
    },
    begin(publish) {
      link = { publish, inFlight: 0 };
      sentUpTo = 0;
      again = [];
      pump();
    },
    end() {
      link = undefined;
    },
    pump,
    async resend(epoch, from, to) {
      const { contents } = memory;
      if (epoch !== contents.epoch) return 0;
      const kept = [...contents.history, ...contents.events].filter(
        (event) => event.seq >= from && event.seq <= to && event.seq <= memory.flushedSeq,
      );
      const batches: Promise<void>[] = [];
      for (let start = 0; start < kept.length; start += eventsInMessage) {
        const events = kept.slice(start, start + eventsInMessage);
        batches.push(
          new Promise((resolve) => {
            again.push({ events, acknowledged: resolve });
          }),
        );
      }
      pump();
      await Promise.all(batches);
      return kept.length;
    },
  };
}
