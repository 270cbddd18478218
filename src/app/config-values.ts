// What a single setting can be.
import { isIP } from 'node:net';
import { z } from 'zod';
import { isTimeZone } from '../platform/clock.ts';
import { isHostName } from '../platform/mdns/host-name.ts';

export const enabled = z.boolean('must be true or false');
export const host = text('must be a host name or address');
export const port = z.int('must be a whole number').min(0, 'must be 0 to 65535 (0: any free port)').max(65_535, 'must be 0 to 65535');
export const topicRoot = text('must be topic levels of letters, digits, _ and -, separated by /', /^[\w-]+(\/[\w-]+)*$/);
export const timeOfDay = text('must be a time of day in UTC such as "03:30"', /^([01]\d|2[0-3]):[0-5]\d$/);
export const timeOfDayOrOff = text('must be a time of day in UTC such as "02:30", or off', /^(([01]\d|2[0-3]):[0-5]\d|off)$/);
export const timeZone = z
  .string('must be auto, or a time zone such as Europe/Berlin')
  .refine((name) => name === 'auto' || isTimeZone(name), 'must be auto, or a time zone such as Europe/Berlin');
export const file = text('must name a file');
export const folder = text('must name a folder');
export const certificateName = z
  .string('must be a name')
  .refine((name) => isIP(name) !== 0 || isHostName(name), 'must be a host name or an IP address, without port or wildcard');
export const network = z
  .string('must be a network')
  .refine(isNetwork, 'must be a network such as 192.168.0.0/16 or fd00::/8, or an address');
/** Whose word counts on who asks. */
export const proxies = network.refine(
  (text) => !/\/0+$/.test(text),
  'must not be every address: anybody could then pass for somebody else',
);
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A text that is not empty; `says` is the error for any other value. */
function text(says: string, pattern = /./) {
  return z.string(says).regex(pattern, says);
}

export function integerFrom(min: number, max: number) {
  const range = `must be ${min} to ${max}`;
  return z.int('must be a whole number').min(min, range).max(max, range);
}

/** A setting that consists of settings, such as `http`. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'invalid_type' ? 'must have settings below it, or be left out' : undefined),
  });
}

function isNetwork(text: string): boolean {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = address.includes('%') ? 0 : isIP(address);
  return family !== 0 && Number(digits ?? 0) <= (family === 4 ? 32 : 128);
}
