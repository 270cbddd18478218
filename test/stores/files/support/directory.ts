// A real directory, a quiet log, a settable clock, and a store over them, for the tests of this folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../../src/domain/clock.ts';
import { createEventBus, type EventBus } from '../../../../src/domain/event-bus.ts';
import type { Log } from '../../../../src/domain/part.ts';
import type { StoredEvents } from '../../../../src/domain/records/record-ports.ts';
import { createSecrets } from '../../../../src/stores/files/documents/secrets.ts';
import type { FileLayer } from '../../../../src/stores/files/files.ts';
import { createStore, type Store } from '../../../../src/stores/files/store.ts';

export async function withDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'store-test-'));
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export interface CapturedLog extends Log {
  readonly lines: string[];
}

/** Collects `level message {fields}`, one string each. */
export function captureLog(): CapturedLog {
  const lines: string[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal') };
}

export interface ManualClock extends Clock {
  set(now: number): void;
  /** Advances the clock and runs the timers that are due. */
  advance(ms: number): void;
  readonly timers: number;
}

export function manualClock(start = Date.UTC(2026, 10, 21, 9)): ManualClock {
  let now = start;
  let monotonic = 0;
  let timers: { at: number; action: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => monotonic,
    timer(delayMs, action) {
      const timer = { at: monotonic + delayMs, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    set(to) {
      now = to;
    },
    advance(ms) {
      now += ms;
      monotonic += ms;
      const due = timers.filter(({ at }) => at <= monotonic);
      timers = timers.filter(({ at }) => at > monotonic);
      for (const { action } of due) action();
    },
    get timers() {
      return timers.length;
    },
  };
}

export interface TestStore {
  readonly store: Store;
  readonly log: CapturedLog;
  readonly clock: ManualClock;
  readonly fatal: Error[];
  readonly events: EventBus;
}

interface TestOptions {
  readonly files?: FileLayer;
  readonly clock?: ManualClock;
  readonly onFailed?: (error: Error) => void;
  readonly onStored?: (stored: StoredEvents) => void;
  readonly beforeUpgrade?: () => Promise<void>;
}

/** Not started. */
export function testStore(directory: string, options: TestOptions = {}): TestStore {
  const log = captureLog();
  const clock = options.clock ?? manualClock();
  const fatal: Error[] = [];
  const events = createEventBus((_name, error) => {
    throw error;
  });
  if (options.onFailed !== undefined) events.subscribe('storage-failed', ({ error }) => options.onFailed?.(error));
  if (options.onStored !== undefined) events.subscribe('records-stored', options.onStored);
  const store = createStore({
    directory,
    clock,
    log,
    secrets: createSecrets(),
    onFatal: (error) => fatal.push(error),
    ...(options.files ? { files: options.files } : {}),
    emit: events.emit,
    ...(options.beforeUpgrade ? { beforeUpgrade: options.beforeUpgrade } : {}),
  });
  return { store, log, clock, fatal, events };
}

export async function startedStore(directory: string, options: TestOptions = {}): Promise<TestStore> {
  const made = testStore(directory, options);
  await made.store.start();
  return made;
}
