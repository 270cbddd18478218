// latchd verify: is all that is on the disk as it must be?
import { verifyDirectory } from '../offline/files.ts';
import { command } from './command.ts';
import { print } from './output.ts';

export const verify = command({
  name: 'verify',
  says: 'read the whole data directory of a stopped daemon and say what is wrong, file by file; 0 when nothing is',
  settings: 'directory',
  examples: [['verify --data-dir /var/lib/latchd', 'after a power cut that you do not trust, or before a move to another box']],
  run: (_given, { configured }) => verifyDirectory(configured().dataDir, print),
});
