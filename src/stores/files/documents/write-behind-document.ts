// A document whose values change and are reported again so often that it is written only after a delay; a damaged one does not stop the
// start.
import { basename } from 'node:path';
import type { Clock } from '../../../domain/clock.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, createDocument } from './document.ts';
import { type DocumentFormat, NewerSchemaError } from './document-format.ts';

export interface WriteBehindDocument<T> {
  /** The saved value; undefined when there is none, or when it is damaged: then it is set aside. */
  load(): Promise<T | undefined>;
  /** Notes a change: the document is saved after the delay, and tried again after another one when that fails. */
  touch(): void;
  /** Saves what is not saved yet and ends the timer. Never rejects. */
  close(): Promise<void>;
}

/** What every write-behind document of a store needs. */
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
    /** The content, for the log: `the battery levels`. */
    readonly holds: string;
    /** What losing it means, for the log: `they begin anew`. */
    readonly whenLost: string;
    /** The whole present value. */
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
