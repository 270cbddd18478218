// Checks the broker over which Home Assistant sees the locks: what the daemon says of it, or else a login of our own.
import type { Config } from '../../app/config.ts';
import { enabledHome, homeWarnings } from '../../app/config-home.ts';
import { createClock } from '../../platform/clock.ts';
import { tryBroker } from '../../platform/mqtt-trial.ts';
import type { Daemon } from './daemon.ts';
import { cannotTell, fail, good, type Verdict, warn } from './verdict.ts';

/** The daemon's report, as in the status. */
interface HomeReport {
  readonly connected: boolean;
  readonly locks: number;
  readonly lastError: string | null;
}

/** `isOutsider`: the current user may not read the files of the daemon. */
export async function checkHomeAssistant(
  config: Pick<Config, 'homeAssistant'>,
  { answer }: Pick<Daemon, 'answer'>,
  isOutsider: boolean,
): Promise<readonly Verdict[]> {
  const home = enabledHome(config);
  if (home === undefined) return [];
  const inClear = homeWarnings(config).map((seen) =>
    warn(seen, 'give the broker TLS, then mqtts:// in homeAssistant.url, and homeAssistant.ca when the authority is your own'),
  );
  const report = answer?.['homeAssistant'] as HomeReport | null | undefined;
  if (report) return [...stateOf(report, home.url, home.account), ...inClear];
  if (isOutsider) return [cannotTell('only the daemon knows whether it reaches the broker of Home Assistant'), ...inClear];
  const reason = await tryBroker({ url: home.url, files: home, clock: createClock() });
  return [reason === undefined ? good(`${home.url} takes the login of latchd, with MQTT 5`) : away(home.url, reason), ...inClear];
}

function stateOf({ connected, locks, lastError }: HomeReport, url: string, account: string): readonly Verdict[] {
  if (!connected) return [away(url, lastError ?? 'it has not answered yet')];
  const seen = `${url} is connected, and Home Assistant sees ${locks} ${locks === 1 ? 'lock' : 'locks'}`;
  const noLocks = `give the account ${account} (homeAssistant.account) a role on each lock that Home Assistant is to see; "latchd account list" shows whether there is such an account`;
  return [
    locks === 0 ? warn(seen, noLocks) : good(seen),
    ...(lastError === null
      ? []
      : [warn(`${url} is connected: ${lastError}`, 'let the broker allow latchd the topics of its page (the ACL)')]),
  ];
}

function away(url: string, reason: string): Verdict {
  const remedy = 'does the broker run, does it know MQTT 5, and are url, username, passwordFile and ca of homeAssistant right?';
  return fail(`the broker of Home Assistant, ${url}: ${reason}`, remedy);
}
