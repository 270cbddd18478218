// alarms.jsonl stores the active alarms and the losses that a person has accepted, as rows. A damaged file is set aside: the detector
// notices most alarms again.
import { basename } from 'node:path';
import { z } from 'zod';
import { type AcceptedLoss, type Alarm, type AlarmKind, alarmKinds, type LostEvents } from '../../../domain/alarms/alarm.ts';
import type { AlarmStore, StoredAlarms } from '../../../domain/alarms/alarm-ports.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { LockId } from '../../../domain/locks/lock.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, createDocument } from './document.ts';
import { type DocumentFormat, NewerSchemaError } from './document-format.ts';
import { readIfThere } from './durable-file.ts';
import { lockId } from './id-schemas.ts';
import { createRowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';
import { loadRows } from './row-upgrade.ts';
import type { RowFile } from './rows.ts';

const lost = z.array(z.strictObject({ epoch: z.string(), to: z.int() }) satisfies z.ZodType<LostEvents>);
const alarm = z.strictObject({
  kind: z.enum(alarmKinds),
  lockId: lockId.nullable(),
  since: z.int(),
  reason: z.string(),
  batteryPercent: z.int().exactOptional(),
  lost: lost.exactOptional(),
}) satisfies z.ZodType<Alarm>;
const acceptedLoss = z.strictObject({ lockId, lost });

type AlarmRow = Alarm | AcceptedLoss;

export const alarmRows: RowFormat<AlarmRow> = { of: 'alarms', schemaVersion: 1, schema: z.union([alarm, acceptedLoss]) };

interface OlderAlarms {
  readonly alarms: readonly Alarm[];
  readonly acceptedLosses: readonly AcceptedLoss[];
}

/** The format of alarms.json, which older programs wrote before there were rows. */
export const olderAlarms: DocumentFormat<OlderAlarms> = {
  schemaVersion: 1,
  schema: z.strictObject({ alarms: z.array(alarm), acceptedLosses: z.array(acceptedLoss) }),
};

export interface AlarmFile extends AlarmStore {
  /** Reads it; a damaged one is set aside. */
  open(): Promise<void>;
  /** Makes it where there is none. */
  begin(): Promise<void>;
  /** Resolves when no write is under way. */
  idle(): Promise<void>;
}

export function createAlarmFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
  readonly emit: Emit;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): AlarmFile {
  const { files, directory, log, emit, beforeUpgrade } = options;
  const older = `${directory}/alarms.json`;
  const path = `${directory}/alarms.jsonl`;
  const begin = (): RowFile<AlarmRow> => createRowFile({ files, path, format: alarmRows, onFlushed });
  const losses = new Map<LockId, AcceptedLoss>();
  let rows = begin();
  let isOpen = false;

  function onFlushed(_key: string, after: AlarmRow | undefined, before: AlarmRow | undefined): void {
    const row = (after ?? before) as AlarmRow;
    if (isAlarm(row)) {
      if (isOpen) emit('alarm-changed', { before: before as Alarm | undefined, after: after as Alarm | undefined });
    } else if (after === undefined) losses.delete(row.lockId);
    else losses.set(row.lockId, row);
  }
  /** The alarms among rows that `get` finds. */
  function alarmsIn(get: (key: string) => AlarmRow | undefined): StoredAlarms {
    return {
      get: (kind, id) => get(keyOf({ kind, lockId: id })) as Alarm | undefined,
      accepted: (id) => (get(keyOf({ lockId: id })) as AcceptedLoss | undefined)?.lost ?? [],
    };
  }
  async function setAside(error: unknown): Promise<void> {
    if (error instanceof NewerSchemaError) throw error;
    const setAside: string[] = [];
    for (const file of [older, path]) {
      if ((await readIfThere(files, file).catch(() => true)) === undefined) continue;
      await files.rename(file, `${file}.damaged`);
      setAside.push(`${basename(file)}.damaged`);
    }
    log.warn(
      { code: 'alarms-lost', err: error, kept: setAside.join(', ') },
      'the alarms that stood were unusable; most are seen again by themselves',
    );
    losses.clear();
    rows = begin();
  }

  return {
    async open() {
      const document = createDocument({ files, path: older, format: olderAlarms });
      await loadRows({ files, rows, older: { path: older, document, rowsOf }, beforeUpgrade }).catch(setAside);
      isOpen = true;
    },
    async begin() {
      if (!rows.isThere()) await rows.create([]);
    },
    ...alarmsIn((key) => rows.get(key)),
    all: () => [...rows.entries()].flatMap(([, row]) => (isAlarm(row) ? [row] : [])),
    acceptedLosses: () => losses.values(),
    update: (change) =>
      rows.update(({ get }) => {
        const { active = [], ended = [], acceptedLosses = [] } = change(alarmsIn(get));
        const isSome = ({ lost }: AcceptedLoss): boolean => lost.length > 0;
        const put = [...active, ...acceptedLosses.filter(isSome)].map((row) => [keyOf(row), row] as const);
        const gone = [...ended, ...acceptedLosses.filter((loss) => !isSome(loss))].map(keyOf);
        return [...put, ...gone.filter((key) => get(key) !== undefined).map((key) => [key, null] as const)];
      }),
    idle: () => rows.idle(),
  };
}

function isAlarm(row: AlarmRow): row is Alarm {
  return 'kind' in row;
}

/** An alarm is identified by its kind and its lock; an accepted loss by its lock. */
function keyOf({ kind, lockId: id }: { readonly kind?: AlarmKind; readonly lockId: LockId | null }): string {
  return `${kind ?? 'accepted'} ${id ?? 'gateway'}`;
}

function rowsOf({ alarms, acceptedLosses }: OlderAlarms): [string, AlarmRow][] {
  return [...alarms, ...acceptedLosses].map((row) => [keyOf(row), row]);
}
