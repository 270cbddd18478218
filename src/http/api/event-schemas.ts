// The schemas of live events and webhook deliveries, by type of event (HTTP API 7 and 8.7). `views.ts` compiles only if its functions
// return these; the OpenAPI document is made from them.
import { z } from 'zod';
import { entrySchemas } from './entry-schemas.ts';
import { responseSchemas } from './response-schemas.ts';
import { revocationSchemas } from './revocation-schemas.ts';

const { lockId } = responseSchemas.LockRecord.shape;
const { electricQuantity, lockAlias } = responseSchemas.Lock.shape;
const { since, kind, lockId: lockOrGateway } = responseSchemas.Alarm.shape;
const { state } = responseSchemas.LockState.shape;
const { role } = responseSchemas.GrantedRole.shape;
const { online, capabilities } = responseSchemas.ManagedLock.shape;
const stateDate = since;
const stateSure = z.boolean();
const autoLockAt = since.nullable();

const data = {
  LockInSight: z.strictObject({
    ...{ lockId, lockAlias, role, online },
    state: state.nullable(),
    stateDate: stateDate.nullable(),
    stateSure,
    autoLockAt,
    electricQuantity,
    capabilities,
  }),
  LockGone: z.strictObject({ lockId }),
  StateEvent: z.strictObject({ lockId, state, stateDate, autoLockAt }),
  StateSureEvent: z.strictObject({ lockId, stateSure }),
  BatteryEvent: z.strictObject({ lockId, electricQuantity }),
  OnlineEvent: z.strictObject({ lockId, online }),
  CardEvent: responseSchemas.Card.extend({ change: z.enum(['added', 'changed', 'removed']) }),
  EntryEvent: entrySchemas.EntryEvent,
  RevocationEvent: revocationSchemas.RevocationEvent,
  AlarmEnded: z.strictObject({ kind, lockId: lockOrGateway, since }),
};
const { LockRecord: record, Alarm: alarm, Suggestion: suggestion } = responseSchemas;
const nothing = z.strictObject({});

const live = <Name extends string, Data extends z.ZodType>(event: Name, what: Data) =>
  z.strictObject({ event: z.literal(event), data: what });
const delivered = <Name extends string, Data extends z.ZodType>(eventType: Name, what: Data) =>
  z.strictObject({ deliveryId: z.string(), eventType: z.literal(eventType), eventDate: since, data: what });

export const eventSchemas = {
  ...data,
  LiveEvent: z.union([
    live('lock', data.LockInSight),
    live('lock-gone', data.LockGone),
    live('state', data.StateEvent),
    live('state-sure', data.StateSureEvent),
    live('battery', data.BatteryEvent),
    live('online', data.OnlineEvent),
    live('card', data.CardEvent),
    live('entry', data.EntryEvent),
    live('suggestion', suggestion),
    live('revocation', data.RevocationEvent),
    live('record', record).extend({ id: record.shape.recordId }),
    live('alarm', alarm),
    live('alarm-ended', data.AlarmEnded),
    live('ready', nothing).extend({ id: z.int().min(0) }),
  ]),
  WebhookDelivery: z.union([
    delivered('record', record),
    delivered('alarm', alarm),
    delivered('alarm-ended', data.AlarmEnded),
    delivered('card', data.CardEvent),
    delivered('state', data.StateEvent),
    delivered('battery', data.BatteryEvent),
    delivered('online', data.OnlineEvent),
    delivered('entry', data.EntryEvent),
    delivered('suggestion', suggestion),
    delivered('revocation', data.RevocationEvent),
    delivered('test', nothing),
  ]),
};

export type EventSchemaName = keyof typeof eventSchemas;
/** The data of an event of that name. */
export type EventBody<Name extends EventSchemaName> = z.input<(typeof eventSchemas)[Name]>;
