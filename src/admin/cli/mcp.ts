// latchd mcp: the gateway for an AI assistant, by the Model Context Protocol on standard input and output.
import { readFileSync } from 'node:fs';
import { createStallDetector } from '../../domain/locks/stall-detector.ts';
import { createClock } from '../../platform/clock.ts';
import { command, WrongValue } from './command.ts';
import { output } from './output.ts';

interface Given {
  readonly url: string;
  readonly tokenFile?: string;
  readonly allowUnlock?: true;
}

export const mcp = command<Given>({
  name: 'mcp',
  says: 'let an AI assistant ask a running gateway, by the Model Context Protocol on standard input and output',
  settings: 'none',
  options: [
    { flag: '--url', value: '<url>', says: 'where the HTTP API is', otherwise: 'http://127.0.0.1:8080', read: baseUrl },
    { flag: '--token-file', value: '<file>', says: 'holds the token that it asks with; LATCHD_TOKEN without it' },
    { flag: '--allow-unlock', says: 'offer the tools lock and unlock as well; without it nothing moves a door' },
  ],
  examples: [
    ['mcp --token-file assistant.token', 'it reads what the account of this token may read'],
    ['mcp --url https://gateway.local:8443 --token-file assistant.token', 'with NODE_EXTRA_CA_CERTS=ca.crt, the authority of the gateway'],
  ],
  exits: [
    [0, 'the input has ended, and everything is answered'],
    [1, 'there is no token, or the command was asked wrongly; standard error says why'],
  ],
  async run({ url, tokenFile, allowUnlock = false }, { version }) {
    const token = tokenOf(tokenFile);
    const { createGatewayApi } = await import('../mcp/gateway-api.ts');
    const { serveMcp } = await import('../mcp/mcp-session.ts');
    const api = createGatewayApi({ url, token });
    const clock = createClock();
    const stallDetector = createStallDetector({ clock, emit: () => undefined, commandTimeoutMs: 10_000 });
    await stallDetector.start();
    const waitedMs = () => clock.monotonic() - stallDetector.requestTime();
    await serveMcp({ input: process.stdin, output: output(), api, allowsUnlock: allowUnlock, waitedMs, version });
    await stallDetector.stop();
    return 0;
  },
});

/** Without a slash at its end. */
function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text))
    throw new WrongValue('it must be a URL of http or https, without user name and query.');
  return url.href.replace(/\/$/, '');
}

function tokenOf(file: string | undefined): string {
  const token = (file === undefined ? (process.env['LATCHD_TOKEN'] ?? '') : contentOf(file)).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Error(file === undefined ? '--token-file or LATCHD_TOKEN must give a token' : `--token-file: ${file} holds no token`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`--token-file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
