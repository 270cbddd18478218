// alarms.json: the alarms that stand, and what a person knows to be lost. A damaged one is set aside: most alarms are seen again by themselves.
import { z } from 'zod';
import { type Alarm, alarmKinds, type LostEvents } from '../domain/alarm.ts';
import type { Log } from '../domain/part.ts';
import type { AlarmStore, KeptAlarms } from '../domain/ports.ts';
import { type BeforeUpgrade, createDocument, type Document, NewerSchemaError } from './document.ts';
import type { FileLayer } from './files.ts';
import { lockId } from './id-schemas.ts';

const lost = z.array(z.strictObject({ epoch: z.string(), to: z.int() }) satisfies z.ZodType<LostEvents>);
const alarm = z.strictObject({
  kind: z.enum(alarmKinds),
  lockId: lockId.nullable(),
  since: z.int(),
  reason: z.string(),
  batteryPercent: z.int().exactOptional(),
  lost: lost.exactOptional(),
}) satisfies z.ZodType<Alarm>;

export const alarmFormat = {
  schemaVersion: 1,
  schema: z.strictObject({ alarms: z.array(alarm), acceptedLosses: z.array(z.strictObject({ lockId, lost })) }),
};

export interface AlarmFile extends AlarmStore {
  readonly document: Document<KeptAlarms>;
  open(): Promise<void>;
}

const none: KeptAlarms = { alarms: [], acceptedLosses: [] };

export function createAlarmFile(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): AlarmFile {
  const { files, path, log } = options;
  const document = createDocument<KeptAlarms>({ files, path, format: alarmFormat, beforeUpgrade: options.beforeUpgrade });
  let isThere = false;

  return {
    document,
    async open() {
      try {
        isThere = await document.load();
      } catch (error) {
        if (error instanceof NewerSchemaError) throw error;
        await files.rename(path, `${path}.damaged`);
        log.warn(
          { code: 'alarms-lost', err: error, kept: 'alarms.json.damaged' },
          'the alarms that stood were unusable; most are seen again by themselves',
        );
      }
    },
    current: () => (isThere ? document.current() : none),
    async keep(alarms) {
      await document.put(alarms);
      isThere = true;
    },
  };
}
