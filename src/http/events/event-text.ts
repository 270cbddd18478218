// Live events as text/event-stream (HTML 9.2). An event is turned into bytes once for all listeners.
import type { LiveEvent } from '../../domain/events/live-event.ts';
import { liveEventView } from '../api/views.ts';

export type EventText = (event: LiveEvent) => Buffer;

/** Only records have an id: a client that was away goes on after it. */
function eventText(event: LiveEvent): Buffer {
  const id = event.type === 'record' ? `id: ${event.record.recordId}\n` : '';
  return Buffer.from(`${id}event: ${event.type}\ndata: ${JSON.stringify(liveEventView(event))}\n\n`);
}

/** Caches the text of the last event only: an event goes to all its listeners before the next event comes. */
export function createEventText(): EventText {
  let last: LiveEvent | undefined;
  let text: Buffer | undefined;
  return (event) => {
    if (event !== last || text === undefined) text = eventText(event);
    last = event;
    return text;
  };
}

/** Says that the beginning is complete: the client has all that it asked for, up to this record. */
export function readyText(recordId: number): Buffer {
  return Buffer.from(`id: ${recordId}\nevent: ready\ndata: {}\n\n`);
}

/** A comment, and an id without an event: so a client that has had no event does not ask for older records again (HTML 9.2.6). */
export function heartbeatText(recordId: number): Buffer {
  return Buffer.from(`:\nid: ${recordId}\n\n`);
}

/** A comment alone: the heartbeat for a client that is behind. */
export const patienceText = Buffer.from(':\n\n');
