// The outside brokers over which locks are spoken to, as the configuration has them.
import { z } from 'zod';
import { brokerLogin, brokerUrl, checkBrokerLogin, topicBeginning } from './config-broker.ts';

const program = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('zigbee2mqtt'), base: topicBeginning.default('zigbee2mqtt') }),
    z.strictObject({ kind: z.literal('discovery'), prefix: topicBeginning.default('homeassistant') }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be zigbee2mqtt or discovery' : 'must have a kind') },
);
const nameSays = 'must be 1 to 32 of a-z, 0-9 and -';

const bridge = z
  .strictObject(
    {
      name: z.string(nameSays).regex(/^[a-z0-9-]{1,32}$/, nameSays),
      url: brokerUrl,
      ...brokerLogin,
      drivers: z.array(program, 'must be a list of programs').min(1, 'must be 1 to 8 programs').max(8, 'must be 1 to 8 programs'),
    },
    { error: ({ code }) => (code === 'invalid_type' ? 'must have name, url and drivers' : undefined) },
  )
  .superRefine((given, { addIssue }) => {
    const wrong = (member: string, message: string) => addIssue({ code: 'custom', path: [member], message });
    checkBrokerLogin(given, wrong);
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

/** Where the first one stands that was there before. */
function repeated(texts: readonly string[]): number | undefined {
  const at = texts.findIndex((text, n) => texts.indexOf(text) !== n);
  return at === -1 ? undefined : at;
}
