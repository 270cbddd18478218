// schedules.json stores the schedules of the week, and the holidays.
import { z } from 'zod';
import { DomainError } from '../../../domain/errors.ts';
import type { Emit } from '../../../domain/event-bus.ts';
import type { ScheduleStore } from '../../../domain/people/people-ports.ts';
import type { Schedule } from '../../../domain/people/person.ts';
import type { FileLayer } from '../files.ts';
import { type BeforeUpgrade, createDocument, type Document } from './document.ts';
import type { DocumentFormat } from './document-format.ts';
import { scheduleId } from './id-schemas.ts';

const schedule = z.strictObject({
  scheduleId,
  name: z.string(),
  hours: z.array(z.strictObject({ days: z.array(z.int().min(1).max(8)), from: z.int(), to: z.int() })),
}) satisfies z.ZodType<Schedule>;

interface Schedules {
  /** By scheduleId. */
  readonly schedules: readonly Schedule[];
  readonly holidays: readonly string[];
}

export const scheduleFormat: DocumentFormat<Schedules> = {
  schemaVersion: 1,
  schema: z.strictObject({ schedules: z.array(schedule), holidays: z.array(z.string().regex(/^\d{4}-\d\d-\d\d$/)) }),
};

export interface ScheduleFile extends ScheduleStore {
  readonly document: Document<Schedules>;
  highest(): { readonly scheduleId: number };
}

/** Those of a new gateway. */
export const noSchedules: Schedules = { schedules: [], holidays: [] };

export function createScheduleFile(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly emit: Emit;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}): ScheduleFile {
  function onFlushed(after: Schedules, before: Schedules | undefined): void {
    if (before !== undefined && before !== after) options.emit('schedules-changed', {});
  }
  const document = createDocument({ ...options, format: scheduleFormat, onFlushed });
  const all = () => document.current().schedules;

  return {
    document,
    all,
    get: (scheduleId) => all().find((one) => one.scheduleId === scheduleId),
    holidays: () => document.current().holidays,
    async put(given) {
      await document.update((now) => {
        const others = now.schedules.filter((one) => one.scheduleId !== given.scheduleId);
        return { ...now, schedules: [...others, given].sort((a, b) => a.scheduleId - b.scheduleId) };
      });
    },
    async remove(scheduleId) {
      await document.update((now) => {
        const others = now.schedules.filter((one) => one.scheduleId !== scheduleId);
        if (others.length === now.schedules.length) throw new DomainError('not-found', `there is no schedule ${scheduleId}`);
        return { ...now, schedules: others };
      });
    },
    async setHolidays(dates) {
      await document.update((now) => ({ ...now, holidays: [...dates] }));
    },
    highest: () => ({ scheduleId: all().at(-1)?.scheduleId ?? 0 }),
  };
}
