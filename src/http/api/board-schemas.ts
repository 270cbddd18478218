// What the board and the locking of a group take and answer (HTTP API 13.2 and 13.5).
import { z } from 'zod';
import { type AlarmKind, alarmKinds } from '../../domain/alarms/alarm.ts';
import type { BoardLock } from '../../domain/board/board-service.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { recordLabel } from '../../domain/records/record.ts';
import { integer, wholeNumber } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';

const id = z.int().min(1);
const dateMs = z.int().min(0);
const kind = z.enum(alarmKinds);
const idInBody = wholeNumber(1, Number.MAX_SAFE_INTEGER);

function idsInBody(most: number) {
  return z.array(idInBody, 'must be a list of ids').max(most, `must have at most ${most} ids`);
}

export const groupOrder = validate(z.strictObject({ groupIds: idsInBody(10_000) }), (body) => body);

export const chosenFavourites = validate(z.strictObject({ lockIds: idsInBody(100) }), ({ lockIds }) => ({ lockIds: lockIds as LockId[] }));

export const oneGroup = validate(z.object({ groupId: integer() }), (value) => value);

const lock = z.strictObject({
  lockId: id,
  name: z.string(),
  state: z.enum(['locked', 'unlocked']).nullable(),
  stateSure: z.boolean(),
  stateAt: z.int().nullable(),
  online: z.boolean(),
  battery: z.int().min(0).max(100).nullable(),
  alarms: z.array(kind),
  passage: z.boolean(),
  autoLockAt: z.int().nullable(),
  last: z.strictObject({ recordType: z.string(), username: z.string(), success: z.literal([0, 1]), lockDate: z.int() }).nullable(),
});

export const boardSchemas = {
  Board: z.strictObject({
    groups: z.array(z.strictObject({ groupId: z.int().min(0), name: z.string(), position: id, locks: z.array(lock) })),
    attention: z.array(z.strictObject({ lockId: id.nullable(), kind, since: dateMs })),
    favourites: z.array(id),
  }),
  LockedGroup: z.strictObject({ locks: z.array(z.strictObject({ lockId: id, result: z.string() })) }),
};

/** Written out member by member: it is made for each lock of a large building. */
export function boardLockView(seen: BoardLock): z.input<typeof lock> {
  const { last } = seen;
  return {
    lockId: seen.lockId,
    name: seen.alias,
    state: seen.state,
    stateSure: seen.stateSure,
    stateAt: seen.stateAt,
    online: seen.online,
    battery: seen.batteryPercent,
    alarms: seen.alarms as AlarmKind[],
    passage: seen.passage,
    autoLockAt: seen.autoLockAt,
    last: last && {
      recordType: recordLabel(last.type),
      username: last.username,
      success: last.success ? 1 : 0,
      lockDate: last.lockDate,
    },
  };
}
