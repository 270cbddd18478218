// The parameters of every endpoint: turns the names of the specification into domain values (HTTP API 1, 5, 6 and 8).
import { z } from 'zod';
import { alarmKinds } from '../../domain/alarms/alarm.ts';
import { type CardId, type CardVia, hasEnded, isInOrder } from '../../domain/credentials/card.ts';
import type { LockId, LockSettings } from '../../domain/locks/lock.ts';
import type { WebhookId } from '../../domain/webhooks/webhook.ts';
import { cardNumber, id, integer, lockName, mac, millis, name, text, username, via } from './fields.ts';
import { validate, whenValid } from './validate.ts';

const lockId = id<LockId>();
const cardId = id<CardId>();

/** Specification 4.3: pageNo from 1, pageSize 10 to 1000. */
export const page = { pageNo: integer().default(1), pageSize: integer(10, 1000) };

const datesInOrder = {
  path: ['endDate'],
  error: 'must not be before startDate',
  when: whenValid('startDate', 'endDate'),
};

export const noParameters = validate(z.object({}), () => undefined);

/** Which locks a list is to hold. */
export const wantedLocks = { lockAlias: text(0, 64).exactOptional(), groupId: integer(0).exactOptional() };

export const lockList = validate(z.object({ ...page, ...wantedLocks }), ({ lockAlias, groupId, ...page }) => ({
  page,
  wanted: { alias: lockAlias, groupId },
}));

export const oneLock = validate(z.object({ lockId }), (value) => value);

/** `clear`: the gateway first removes the lock's cards from the lock. */
export const lockRemoval = validate(
  z.object({ lockId, clear: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false') }),
  ({ lockId, clear }) => ({ lockId, clear: clear === 'true' }),
);

export const autoLock = validate(z.object({ lockId, seconds: integer(0, 65_535) }), (value) => value);

export const recordRange = validate(
  z.object({ lockId, ...page, startDate: millis.default(0), endDate: millis.default(0) }).refine(isInOrder, datesInOrder),
  ({ lockId, ...range }) => ({ lockId, range }),
);

export const lockRename = validate(z.object({ lockId, lockAlias: lockName }), ({ lockId, lockAlias }) => ({ lockId, alias: lockAlias }));

const setting = integer(1, 2).exactOptional();
const settingNames = 'lockSound, privacyLock, tamperAlert, resetButton, openDirection, passageMode or passageModeAutoUnlock';

export const lockSettings = validate(
  z
    .object({
      lockId,
      lockSound: setting,
      privacyLock: setting,
      tamperAlert: setting,
      resetButton: setting,
      openDirection: setting,
      passageMode: setting,
      passageModeAutoUnlock: setting,
    })
    .refine(({ lockId: _, ...settings }) => Object.keys(settings).length > 0, {
      path: ['lockSound'],
      error: `or another setting must be given (${settingNames})`,
      when: ({ issues }) => issues.every((issue) => issue.path?.[0] === 'lockId'),
    }),
  ({ lockId, ...settings }): { lockId: LockId; settings: Partial<LockSettings> } => ({ lockId, settings }),
);

export const passcodeList = validate(z.object({ lockId, ...page }), ({ lockId, ...page }) => ({ lockId, page }));

export const oneCard = validate(z.object({ lockId, cardId }), (value) => value);

/** A list that is not in the specification: all rows (up to 1000) unless the client asks for a page. */
export const wholeLockList = validate(
  z.object({ lockId, pageNo: integer().default(1), pageSize: integer(1, 1000).default(1000) }),
  ({ lockId, ...page }) => ({ lockId, page }),
);

const queue = z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0');

/** A phone has done it already, or it waits for the lock. */
const mayWait = (typeName: string) => ({ path: ['queue'], error: `must not be 1 with ${typeName} 1`, when: whenValid('queue', typeName) });

const viaOf = (type: 'phone' | 'gateway', waits: '0' | '1'): CardVia => (waits === '1' ? 'queue' : type);

/** `now` is the clock: a validity that has ended is refused. */
export const cardAdd = (now: () => number) =>
  validate(
    z
      .object({
        lockId,
        cardNumber,
        method: z.enum(['regular', 'reverse'], { error: 'must be regular or reverse' }),
        addType: via,
        startDate: millis,
        endDate: millis,
        cardName: text(0, 64).default(''),
        queue,
      })
      .refine(isInOrder, datesInOrder)
      .refine(({ queue, addType }) => queue === '0' || addType === 'gateway', mayWait('addType'))
      .refine((card) => !hasEnded(card, now()), { ...datesInOrder, error: 'must not be in the past' }),
    ({ lockId, addType, method, cardName, queue, ...card }) => ({
      lockId,
      via: viaOf(addType, queue),
      card: { ...card, byteOrder: method, name: cardName },
    }),
  );

export const cardValidity = validate(
  z
    .object({ lockId, cardId, changeType: via, startDate: millis, endDate: millis, queue })
    .refine(isInOrder, datesInOrder)
    .refine(({ queue, changeType }) => queue === '0' || changeType === 'gateway', mayWait('changeType')),
  ({ lockId, cardId, changeType, queue, ...validity }) => ({ lockId, cardId, via: viaOf(changeType, queue), validity }),
);

export const cardRename = validate(z.object({ lockId, cardId, cardName: name, changeType: via }), ({ lockId, cardId, cardName }) => ({
  lockId,
  cardId,
  name: cardName,
}));

export const cardDelete = validate(
  z
    .object({ lockId, cardId, deleteType: via, queue })
    .refine(({ queue, deleteType }) => queue === '0' || deleteType === 'gateway', mayWait('deleteType')),
  ({ lockId, cardId, deleteType, queue }) => ({ lockId, cardId, via: viaOf(deleteType, queue) }),
);

/** Lists of the management API: pageNo 1 and pageSize 100 (of 1 to 1000) unless given (HTTP API 1.3). */
export const ofManagement = { pageNo: integer().default(1), pageSize: integer(1, 1000).default(100) };

export const managementPage = validate(z.object(ofManagement), (page) => page);

/** A list that belongs to one lock. */
export const pageOfLock = validate(z.object({ lockId, ...ofManagement }), ({ lockId, ...page }) => ({ lockId, page }));

export const oneRole = validate(z.object({ lockId, username }), (value) => value);

export const oneAccount = validate(z.object({ username }), (value) => value);

export const oneToken = validate(z.object({ tokenId: integer() }), (value) => value);

export const onePasskey = validate(z.object({ passkeyId: integer() }), (value) => value);

/** A hub or a pending device, by its deviceId or MAC address. */
export const oneDevice = validate(z.object({ deviceId: mac }), (value) => value);

export const oneAlarm = validate(
  z.object({ kind: z.enum(alarmKinds, `must be one of ${alarmKinds.join(', ')}`), lockId }),
  (value) => value,
);

const webhookId = id<WebhookId>();

export const oneWebhook = validate(z.object({ webhookId }), (value) => value);

export const webhookDeliveries = validate(z.object({ webhookId, ...ofManagement }), ({ webhookId, ...page }) => ({ webhookId, page }));

const deliveryId = z.string().regex(/^[a-z0-9-]{1,64}$/, 'must be the id of a delivery');

export const oneDelivery = validate(z.object({ webhookId, deliveryId }), (value) => value);

export const auditRange = validate(
  z
    .object({
      ...ofManagement,
      startDate: millis.default(0),
      endDate: millis.default(0),
      username: text(1, 64).exactOptional(),
      action: text(1, 64).exactOptional(),
      success: integer(0, 1).exactOptional(),
      object: text(1, 200).exactOptional(),
      search: text(1, 64).exactOptional(),
      sort: z.enum(['date', '-date'], 'must be date or -date').default('-date'),
    })
    .refine(isInOrder, datesInOrder),
  ({ success, sort, ...range }) => ({ ...range, success: success === undefined ? undefined : success === 1, oldestFirst: sort === 'date' }),
);
