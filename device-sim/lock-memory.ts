// A lock's non-volatile memory: one JSON file, written whole (temp, fsync, rename, fsync of the folder), so that a power cut
// at any instant leaves the old or the new contents. A new file is a new epoch (Protocol 4.4).
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { LockEvent } from '../src/domain/locks/lock-report.ts';
import { eventMessage, helloMessage } from '../src/drivers/native/messages.ts';
import { cardDigest } from './card-memory.ts';
import { storedCard, storedPasscode } from './credential-memory.ts';
import { calendar } from './weekly-hours.ts';

const memoryContents = z.object({
  epoch: z.string().min(1).max(32),
  lastSeq: z.int().min(0),
  /** Events that the gateway has not acknowledged yet, oldest first. */
  events: z.array(eventMessage),
  /** The newest acknowledged events, for resend-events. */
  history: z.array(eventMessage),
  /** How many events were dropped because the memory was full. */
  dropped: z.int().min(0),
  cards: z.array(storedCard),
  passcodes: z.array(storedPasscode).default([]),
  /** One-time codes and cards that were used up lately, so that a second try is named. */
  used: z.array(z.object({ kind: z.enum(['card', 'passcode']), number: z.string() })).default([]),
  calendar: calendar.exactOptional(),
  settings: helloMessage.shape.settings.unwrap(),
  autoLockSeconds: z.int().min(0).max(65_535),
  bolt: z.enum(['locked', 'unlocked']),
  /** Not rounded; the lock reports it rounded. */
  batteryPercent: z.number().min(0).max(100),
  timezoneRawOffset: z.int(),
  deviceKey: z.string().exactOptional(),
  lockId: z.int().exactOptional(),
});
export type MemoryContents = z.infer<typeof memoryContents>;

/** The memory of a lock as it leaves the factory. */
export type FactoryContents = Omit<MemoryContents, 'epoch' | 'lastSeq' | 'events' | 'history' | 'dropped' | 'used'>;

export interface LockMemory {
  readonly contents: MemoryContents;
  /** The newest event that is flushed. A later one must not be sent, because its seq could be used again after a power cut. */
  readonly flushedSeq: number;
  /** Changes the memory. The change holds at once, and is on the disk when `saved` resolves. */
  change(changes: Partial<MemoryContents>): void;
  /** Gives the event the next seq and stores it until it is acknowledged; a full memory drops its oldest event. */
  addEvent(event: Omit<LockEvent, 'seq'>): LockEvent;
  /** Marks these events as acknowledged: the PUBACK of their message has come. */
  acknowledge(events: readonly LockEvent[]): void;
  /** Resolves when everything changed so far is written and flushed; rejects when it could not be. */
  saved(): Promise<void>;
  /** Resolves when the gateway has acknowledged all events. */
  whenAcknowledged(): Promise<void>;
  /** A power cut: no write begins from now on; resolves when the write under way is over. */
  halt(): Promise<void>;
}

export interface LockMemoryOptions {
  readonly file: string;
  readonly factory: FactoryContents;
  /** How many unacknowledged events fit. */
  readonly eventCapacity: number;
  /** How many acknowledged events are stored for resend-events. */
  readonly historyCapacity: number;
  /** False: no fsync; for load tests, which do not test the disk of the lock. */
  readonly flush: boolean;
}

/** Reads the file, or makes a new one with a new epoch. Rejects with a sentence that names the file when it cannot be used. */
export async function openLockMemory(options: LockMemoryOptions): Promise<LockMemory> {
  const found = await readContents(options.file);
  let contents: MemoryContents = found ?? {
    ...options.factory,
    epoch: randomBytes(4).toString('hex'),
    lastSeq: 0,
    events: [],
    history: [],
    dropped: 0,
    used: [],
  };
  let flushedSeq = found?.lastSeq ?? 0;
  let halted = false;
  let watchers: (() => void)[] = [];

  async function write(): Promise<void> {
    if (halted) throw new Error('the power is cut');
    const seq = contents.lastSeq;
    await writeDurably(options.file, JSON.stringify(contents), options.flush);
    flushedSeq = seq;
  }
  const { touch, saved, written } = createSaver(write);

  function change(changes: Partial<MemoryContents>): void {
    contents = { ...contents, ...changes };
    touch();
    // Callers that need to know await `saved`; a failed write is tried again with the next change.
    saved().catch(() => undefined);
  }

  if (found === undefined) touch();
  await saved();
  return {
    get contents() {
      return contents;
    },
    get flushedSeq() {
      return flushedSeq;
    },
    change,
    addEvent(draft) {
      const event: LockEvent = { seq: contents.lastSeq + 1, ...draft };
      const tooMany = Math.max(0, contents.events.length + 1 - options.eventCapacity);
      change({ lastSeq: event.seq, events: [...contents.events.slice(tooMany), event], dropped: contents.dropped + tooMany });
      return event;
    },
    acknowledge(events) {
      const gone = new Set(events.map((event) => event.seq));
      const acknowledged = contents.events.filter((event) => gone.has(event.seq));
      if (acknowledged.length === 0) return;
      const history = [...contents.history, ...acknowledged].sort((a, b) => a.seq - b.seq);
      change({
        events: contents.events.filter((event) => !gone.has(event.seq)),
        history: options.historyCapacity === 0 ? [] : history.slice(-options.historyCapacity),
      });
      if (contents.events.length > 0) return;
      for (const resolve of watchers) resolve();
      watchers = [];
    },
    saved,
    whenAcknowledged() {
      if (contents.events.length === 0) return Promise.resolve();
      return new Promise((resolve) => watchers.push(resolve));
    },
    halt() {
      halted = true;
      return written().catch(() => undefined);
    },
  };
}

/** Writes what has changed, one write at a time: changes that come during a write go out together in the next one. */
function createSaver(write: () => Promise<void>) {
  let changed = 0;
  let saved = 0;
  let writingUpTo = 0;
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function writeUpTo(version: number): Promise<void> {
    await write();
    saved = version;
  }
  function begin(): Promise<void> {
    next = undefined;
    writingUpTo = changed;
    current = writeUpTo(changed).finally(() => {
      writingUpTo = 0;
    });
    return current;
  }
  return {
    touch(): void {
      changed += 1;
    },
    /** As `LockMemory.saved`. */
    saved(): Promise<void> {
      if (saved === changed) return Promise.resolve();
      if (next !== undefined) return next;
      if (writingUpTo === changed) return current;
      next = current.then(begin, begin);
      return next;
    },
    /** Settles with the write under way. */
    written: (): Promise<void> => current,
  };
}

async function readContents(file: string): Promise<MemoryContents | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`the lock memory ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return memoryContents.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`the lock memory ${file} is damaged; remove it and the lock begins anew, in a new epoch`, { cause: error });
  }
}

async function writeDurably(file: string, text: string, flush: boolean): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.tmp`;
  const handle = await open(temporary, 'w', 0o600); // it holds the device key
  try {
    await handle.writeFile(text);
    if (flush) await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  if (!flush) return;
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** What a hello says of the memory (Protocol 4.1). */
export function contentsInHello({ contents, flushedSeq }: LockMemory) {
  const { autoLockSeconds, settings, cards, epoch } = contents;
  return {
    autoLockTime: autoLockSeconds,
    settings,
    cards: { count: cards.length, digest: cardDigest(cards) },
    epoch,
    lastSeq: flushedSeq,
  };
}
