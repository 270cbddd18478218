// alarms.jsonl stores the active alarms and the losses that a person has accepted, as rows. A damaged file is set aside: the detector
// notices most alarms again.
import { basename } from 'node:path';
import { z } from 'zod';
import { type AcceptedLoss, type Alarm, alarmKinds, type LostEvents } from '../../../domain/alarms/alarm.ts';
import type { AlarmState, AlarmStore } from '../../../domain/alarms/alarm-ports.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, createDocument } from './document.ts';
import { type DocumentFormat, NewerSchemaError } from './document-format.ts';
import { readIfThere } from './durable-file.ts';
import { lockId } from './id-schemas.ts';
import { createRowFile, type RowFile } from './row-file.ts';
import type { RowFormat } from './row-reader.ts';
import { loadRows } from './row-upgrade.ts';

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

/** The format of alarms.json, which older programs wrote before there were rows. */
export const olderAlarms: DocumentFormat<AlarmState> = {
  schemaVersion: 1,
  schema: z.strictObject({ alarms: z.array(alarm), acceptedLosses: z.array(acceptedLoss) }),
};

export interface AlarmFile extends AlarmStore {
  open(): Promise<void>;
  /** Resolves when no write is under way. */
  idle(): Promise<void>;
}

export function createAlarmFile(options: {
  readonly files: FileLayer;
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): AlarmFile {
  const { files, directory, log, beforeUpgrade } = options;
  const older = `${directory}/alarms.json`;
  const path = `${directory}/alarms.jsonl`;
  const begin = (): RowFile<AlarmRow> => createRowFile({ files, path, format: alarmRows });
  let rows = begin();

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
    rows = begin();
  }

  return {
    async open() {
      const document = createDocument({ files, path: older, format: olderAlarms });
      const isThere = await loadRows({ files, rows, older: { path: older, document, rowsOf }, beforeUpgrade }).catch(setAside);
      if (!isThere) await rows.create([]);
    },
    async load() {
      const all = [...rows.entries()].map(([, row]) => row);
      return { alarms: all.filter(isAlarm), acceptedLosses: all.filter((row): row is AcceptedLoss => !isAlarm(row)) };
    },
    keep: ({ active, ended, acceptedLosses }) =>
      rows.update(() => [
        ...active.map((one) => [keyOf(one), one] as const),
        ...ended.map((one) => [keyOf(one), null] as const),
        ...acceptedLosses.map((loss) => [keyOf(loss), loss.lost.length > 0 ? loss : null] as const),
      ]),
    idle: () => rows.idle(),
  };
}

function isAlarm(row: AlarmRow): row is Alarm {
  return 'kind' in row;
}

/** An alarm is identified by its kind and its lock; an accepted loss by its lock. */
function keyOf(row: Pick<Alarm, 'kind' | 'lockId'> | AcceptedLoss): string {
  return `${'kind' in row ? row.kind : 'accepted'} ${row.lockId ?? 'gateway'}`;
}

function rowsOf({ alarms, acceptedLosses }: AlarmState): [string, AlarmRow][] {
  return [...alarms, ...acceptedLosses].map((row) => [keyOf(row), row]);
}
