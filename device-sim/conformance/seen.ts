// What an entry of the trace shows.
import { events as eventsShape, type LockEvent } from './lock-messages.ts';
import { memberOf } from './observer.ts';
import type { Link } from './relay.ts';
import { type Entry, type Said, saidOn, type Trace } from './trace.ts';

/** An event of the lock, with what carried it. */
export interface SeenEvent {
  readonly epoch: string;
  readonly event: LockEvent;
  readonly said: Said;
}

/** Whether it is a report that the bolt is there. */
export function reports(state: 'locked' | 'unlocked'): (entry: Entry) => entry is Said {
  return (entry): entry is Said => saidOn('state')(entry) && memberOf(entry.json, 'state') === state;
}

/** What this PUBACK is about. */
export function saidWith(trace: Trace, { link, packetId }: { readonly link: Link; readonly packetId: number }): Said | undefined {
  const fits = (entry: Entry): entry is Said => entry.kind === 'said' && entry.link === link && entry.packetId === packetId;
  return trace.entries.findLast(fits);
}

/** The events of a message; none when it is not understood. */
export function eventsIn(said: Said): readonly SeenEvent[] {
  const checked = eventsShape.safeParse(said.json);
  return checked.success ? checked.data.events.map((one) => ({ epoch: checked.data.epoch, event: one, said })) : [];
}
