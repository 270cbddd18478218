// The JSON bodies of the management API: names of the API in, domain values out (HTTP API 6). Unknown members are errors.
import { z } from 'zod';
import { checked, present } from './check.ts';
import { mac, name, text, username, wholeNumber } from './fields.ts';

const timezoneRawOffset = wholeNumber(-43_200_000, 50_400_000);
const boolean = z.boolean({ error: 'must be true or false' });

/** What a lock has that its registration says and a change can replace. */
const described = {
  lockAlias: name.exactOptional(),
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

export const newLock = checked(
  z.strictObject({ lockMac: mac, lockName: name, ...described, administrator: username.exactOptional() }),
  ({ lockMac, lockName, administrator, ...rest }) => ({
    deviceId: lockMac,
    name: lockName,
    ...description(rest),
    ...(administrator !== undefined && { administrator }),
  }),
);

export const lockChanges = checked(
  z.strictObject({ lockName: name.exactOptional(), ...described }).refine((body) => Object.keys(body).length > 0, {
    error: 'must have at least one member',
  }),
  ({ lockName, ...rest }) => ({ ...(lockName !== undefined && { name: lockName }), ...description(rest) }),
);

export const appointment = checked(z.strictObject({ username }), (body) => body);

export const grantedRole = checked(
  z.strictObject({ role: z.enum(['operator', 'manager'], { error: 'must be operator or manager' }) }),
  (body) => body,
);

export const newAccount = checked(z.strictObject({ username, gatewayAdministrator: boolean }), (body) => body);

export const newToken = checked(z.strictObject({ username, name, expiresInDays: wholeNumber(1, 3650).exactOptional() }), (body) => body);
