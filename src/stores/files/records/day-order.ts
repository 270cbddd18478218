// The table of a sealed day, from its file; made when it is first asked for.
import { basename } from 'node:path';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { type OrderedDay, openOrder, orderInMemory, type RecordOrder, writeOrder } from './order-file.ts';

export interface DayOrder {
  get(): Promise<RecordOrder>;
  /** The file is damaged: from now on the table is in memory; the next start looks at the file again. */
  damaged(): void;
  close(): Promise<void>;
}

export function createDayOrder(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly day: OrderedDay;
  readonly log: Log;
}): DayOrder {
  const { files, path, day, log } = options;
  let opened: Promise<RecordOrder | undefined> | undefined;

  async function open(): Promise<RecordOrder | undefined> {
    const found = await openOrder(files, path, day);
    if (found) return found;
    await writeOrder(files, path, day);
    return openOrder(files, path, day);
  }
  return {
    async get() {
      // A full disk must not keep people from reading; the next one tries again.
      opened ??= open().catch(() => {
        opened = undefined;
        return undefined;
      });
      return (await opened) ?? orderInMemory(day);
    },
    damaged() {
      log.warn({ code: 'index-remade', file: basename(path) }, 'the table of a day of records is damaged and was made again');
      const before = opened;
      opened = orderInMemory(day);
      void before?.then((order) => order?.close()).catch(() => undefined);
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
