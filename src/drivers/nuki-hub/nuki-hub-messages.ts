// The JSON payloads of nuki_hub. What is not understood of one is left out; half of one is none.
import { z } from 'zod';

const text = z.string().max(64);
const flag = z.union([z.boolean(), z.literal([0, 1, '0', '1'])]).transform((value) => value === true || value === 1 || value === '1');

/** One entry of the lock's log: `lock/rollingLog`, and the items of `lock/log` and `lock/shortLog`. */
export const logEntry = z.object({
  index: z.int().min(1),
  type: text,
  action: text.optional(),
  trigger: text.optional(),
  completionStatus: text.optional(),
  authorizationName: z.string().max(256).optional(),
  codeId: z.int().min(0).optional(),
  timeYear: z.int().min(2000).max(3000).optional(),
  timeMonth: z.int().min(1).max(12).optional(),
  timeDay: z.int().min(1).max(31).optional(),
  timeHour: z.int().min(0).max(23).optional(),
  timeMinute: z.int().min(0).max(59).optional(),
  timeSecond: z.int().min(0).max(59).optional(),
});
export type LogEntry = z.infer<typeof logEntry>;

/** `lock/log`: at most 100 entries, of which a bad one does not cost the good ones. */
export const logEntries = z.array(z.unknown()).max(200);

/** `lock/battery/basicJson`. */
export const batteryJson = z.object({
  level: z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number),
    ])
    .optional(),
  critical: flag.optional(),
});

/** `lock/json`. */
export const lockJson = z.object({ currentTime: text.optional(), lock_completion_status: text.optional() });

/** `lock/keypad/json`: the codes that the keypad has, without the digits unless its owner publishes them; null: it has none. */
export const keypadCodes = z
  .array(
    z.object({
      codeId: z.int().min(0),
      code: z.union([z.int(), text]).optional(),
      enabled: flag.optional(),
      name: z.string().max(256).optional(),
      timeLimited: flag.optional(),
      allowedFrom: text.optional(),
      allowedUntil: text.optional(),
    }),
  )
  .max(1000)
  .nullable();
export type KeypadCode = NonNullable<z.infer<typeof keypadCodes>>[number];
