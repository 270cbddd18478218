// Live events as text/event-stream (HTML 9.2). An event is turned into bytes once, however many hear it.
import type { LiveEvent } from '../../domain/events/live-event.ts';
import { liveEventView } from '../api/views.ts';

export type EventText = (event: LiveEvent) => Buffer;

/** Only records have an id: it is where a client that was away goes on. */
function eventText(event: LiveEvent): Buffer {
  const id = event.type === 'record' ? `id: ${event.record.recordId}\n` : '';
  return Buffer.from(`${id}event: ${event.type}\ndata: ${JSON.stringify(liveEventView(event))}\n\n`);
}

/** All listeners of an event are told one after the other, so that it is enough to keep the last one. */
export function createEventText(): EventText {
  let last: LiveEvent | undefined;
  let text: Buffer | undefined;
  return (event) => {
    if (event !== last || text === undefined) text = eventText(event);
    last = event;
    return text;
  };
}

/** The beginning is complete: everything up to this record was told, as far as it was asked for. */
export function readyText(recordId: number): Buffer {
  return Buffer.from(`id: ${recordId}\nevent: ready\ndata: {}\n\n`);
}

/** A comment, and an id without an event: a client that was told of nothing does not ask for it all again (HTML 9.2.6). */
export function heartbeatText(recordId: number): Buffer {
  return Buffer.from(`:\nid: ${recordId}\n\n`);
}

/** A comment alone, for a client that has not been told everything up to now. */
export const patienceText = Buffer.from(':\n\n');
