// latchd clock: lets a person accept this machine's clock.
import { askControl } from '../../platform/control/control-client.ts';
import { command, type Group } from './command.ts';
import { jsonOption, print, say } from './output.ts';

const accept = command<{ readonly json?: true }>({
  name: 'accept',
  says: "tell the running daemon that this machine's clock is right, so that old records are deleted again",
  settings: 'directory',
  options: [jsonOption],
  examples: [['clock accept', 'after the clock was wrong and has been set']],
  async run({ json }, { configured }) {
    await askControl(configured().dataDir, { action: 'accept-clock' });
    say('the clock counts as right from now on');
    if (json) print(JSON.stringify({ success: true }));
    return 0;
  },
});

export const clock: Group = { name: 'clock', says: "whether this machine's clock may be believed", commands: [accept] };
