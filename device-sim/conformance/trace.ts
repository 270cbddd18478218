// All that has passed between the lock and its gateway in this run, in the order in which the tool saw it.
import type { Connect } from './mqtt-packets.ts';
import type { Link } from './relay.ts';

interface Common {
  /** Milliseconds on the clock of this process that never jumps. */
  readonly at: number;
  readonly link: Link;
}

/** A PUBLISH of the lock. */
export interface Said extends Common {
  readonly kind: 'said';
  readonly topic: string;
  /** `hello`, `events` and so on; the whole topic when it is none of this lock's. */
  readonly channel: string;
  readonly qos: number;
  readonly retain: boolean;
  readonly dup: boolean;
  readonly packetId: number;
  readonly bytes: number;
  readonly text: string;
  /** Undefined when the text is no JSON. */
  readonly json: unknown;
}

/** A command that went to the lock; `isOurs`: from the tool, not from the gateway. */
export interface Commanded extends Common {
  readonly kind: 'commanded';
  readonly isOurs: boolean;
  readonly id: string;
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly session: string;
  readonly expires: number;
  readonly ttl: number;
}

/** The PUBACK of something that the lock said. */
export interface Acknowledged extends Common {
  readonly kind: 'acknowledged';
  readonly packetId: number;
}

export type Entry =
  | (Common & { readonly kind: 'opened' })
  | (Common & { readonly kind: 'connect'; readonly connect: Connect })
  | (Common & { readonly kind: 'connack'; readonly code: number })
  | (Common & {
      readonly kind: 'subscribe';
      readonly packetId: number;
      readonly filters: readonly { readonly filter: string; readonly qos: number }[];
    })
  | (Common & { readonly kind: 'suback'; readonly packetId: number; readonly codes: readonly number[] })
  | Said
  | Acknowledged
  | Commanded
  /** Any packet of the lock, beside what it is. */
  | (Common & { readonly kind: 'packet'; readonly type: number; readonly bytes: number })
  | (Common & { readonly kind: 'closed'; readonly by: 'lock' | 'us' | 'gateway' });

/** A place in the trace: what comes from here on. */
export type Mark = number;

export interface Trace {
  readonly entries: readonly Entry[];
  add(entry: Entry): void;
  mark(): Mark;
  since(mark: Mark): readonly Entry[];
  /** The first entry since the mark that fits, now or within `withinMs`; undefined when none comes. Rejects when the run is ended. */
  find<Found extends Entry>(mark: Mark, fits: (entry: Entry) => entry is Found, withinMs: number): Promise<Found | undefined>;
  /** Ends all waiting, now and from now on, by Interrupted; false: waiting is possible again. */
  interrupt(isOver: boolean): void;
}

interface Watcher {
  look(): void;
  stop(): void;
}

export function createTrace(): Trace {
  const entries: Entry[] = [];
  const watchers = new Set<Watcher>();
  let isInterrupted = false;

  return {
    entries,
    add(entry) {
      entries.push(entry);
      for (const { look } of watchers) look();
    },
    mark: () => entries.length,
    since: (mark) => entries.slice(mark),
    find(mark, fits, withinMs) {
      return new Promise((resolve, reject) => {
        let at = mark;
        const over = (): void => {
          clearTimeout(timer);
          watchers.delete(watcher);
        };
        const watcher: Watcher = {
          look() {
            for (; at < entries.length; at++) {
              const entry = entries[at];
              if (entry === undefined || !fits(entry)) continue;
              over();
              resolve(entry);
              return;
            }
          },
          stop() {
            over();
            reject(new Interrupted('the run was ended'));
          },
        };
        const timer = setTimeout(() => {
          over();
          resolve(undefined);
        }, withinMs);
        watchers.add(watcher);
        if (isInterrupted) watcher.stop();
        else watcher.look();
      });
    },
    interrupt(isOver) {
      isInterrupted = isOver;
      if (isOver) for (const { stop } of watchers) stop();
    },
  };
}

/** Somebody has ended the run. */
export class Interrupted extends Error {}

/** Whether the entry is something that the lock said on this channel, and, with `link`, on this connection. */
export function saidOn(channel: string, link?: Link): (entry: Entry) => entry is Said {
  return (entry): entry is Said => entry.kind === 'said' && entry.channel === channel && (link === undefined || entry.link === link);
}
