// A document of what is said so often, and is so soon said again, that it is written together, some time later; a damaged one is no reason
// to refuse a start.
import { basename } from 'node:path';
import type { Log } from '../../../domain/part.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, createDocument, type DocumentFormat, NewerSchemaError } from './document.ts';

export interface WriteBehindDocument<T> {
  /** What was saved; undefined when there is nothing, or nothing that can be used: that is set aside. */
  load(): Promise<T | undefined>;
  /** Something has changed: it is saved when the delay is over, and tried again after another when that fails. */
  touch(): void;
  /** Saves what is not saved yet and ends the timer. Never rejects. */
  close(): Promise<void>;
}

/** Where the files of a store that are saved late come from. */
export interface WriteBehindOptions {
  readonly files: FileLayer;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}

export function createWriteBehindDocument<T extends object>(
  { files, path, clock, log, beforeUpgrade }: WriteBehindOptions,
  options: {
    readonly format: DocumentFormat<T>;
    readonly delayMs: number;
    /** What is in it, for the log: `the battery levels`. */
    readonly holds: string;
    /** What comes of losing it: `they begin anew`. */
    readonly whenLost: string;
    /** All of it, as it is now. */
    readonly value: () => T;
  },
): WriteBehindDocument<T> {
  const { format, delayMs, holds, whenLost, value } = options;
  const document = createDocument({ files, path, format, beforeUpgrade });
  let cancelTimer: (() => void) | undefined;
  let changed = false;
  let closed = false;

  async function save(): Promise<void> {
    cancelTimer = undefined;
    if (!changed) return;
    changed = false;
    try {
      await document.put(value());
    } catch (error) {
      log.warn({ code: 'status-not-saved', err: error }, `${holds} could not be saved; it is tried again`);
      touch();
    }
  }
  function touch(): void {
    changed = true;
    if (!closed) cancelTimer ??= clock.timer(delayMs, () => void save());
  }

  return {
    async load() {
      try {
        return (await document.load()) ? document.current() : undefined;
      } catch (error) {
        if (error instanceof NewerSchemaError) throw error;
        await files.rename(path, `${path}.damaged`);
        log.warn({ code: 'status-lost', err: error, kept: `${basename(path)}.damaged` }, `${holds} could not be read; ${whenLost}`);
        return undefined;
      }
    },
    touch,
    async close() {
      await document.idle();
      closed = true;
      cancelTimer?.();
      await save();
    },
  };
}
