// The JSON bodies of the management API: turns its names into domain values (HTTP API 8). Unknown members are errors.
import { z } from 'zod';
import type { DeviceId, LockId } from '../../domain/locks/lock.ts';
import { deliveryTypes } from '../../domain/webhooks/delivery.ts';
import { lockName, mac, name, text, username, wholeNumber } from '../pipeline/fields.ts';
import { present, validate, whenValid } from '../pipeline/validate.ts';
import { driverMember, type LockMake } from './driver-member.ts';

const timezoneRawOffset = wholeNumber(-43_200_000, 50_400_000);
const boolean = z.boolean({ error: 'must be true or false' });

/** The members of a lock that a registration sets and a change can replace. */
const described = {
  lockAlias: lockName.exactOptional(),
  groupName: text(0, 64).exactOptional(),
  noKeyPwd: text(0, 64).exactOptional(),
  timezoneRawOffset: timezoneRawOffset.exactOptional(),
  lockData: text(0, 16_384, 'allowed').exactOptional(),
};

interface Description {
  readonly alias: string;
  readonly groupName: string;
  readonly superPasscode: string;
  readonly timezoneOffsetMs: number;
  readonly lockData: string;
}

function description(body: z.output<z.ZodObject<typeof described>>): Partial<Description> {
  return present<Description>({
    alias: body.lockAlias,
    groupName: body.groupName,
    superPasscode: body.noKeyPwd,
    timezoneOffsetMs: body.timezoneRawOffset,
    lockData: body.lockData,
  });
}

/** The hub that a lock is behind; null: none. */
const hubId = mac.nullable().exactOptional();

const strangers = z.enum(['keep', 'remove'], { error: 'must be keep or remove' }).exactOptional();

/** With `driver` a lock has no MAC address to give, and no hub. */
export function newLock(makes: readonly LockMake[]) {
  const driver = driverMember(makes).exactOptional();
  const either = { path: ['lockMac'], when: whenValid('lockMac', 'driver') };
  const notBoth = 'must not be there when driver is';
  return validate(
    z
      .strictObject({ lockMac: mac.exactOptional(), driver, lockName, ...described, hubId, administrator: username.exactOptional() })
      .refine(({ lockMac, driver }) => lockMac !== undefined || driver !== undefined, { ...either, error: 'is required' })
      .refine(({ lockMac, driver }) => lockMac === undefined || driver === undefined, { ...either, error: notBoth })
      .refine(({ hubId, driver }) => hubId === undefined || driver === undefined, {
        ...{ path: ['hubId'], when: whenValid('hubId', 'driver'), error: notBoth },
      }),
    ({ lockMac, driver, lockName, hubId, administrator, ...rest }) => ({
      ...(driver === undefined ? { deviceId: lockMac as DeviceId } : { driver }),
      name: lockName,
      ...description(rest),
      ...(hubId !== undefined && { hubId }),
      ...(administrator !== undefined && { administrator }),
    }),
  );
}

export function lockChanges(makes: readonly LockMake[]) {
  const driver = driverMember(makes).exactOptional();
  return validate(
    z
      .strictObject({ lockName: lockName.exactOptional(), ...described, hubId, driver, strangers })
      .refine((body) => Object.keys(body).length > 0, {
        error: 'must have at least one member',
        when: ({ issues }) => issues.length === 0,
      }),
    ({ lockName, hubId, driver, strangers, ...rest }) => ({
      ...(lockName !== undefined && { name: lockName }),
      ...(strangers !== undefined && { strangers }),
      ...description(rest),
      ...(hubId !== undefined && { hubId }),
      ...(driver !== undefined && { driver }),
    }),
  );
}

export const newHub = validate(z.strictObject({ mac, name }), ({ mac, name }) => ({ deviceId: mac, name }));

export const pairingTime = validate(z.strictObject({ seconds: wholeNumber(30, 900) }), (body) => body);

const keyFingerprint = z
  .string({ error: 'must be a string' })
  .regex(/^[0-9a-f]{4}(-[0-9a-f]{4}){3}$/, 'must be a fingerprint such as 9f86-d081-884c-7d65');

/** A registration without lockMac and hubId, or nothing of it when the device replaces a lock. The person has compared `keyFingerprint`. */
export const confirmation = validate(
  z
    .strictObject({
      lockName: lockName.exactOptional(),
      ...described,
      administrator: username.exactOptional(),
      keyFingerprint: keyFingerprint.exactOptional(),
    })
    .refine(({ keyFingerprint: _, lockName, ...rest }) => lockName !== undefined || Object.keys(rest).length === 0, {
      path: ['lockName'],
      error: 'is required',
      when: ({ issues }) => issues.length === 0,
    }),
  ({ keyFingerprint, lockName, administrator, ...rest }) => ({
    ...(keyFingerprint !== undefined && { keyFingerprint }),
    ...(lockName !== undefined && {
      lock: { name: lockName, ...description(rest), ...(administrator !== undefined && { administrator }) },
    }),
  }),
);

export const appointment = validate(z.strictObject({ username }), (body) => body);

export const grantedRole = validate(
  z.strictObject({ role: z.enum(['operator', 'manager'], { error: 'must be operator or manager' }) }),
  (body) => body,
);

export const newAccount = validate(
  z.strictObject({ username, gatewayAdministrator: boolean, accessManager: boolean.default(false) }),
  ({ username, ...rights }) => ({ username, rights }),
);

export const accountRights = validate(z.strictObject({ gatewayAdministrator: boolean, accessManager: boolean }), (body) => body);

/** The code for Home Assistant. */
export const homeCode = validate(
  z.strictObject({ code: z.string({ error: 'must be a string' }).regex(/^\d{4,9}$/, 'must be 4 to 9 decimal digits') }),
  (body) => body,
);

/** An empty object: it says nothing, and as JSON no foreign page can send it without asking. */
export const noMembers = validate(z.strictObject({}), (body) => body);

export const newToken = validate(z.strictObject({ username, name, expiresInDays: wholeNumber(1, 3650).exactOptional() }), (body) => body);

const eventTypes = z
  .array(z.enum(deliveryTypes, `must be one of ${deliveryTypes.join(', ')}`), 'must be a list')
  .max(deliveryTypes.length, `must have at most ${deliveryTypes.length} items`);
const lockIds = z
  .array(wholeNumber(1, Number.MAX_SAFE_INTEGER) as unknown as z.ZodType<LockId, number>, 'must be a list of lockIds')
  .max(1_000, 'must have at most 1000 items');
/** Of a webhook or a callback; whether anything may be sent there is checked later. */
export const webhookUrl = z
  .string({ error: 'must be a string' })
  .regex(/^https?:\/\/[^\s#]+$/, 'must be a URL that begins with http:// or https://, without blanks and fragment')
  .max(2_048, 'must have at most 2048 characters');

export const newWebhook = validate(
  z.strictObject({ name, url: webhookUrl, eventTypes: eventTypes.default([]), lockIds: lockIds.default([]) }),
  (body) => body,
);

export const webhookChanges = validate(
  z
    .strictObject({
      name: name.exactOptional(),
      url: webhookUrl.exactOptional(),
      eventTypes: eventTypes.exactOptional(),
      lockIds: lockIds.exactOptional(),
      enabled: boolean.exactOptional(),
    })
    .refine((body) => Object.keys(body).length > 0, {
      error: 'must have at least one member',
      when: ({ issues }) => issues.length === 0,
    }),
  (body) => body,
);
