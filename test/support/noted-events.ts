// An event bus whose logged events a test can look at.
import { createEventBus } from '../../src/domain/event-bus.ts';
import { logEvents } from '../../src/platform/logger.ts';

/** An event that was logged: its name, and what it told. */
export type Notice = { readonly kind: string } & Readonly<Record<string, unknown>>;

/** What a subscriber throws reaches whoever has emitted: a test must see it. */
export function createNotedEvents() {
  const events = createEventBus((_name, error) => {
    throw error;
  });
  const notices: Notice[] = [];
  const note = ({ code, ...fields }: { readonly code?: string }): void => void notices.push({ kind: code ?? '', ...fields });
  logEvents(events, { debug: note, info: note, warn: note, error: note, fatal: note });
  return { events, emit: events.emit, notices };
}
