// The parameters of the endpoints of TTLock's cloud, as values of the domain. What is needed to be safe is never guessed: a missing one is refused.
import { z } from 'zod';
import { type CardId, hasEnded, isInOrder } from '../../domain/credentials/card.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { dateOfPeriod, noDatesOfPermanent, periodFits, permanentFits } from '../api/passcode-query.ts';
import { cardNumber, id, integer, lockName, millis, name, text, via } from '../pipeline/fields.ts';
import { validate, whenValid } from '../pipeline/validate.ts';

const lockId = id<LockId>();
const cardId = id<CardId>();
const keyboardPwdId = id<CardId>();

/** TTLock's programs ask for more than they get, so a larger page is cut and not refused. */
function pageOf(sizeAtMost: number) {
  return {
    pageNo: integer().default(1),
    pageSize: integer()
      .default(20)
      .transform((size) => Math.min(size, sizeAtMost)),
  };
}
const longPage = pageOf(1_000);
const shortPage = pageOf(200);

/** 1, a phone has done it, is of no use for what the gateway stores only when the lock itself has said so. */
const byGateway = z.enum(['2'], { error: 'must be 2 (by gateway), because only what the lock itself says counts' });
const oneOrTwo = integer(1, 2);
/** By name, newest first, by name backwards. */
const order = { orderBy: integer(0, 2).exactOptional(), searchStr: text(0, 64).default('') };

const datesInOrder = { path: ['endDate'], error: 'must not be before startDate', when: whenValid('startDate', 'endDate') };
const datesNotPast = { ...datesInOrder, error: 'must not be in the past' };

const wantedLocks = { lockAlias: text(0, 64).default(''), groupId: integer(0).exactOptional() };

/** `isLift`: the controls of lifts are asked for, and not locks. */
export const ttlockLockPage = validate(
  z.object({ ...longPage, ...wantedLocks, type: oneOrTwo.default(1) }),
  ({ lockAlias: alias, groupId, type, ...page }) => ({ page, wanted: { alias, groupId }, isLift: type === 2 }),
);

export const ttlockKeyPage = validate(z.object({ ...longPage, ...wantedLocks }), ({ lockAlias: alias, groupId, ...page }) => ({
  ...{ page, wanted: { alias, groupId } },
}));

export const ttlockPage = validate(z.object(shortPage), (page) => page);

export const ttlockLockOnly = validate(z.object({ lockId }), (value) => value);

export const ttlockPageOfLock = validate(z.object({ lockId, ...shortPage }), ({ lockId, ...page }) => ({ lockId, page }));

export const ttlockOrderedPage = validate(z.object({ lockId, ...shortPage, ...order }), ({ lockId, orderBy, searchStr, ...page }) => ({
  lockId,
  page,
  orderBy,
  searched: searchStr.toLowerCase(),
}));

export const ttlockAutoLock = validate(
  z.object({ lockId, seconds: integer(Number.MIN_SAFE_INTEGER), type: byGateway }),
  ({ lockId, seconds }) => ({ lockId, seconds }),
);

export const ttlockSettingChange = validate(
  z.object({ lockId, type: integer(1, 99), value: integer(0), changeType: byGateway }),
  ({ lockId, type, value }) => ({ lockId, type, value }),
);

export const ttlockSetting = validate(z.object({ lockId, type: integer(1, 99) }), (value) => value);

const allWeek = [1, 2, 3, 4, 5, 6, 7];

/** `weekDays` is an array in JSON. */
function isAllWeek(weekDays: string): boolean {
  const days = new Set(weekDays.match(/\d+/g)?.map(Number));
  return /^\[[\d\s,]*\]$/.test(weekDays) && allWeek.every((day) => days.has(day));
}

/** `isTimed`: at certain hours or on certain days alone. */
export const ttlockPassageMode = validate(
  z
    .object({
      lockId,
      passageMode: oneOrTwo,
      type: byGateway,
      isAllDay: oneOrTwo.exactOptional(),
      autoUnlock: oneOrTwo.exactOptional(),
      weekDays: text(0, 200).exactOptional(),
      cyclicConfig: text(0, 10_000).default(''),
    })
    .refine(({ passageMode, isAllDay }) => passageMode === 2 || isAllDay !== undefined, {
      path: ['isAllDay'],
      error: 'must be given with passageMode 1',
      when: whenValid('passageMode', 'isAllDay'),
    }),
  ({ lockId, passageMode, autoUnlock, isAllDay, weekDays, cyclicConfig }) => ({
    lockId,
    isTimed: passageMode === 1 && (isAllDay === 2 || weekDays === undefined || !isAllWeek(weekDays) || !isEmpty(cyclicConfig)),
    settings: { passageMode, ...(autoUnlock !== undefined && { passageModeAutoUnlock: autoUnlock }) },
  }),
);

export const ttlockRename = validate(z.object({ lockId, lockAlias: lockName }), ({ lockId, lockAlias: alias }) => ({ lockId, alias }));

/** Of what opens at certain hours of the week; some programs send it empty. */
function isEmpty(cyclicConfig: string): boolean {
  return /^(?:\[\s*\]|null)?$/.test(cyclicConfig.trim());
}
const cyclic = { cyclicConfig: text(0, 10_000).default('') };

/** `now` is the clock: a time that is over is refused. */
export const ttlockPasscodeAdd = (now: () => number) =>
  validate(
    z
      .object({
        lockId,
        keyboardPwd: z.string().regex(/^\d{4,9}$/, 'must be 4 to 9 decimal digits'),
        keyboardPwdName: text(0, 64).default(''),
        keyboardPwdType: integer(2, 3).exactOptional(),
        startDate: millis.default(0),
        endDate: millis.default(0),
        addType: byGateway,
        ...cyclic,
      })
      .refine(isInOrder, datesInOrder)
      .refine((given) => !hasEnded(given, now()), datesNotPast)
      .refine(permanentFits, noDatesOfPermanent)
      .refine(periodFits, dateOfPeriod),
    ({ lockId, keyboardPwd: code, keyboardPwdName: name, startDate, endDate, cyclicConfig }) => ({
      lockId,
      isCyclic: !isEmpty(cyclicConfig),
      passcode: { type: startDate === 0 && endDate === 0 ? ('permanent' as const) : ('period' as const), code, name, startDate, endDate },
    }),
  );

/** A new name, new times, or both; `isNewCode`: other digits. */
export const ttlockPasscodeChange = validate(
  z
    .object({
      lockId,
      keyboardPwdId,
      keyboardPwdName: name.exactOptional(),
      newKeyboardPwd: text(0, 64).default(''),
      startDate: millis.exactOptional(),
      endDate: millis.exactOptional(),
      changeType: byGateway.exactOptional(),
    })
    .refine(({ startDate, endDate }) => (startDate === undefined) === (endDate === undefined), {
      path: ['endDate'],
      error: 'and startDate must be given together',
      when: whenValid('startDate', 'endDate'),
    })
    .refine(({ startDate, changeType }) => startDate === undefined || changeType !== undefined, {
      path: ['changeType'],
      error: 'must be 2 (by gateway) with other dates',
      when: whenValid('startDate', 'changeType'),
    })
    .refine(({ startDate = 0, endDate = 0 }) => isInOrder({ startDate, endDate }), datesInOrder)
    .refine(({ keyboardPwdName, newKeyboardPwd, startDate }) => (keyboardPwdName ?? startDate) !== undefined || newKeyboardPwd !== '', {
      path: ['keyboardPwdName'],
      error: 'or startDate and endDate must be given',
      when: whenValid('keyboardPwdName', 'newKeyboardPwd', 'startDate', 'endDate'),
    }),
  ({ lockId, keyboardPwdId: passcodeId, keyboardPwdName: name, newKeyboardPwd, startDate, endDate }) => ({
    ...{ lockId, passcodeId, name, isNewCode: newKeyboardPwd !== '' },
    times: startDate === undefined || endDate === undefined ? undefined : { startDate, endDate },
  }),
);

export const ttlockPasscodeDelete = validate(
  z.object({ lockId, keyboardPwdId, deleteType: byGateway }),
  ({ lockId, keyboardPwdId: passcodeId }) => ({ lockId, passcodeId }),
);

export const ttlockRecordRange = validate(
  z
    .object({
      lockId,
      ...shortPage,
      startDate: millis.default(0),
      endDate: millis.default(0),
      recordType: integer(Number.MIN_SAFE_INTEGER).exactOptional(),
    })
    .refine(isInOrder, datesInOrder),
  ({ lockId, recordType, ...range }) => ({ lockId, range, recordType }),
);

/** `now` is the clock: a validity that is over is refused. */
export const ttlockCardAdd = (now: () => number) =>
  validate(
    z
      .object({
        ...{ lockId, cardNumber, cardName: text(0, 64).default(''), startDate: millis, endDate: millis, addType: via, ...cyclic },
        cardType: integer().default(1),
      })
      .refine(isInOrder, datesInOrder)
      .refine((card) => !hasEnded(card, now()), datesNotPast),
    ({ lockId, addType, cardNumber, cardName: name, startDate, endDate, cardType, cyclicConfig }) => ({
      lockId,
      via: addType,
      isCyclic: cardType !== 1 || !isEmpty(cyclicConfig),
      card: { cardNumber, name, startDate, endDate },
    }),
  );

export const ttlockCardPeriod = validate(
  z.object({ lockId, cardId, startDate: millis, endDate: millis, changeType: via, ...cyclic }).refine(isInOrder, datesInOrder),
  ({ lockId, cardId, changeType, startDate, endDate, cyclicConfig }) => ({
    ...{ lockId, cardId, via: changeType, validity: { startDate, endDate } },
    isCyclic: !isEmpty(cyclicConfig),
  }),
);

export const ttlockCardRename = validate(z.object({ lockId, cardId, cardName: name }), ({ lockId, cardId, cardName }) => ({
  ...{ lockId, cardId, name: cardName },
}));

export const ttlockCardDelete = validate(z.object({ lockId, cardId, deleteType: via }), ({ lockId, cardId, deleteType }) => ({
  ...{ lockId, cardId, via: deleteType },
}));

const greatestMac = 2 ** 48 - 1;
export const ttlockGateway = validate(z.object({ gatewayId: integer(1, greatestMac) }), (value) => value);

export const ttlockNothing = validate(z.object({}), () => ({}));
