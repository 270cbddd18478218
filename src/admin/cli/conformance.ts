// latchd conformance: takes a real lock of our protocol through the rules of device-sim/PROTOCOL.md.
import { createInterface } from 'node:readline/promises';
import { command, WrongValue } from './command.ts';
import { jsonOption, print, say } from './output.ts';
import { interruptible } from './progress.ts';
import { baseUrl, tokenFrom } from './token-option.ts';
import { positiveInteger } from './values.ts';

interface Given {
  readonly gateway: string;
  readonly tokenFile?: string;
  readonly device: string;
  readonly mqtt: URL;
  readonly ca?: string;
  readonly listen: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly topicRoot: string;
  readonly only?: readonly string[];
  readonly yesName?: string;
  readonly report?: string;
  readonly junit?: string;
  readonly json?: true;
  readonly powerCommand?: string;
  readonly swipeCommand?: string;
  readonly wait: number;
}

export const conformance = command<Given>({
  name: 'conformance',
  says: 'take a lock through every rule of its protocol that can be seen from outside: it connects to this command, which passes all on to the gateway',
  settings: 'none',
  options: [
    { flag: '--device', value: '<deviceId>', says: 'the lock, by its 12 hex digits', required: true, read: deviceId },
    { flag: '--gateway', value: '<url>', says: 'where the HTTP API is', otherwise: 'http://127.0.0.1:8080', read: baseUrl },
    {
      flag: '--token-file',
      value: '<file>',
      says: 'holds the token of a gateway administrator who is manager of the lock; LATCHD_TOKEN without it',
    },
    { flag: '--mqtt', value: '<url>', says: 'where the gateway takes its locks', otherwise: 'mqtt://127.0.0.1:1883', read: mqttUrl },
    { flag: '--ca', value: '<file>', says: 'the ca.crt of the gateway, when --mqtt begins with mqtts:' },
    {
      flag: '--listen',
      value: '<host:port>',
      says: 'where the lock is to connect',
      otherwise: '0.0.0.0:18830',
      read: (text) => hostAndPort(text) && text,
    },
    { flag: '--tls-cert', value: '<file>', says: 'certificate chain, when the lock speaks TLS' },
    { flag: '--tls-key', value: '<file>', says: 'its key' },
    { flag: '--topic-root', value: '<root>', says: 'as in the configuration of the gateway', otherwise: 'latchd/v1' },
    { flag: '--only', value: '<checks>', says: 'names of checks or numbers of rules, such as resend,5.3', read: (text) => text.split(',') },
    { flag: '--yes-name', value: '<name>', says: 'the name of the lock, in place of typing it' },
    { flag: '--report', value: '<file>', says: 'write the report there as JSON' },
    { flag: '--junit', value: '<file>', says: 'write it there as JUnit, for CI' },
    { flag: '--power-command', value: '<command>', says: 'switches the lock off and on, in place of a person' },
    {
      flag: '--swipe-command',
      value: '<command>',
      says: 'uses LATCHD_NUMBER at the reader (LATCHD_KIND card) or the keypad (passcode), in place of a person',
    },
    { flag: '--wait', value: '<seconds>', says: 'for the lock to connect', otherwise: '600', read: positiveInteger },
    jsonOption,
  ],
  examples: [
    ['conformance --device a4c1387f02e9 --token-file admin.token', 'asks for the name of the lock, then where the lock is to connect'],
    ['conformance --device a4c1387f02e9 --only 5.3 --yes-name Bench', 'the rules against late and double commands alone'],
  ],
  exits: [
    [0, 'no rule is broken'],
    [1, 'a rule is broken; or the command was asked wrongly'],
    [2, 'the lock was not tried, or not to the end; standard error says why'],
  ],
  async run(given) {
    const { checkConformance } = await import('../../../device-sim/conformance/conformance.ts');
    const { gateway, device, mqtt, topicRoot, only = [], json = false, wait } = given;
    try {
      const token = tokenFrom(given.tokenFile);
      const run = (signal: AbortSignal) => {
        const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
        const closed = new Promise<never>((_resolve, reject) => {
          lines.once('close', () => reject(new Error('nobody is there to answer: standard input has ended (a script gives --yes-name)')));
        });
        closed.catch(() => undefined);
        const ask = (question: string): Promise<string> => Promise.race([closed, lines.question(question, { signal })]);
        const terminal = { print, say, ask, hasPerson: process.stdin.isTTY, signal };
        const files = optional({ caFile: given.ca, tlsCertFile: given.tlsCert, tlsKeyFile: given.tlsKey, reportFile: given.report });
        const more = optional({ junitFile: given.junit, powerCommand: given.powerCommand, swipeCommand: given.swipeCommand });
        const named = optional({ yesName: given.yesName });
        const listen = hostAndPort(given.listen);
        const options = { gatewayUrl: gateway, token, mqttUrl: mqtt, listen, deviceId: device, topicRoot, only, json, waitSeconds: wait };
        return checkConformance({ ...options, ...files, ...more, ...named }, terminal).finally(() => lines.close());
      };
      return await interruptible(run);
    } catch (error) {
      say(`latchd: ${(error as Error).message}`);
      return 2;
    }
  },
});

/** Without the members that are undefined. */
function optional<Name extends string>(members: Readonly<Record<Name, string | undefined>>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Record<Name, string>>;
}

function deviceId(text: string): string {
  const digits = text.replaceAll(/[:-]/g, '').toLowerCase();
  if (!/^[0-9a-f]{12}$/.test(digits)) throw new WrongValue('it must be 12 hex digits, such as a4c1387f02e9.');
  return digits;
}

function mqttUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^mqtts?:$/.test(url.protocol) || url.hostname === '')
    throw new WrongValue('it must be an address such as mqtt://192.168.20.1:1883 or mqtts://gateway.local:8883.');
  return url;
}

/** The address, and the port behind the last colon. @throws WrongValue */
function hostAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) throw new WrongValue('it must be a port, or host:port such as 192.168.20.5:18830.');
  return { host: host === '' ? '0.0.0.0' : host, port: Number(port) };
}
