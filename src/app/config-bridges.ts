// The outside brokers over which locks are spoken to, as the configuration has them.
import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName } from '../platform/mdns/host-name.ts';
import { file } from './config-values.ts';

const topicsSay = 'must be 1 to 64 letters, digits, _, . and -, with / between levels';
const topics = z
  .string(topicsSay)
  .max(64, topicsSay)
  .regex(/^[\w.-]+(\/[\w.-]+)*$/, topicsSay);
const program = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('zigbee2mqtt'), base: topics.default('zigbee2mqtt') }),
    z.strictObject({ kind: z.literal('discovery'), prefix: topics.default('homeassistant') }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be zigbee2mqtt or discovery' : 'must have a kind') },
);
const nameSays = 'must be 1 to 32 of a-z, 0-9 and -';
const urlSays = 'must be mqtt:// or mqtts:// with a host and perhaps a port, and nothing else';
const username = z.string('must be a text').min(1, 'must not be empty').max(256, 'must be at most 256 characters');

const bridge = z
  .strictObject(
    {
      name: z.string(nameSays).regex(/^[a-z0-9-]{1,32}$/, nameSays),
      url: z.string(urlSays).refine(isBrokerUrl, urlSays),
      username: username.optional(),
      passwordFile: file.optional(),
      ca: file.optional(),
      drivers: z.array(program, 'must be a list of programs').min(1, 'must be 1 to 8 programs').max(8, 'must be 1 to 8 programs'),
    },
    { error: ({ code }) => (code === 'invalid_type' ? 'must have name, url and drivers' : undefined) },
  )
  .superRefine((given, { addIssue }) => {
    const wrong = (member: string, message: string) => addIssue({ code: 'custom', path: [member], message });
    if (given.username !== undefined && given.passwordFile === undefined) wrong('username', 'must come with passwordFile');
    if (given.passwordFile !== undefined && given.username === undefined) wrong('passwordFile', 'must come with username');
    if (given.ca !== undefined && !given.url.startsWith('mqtts:')) wrong('ca', 'must come with an mqtts url');
    if (repeated(given.drivers.map((one) => JSON.stringify(one))) !== undefined) wrong('drivers', 'must have each program once');
  });

/** None by default. */
export const bridges = z
  .array(bridge, 'must be a list of bridges')
  .max(8, 'must be at most 8 bridges')
  .superRefine((given, { addIssue }) => {
    const at = repeated(given.map(({ name }) => name));
    if (at !== undefined) addIssue({ code: 'custom', path: [at, 'name'], message: 'must be another name than those of the other bridges' });
  })
  .default([]);

function isBrokerUrl(text: string): boolean {
  const [, host = '', port = '1'] = /^mqtts?:\/\/(\[[\da-fA-F:.]+\]|[^[\]/?#@:\s]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isHost = host.startsWith('[') ? isIP(host.slice(1, -1)) === 6 : isIP(host) === 4 || isHostName(host);
  return isHost && Number(port) >= 1 && Number(port) <= 65_535;
}

/** Where the first one stands that was there before. */
function repeated(texts: readonly string[]): number | undefined {
  const at = texts.findIndex((text, n) => texts.indexOf(text) !== n);
  return at === -1 ? undefined : at;
}
