// The broker over which Home Assistant sees the locks, as the configuration has it.
import { z } from 'zod';
import { brokerLogin, brokerUrl, checkBrokerLogin, hostInClear, topicBeginning } from './config-broker.ts';
import { enabled, group, integerFrom } from './config-values.ts';

const accountSays = 'must be the name of an account';

const settings = group({
  enabled: enabled.default(false),
  url: brokerUrl.optional(),
  ...brokerLogin,
  account: z.string(accountSays).min(1, accountSays).max(256, accountSays).optional(),
  commands: enabled.default(false),
  prefix: topicBeginning.default('latchd'),
  discoveryPrefix: topicBeginning.default('homeassistant'),
  maxAgeMs: integerFrom(1_000, 30_000).default(5_000),
});

/** Off by default. */
export const homeAssistant = settings
  .superRefine((given, { addIssue }) => {
    const wrong = (member: string, message: string) => addIssue({ code: 'custom', path: [member], message });
    checkBrokerLogin(given, wrong);
    for (const needed of ['url', 'account'] as const)
      if (given.enabled && given[needed] === undefined) wrong(needed, 'must be given, because homeAssistant.enabled is true');
  })
  .prefault({});

type HomeSettings = z.infer<typeof settings>;

/** The settings of a gateway that speaks to Home Assistant. */
export type EnabledHome = HomeSettings & { readonly url: string; readonly account: string };

/** undefined: it is off. */
export function enabledHome({ homeAssistant: given }: { readonly homeAssistant: HomeSettings }): EnabledHome | undefined {
  const { url, account } = given;
  return given.enabled && url !== undefined && account !== undefined ? { ...given, url, account } : undefined;
}

/** What is allowed, and still not good: one sentence for each. */
export function homeWarnings(config: Parameters<typeof enabledHome>[0]): readonly string[] {
  const host = hostInClear(enabledHome(config)?.url ?? 'mqtts://none');
  return host === undefined
    ? []
    : [`homeAssistant.url: what is said to ${host} is in clear: whoever hears that network reads the password, and may open doors with it`];
}
