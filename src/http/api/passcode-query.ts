// The parameters of the endpoints for passcodes (HTTP API 12.2).
import { z } from 'zod';
import { type CardId, hasEnded, isInOrder } from '../../domain/credentials/card.ts';
import type { NewPasscode, PasscodeType, PasscodeVia } from '../../domain/credentials/passcode.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { id, integer, millis, name, text, via } from '../pipeline/fields.ts';
import { validate, whenValid } from '../pipeline/validate.ts';

const lockId = id<LockId>();
const keyboardPwdId = id<CardId>();
const queue = z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0');
const types: readonly (PasscodeType | undefined)[] = [undefined, 'once', 'permanent', 'period'];
const dates = { startDate: millis.default(0), endDate: millis.default(0) };

const datesInOrder = { path: ['endDate'], error: 'must not be before startDate', when: whenValid('startDate', 'endDate') };

/** The type and the dates of a passcode; 0: no date. */
interface TypedDates {
  readonly keyboardPwdType?: number;
  readonly startDate: number;
  readonly endDate: number;
}
const whenTyped = whenValid('keyboardPwdType', 'startDate', 'endDate');
export const permanentFits = ({ keyboardPwdType, startDate, endDate }: TypedDates): boolean =>
  keyboardPwdType !== 2 || (startDate === 0 && endDate === 0);
export const noDatesOfPermanent = { path: ['startDate'], error: 'and endDate must be 0 with keyboardPwdType 2', when: whenTyped };
export const periodFits = ({ keyboardPwdType, startDate, endDate }: TypedDates): boolean =>
  keyboardPwdType !== 3 || startDate !== 0 || endDate !== 0;
export const dateOfPeriod = { path: ['startDate'], error: 'or endDate must be given with keyboardPwdType 3', when: whenTyped };

const queued = (typeName: string) => ({
  path: ['queue'],
  error: `must not be 1 with ${typeName} 1`,
  when: whenValid('queue', typeName),
});

const viaOf = (type: 'phone' | 'gateway', waits: '0' | '1'): PasscodeVia => (waits === '1' ? 'queue' : type);

export const onePasscode = validate(z.object({ lockId, keyboardPwdId }), ({ lockId, keyboardPwdId: passcodeId }) => ({
  lockId,
  passcodeId,
}));

/** `now` is the clock: a time that is over is refused. */
export const passcodeAdd = (now: () => number) =>
  validate(
    z
      .object({
        lockId,
        addType: via,
        keyboardPwdType: integer(1, 3),
        keyboardPwd: z
          .string()
          .regex(/^\d{4,9}$/, 'must be 4 to 9 decimal digits')
          .exactOptional(),
        digits: integer(4, 9).exactOptional(),
        ...dates,
        scheduleId: integer().exactOptional(),
        keyboardPwdName: text(0, 64).default(''),
        queue,
      })
      .refine(isInOrder, datesInOrder)
      .refine((given) => !hasEnded(given, now()), { ...datesInOrder, error: 'must not be in the past' })
      .refine(({ queue, addType }) => queue === '0' || addType === 'gateway', queued('addType'))
      .refine(({ addType, keyboardPwd }) => addType === 'gateway' || keyboardPwd !== undefined, {
        path: ['keyboardPwd'],
        error: 'must be given with addType 1',
        when: whenValid('addType', 'keyboardPwd'),
      })
      .refine(({ digits, keyboardPwd }) => digits === undefined || keyboardPwd === undefined, {
        path: ['digits'],
        error: 'must not be given with keyboardPwd',
        when: whenValid('digits', 'keyboardPwd'),
      })
      .refine(permanentFits, noDatesOfPermanent)
      .refine(periodFits, dateOfPeriod),
    ({ lockId, addType, queue, keyboardPwdType, keyboardPwd, keyboardPwdName, ...given }) => {
      const passcode: NewPasscode = {
        ...given,
        type: types[keyboardPwdType] ?? 'permanent',
        name: keyboardPwdName,
        ...(keyboardPwd !== undefined && { code: keyboardPwd }),
      };
      return { lockId, via: viaOf(addType, queue), passcode };
    },
  );

export const passcodeChange = validate(
  z
    .object({ lockId, keyboardPwdId, changeType: via, startDate: millis, endDate: millis, scheduleId: integer(0).exactOptional(), queue })
    .refine(isInOrder, datesInOrder)
    .refine(({ queue, changeType }) => queue === '0' || changeType === 'gateway', queued('changeType')),
  ({ lockId, keyboardPwdId: passcodeId, changeType, queue, scheduleId, startDate, endDate }) => ({
    lockId,
    passcodeId,
    via: viaOf(changeType, queue),
    times: { startDate, endDate, ...(scheduleId !== undefined && { scheduleId: scheduleId === 0 ? null : scheduleId }) },
  }),
);

export const passcodeRename = validate(
  z.object({ lockId, keyboardPwdId, keyboardPwdName: name, changeType: via }),
  ({ lockId, keyboardPwdId: passcodeId, keyboardPwdName }) => ({ lockId, passcodeId, name: keyboardPwdName }),
);

export const passcodeDelete = validate(
  z
    .object({ lockId, keyboardPwdId, deleteType: via, queue })
    .refine(({ queue, deleteType }) => queue === '0' || deleteType === 'gateway', queued('deleteType')),
  ({ lockId, keyboardPwdId: passcodeId, deleteType, queue }) => ({ lockId, passcodeId, via: viaOf(deleteType, queue) }),
);
