// latchd mcp: the gateway for an AI assistant, by the Model Context Protocol on standard input and output.
import { createStallDetector } from '../../domain/locks/stall-detector.ts';
import { createClock } from '../../platform/clock.ts';
import { command } from './command.ts';
import { output } from './output.ts';
import { baseUrl, tokenFrom } from './token-option.ts';

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
    const token = tokenFrom(tokenFile);
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
