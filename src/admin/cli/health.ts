// latchd health: whether the daemon serves, for what watches a container or a machine.
import { askControl } from '../../platform/control/control-client.ts';
import { command } from './command.ts';
import { jsonOption, print, say } from './output.ts';

/** Longer than the daemon takes to find out that one of its listeners does not answer. */
const patienceMs = 8_000;

export const health = command<{ readonly json?: true }>({
  name: 'health',
  says: 'ask the running daemon whether its listeners answer, and its disk or its database; for what watches a container',
  settings: 'directory',
  options: [jsonOption],
  examples: [['health', 'the health check of the image; exit code 1 when something does not answer']],
  exits: [
    [0, 'everything answers'],
    [1, 'something does not answer, as standard error says, or no daemon is running'],
  ],
  async run({ json }, { configured }) {
    const seen = await healthOf(configured().dataDir);
    if (json) print(JSON.stringify({ ok: seen === 'ok', health: seen }));
    say(seen === 'ok' ? 'everything answers' : `latchd: ${seen}`);
    return seen === 'ok' ? 0 : 1;
  },
});

/** 'ok', or what does not answer. */
async function healthOf(directory: string): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const { health } = await askControl(directory, { action: 'GET /healthz' }, { signal });
    return String(health);
  } catch (error) {
    if (signal.aborted) return `the daemon does not answer within ${patienceMs / 1_000} s`;
    throw error;
  }
}
