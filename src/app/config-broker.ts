// What the connections to outside brokers have in common in the configuration.
import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName } from '../platform/mdns/host-name.ts';
import { file } from './config-values.ts';

const urlSays = 'must be mqtt:// or mqtts:// with a host and perhaps a port, and nothing else';
const topicsSay = 'must be 1 to 64 letters, digits, _, . and -, with / between levels';

export const brokerUrl = z.string(urlSays).refine(isBrokerUrl, urlSays);

/** Where topics begin. */
export const topicBeginning = z
  .string(topicsSay)
  .max(64, topicsSay)
  .regex(/^[\w.-]+(\/[\w.-]+)*$/, topicsSay);

/** With whom the gateway logs in, and whom it trusts. */
export const brokerLogin = {
  username: z.string('must be a text').min(1, 'must not be empty').max(256, 'must be at most 256 characters').optional(),
  passwordFile: file.optional(),
  ca: file.optional(),
};

interface BrokerSettings {
  readonly url?: string | undefined;
  readonly username?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly ca?: string | undefined;
}

/** Calls `wrong` for each setting of a broker that another one forbids. */
export function checkBrokerLogin(given: BrokerSettings, wrong: (member: string, message: string) => void): void {
  if (given.username !== undefined && given.passwordFile === undefined) wrong('username', 'must come with passwordFile');
  if (given.passwordFile !== undefined && given.username === undefined) wrong('passwordFile', 'must come with username');
  if (given.ca !== undefined && given.url?.startsWith('mqtts:') !== true) wrong('ca', 'must come with an mqtts url');
}

/** The settings with the files where they are. */
export function placeBrokerFiles<T extends BrokerSettings>({ passwordFile, ca, ...others }: T, placed: (path: string) => string) {
  return {
    ...others,
    ...(passwordFile === undefined ? {} : { passwordFile: placed(passwordFile) }),
    ...(ca === undefined ? {} : { ca: placed(ca) }),
  };
}

/** The host, when what is said to it can be read on the way; undefined: it is encrypted, or does not leave this machine. */
export function hostInClear(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  const isThisMachine = /^(localhost|\[::1\])$/i.test(hostname) || (isIP(hostname) === 4 && hostname.startsWith('127.'));
  return protocol === 'mqtts:' || isThisMachine ? undefined : hostname;
}

function isBrokerUrl(text: string): boolean {
  const [, host = '', port = '1'] = /^mqtts?:\/\/(\[[\da-fA-F:.]+\]|[^[\]/?#@:\s]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isHost = host.startsWith('[') ? isIP(host.slice(1, -1)) === 6 : isIP(host) === 4 || isHostName(host);
  return isHost && Number(port) >= 1 && Number(port) <= 65_535;
}
