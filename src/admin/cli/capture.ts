// latchd capture: what locks of another make and the gateway say to each other, for somebody who has a device that nobody here has.
import { askControl } from '../../platform/control/control-client.ts';
import { command } from './command.ts';
import { inWords } from './management.ts';
import { print } from './output.ts';
import { interruptible } from './progress.ts';
import { positiveInteger } from './values.ts';

interface Given {
  readonly driver: string;
  readonly lock?: number;
  readonly seconds: number;
}

export const capture = command<Given>({
  name: 'capture',
  says: 'write what locks of another make and the gateway say to each other, a line of JSON each; digits of codes are blanked',
  settings: 'directory',
  options: [
    { flag: '--driver', value: '<kind>', says: 'the make, such as nuki, nuki-hub, shelly, zigbee2mqtt or discovery', required: true },
    { flag: '--lock', value: '<lockId>', says: 'of one lock alone, see "latchd lock list"', read: positiveInteger },
    { flag: '--seconds', value: '<seconds>', says: 'for how long, 1 to 3600', required: true, read: positiveInteger },
  ],
  examples: [
    [
      'capture --driver nuki --seconds 60',
      'lock and unlock at the door meanwhile; names and addresses are in it: look through it before you send it',
    ],
    ['capture --driver zigbee2mqtt --lock 8 --seconds 600 > door.jsonl', 'what is said of one lock, into a file'],
  ],
  async run({ driver: kind, lock: lockId, seconds }, { configured }) {
    const request = { action: 'capture', kind, seconds, ...(lockId !== undefined && { lockId }) };
    const names = { kind: '--driver', lockId: '--lock', seconds: '--seconds' };
    const onLine = (line: object) => print(JSON.stringify(line));
    const work = interruptible((signal) =>
      askControl(configured().dataDir, request, { onLine, signal }).catch((error: unknown) => {
        // Whoever has seen enough ends it.
        if (!signal.aborted) throw error;
      }),
    );
    await inWords({ names, listed: 'lock list' }, work);
    return 0;
  },
});
