// latchd backup: an archive of everything in the data directory. The running daemon makes it; without one, the command does.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { askControl, NobodyThere } from '../../platform/control/control-client.ts';
import { becomeOwner } from '../../platform/owner.ts';
import { command } from './command.ts';
import { jsonOption, print, say } from './output.ts';
import { interruptible, progressLine } from './progress.ts';
import { configuredDatabase } from './store-database.ts';

interface Given {
  readonly to?: string;
  readonly json?: true;
}

export const backup = command<Given>({
  name: 'backup',
  says: 'make a backup of everything that is kept, whether the daemon runs or not; the archive holds keys: it is for its owner alone',
  settings: 'directory',
  options: [
    { flag: '--to', value: '<folder|file>', says: 'where to: a folder that is there, or a file that is not (default: backup.folder)' },
    jsonOption,
  ],
  examples: [
    ['backup', 'into backup.folder of the configuration, where the oldest of backup.keep give way'],
    ['backup --to /mnt/usb/', 'a copy to take away; the running daemon must be allowed to write there'],
    ['backup --to before-the-move.tar.gz --json', 'the archive, its size and its number of files as JSON'],
  ],
  async run({ to, json }, { configured, version }) {
    const config = configured();
    const { dataDir, backup: settings } = config;
    const target = to === undefined ? undefined : resolve(to);
    // A folder whose disk is not mounted would be made a file on another disk.
    if (to?.endsWith('/') && !existsSync(to)) throw new Error(`there is no folder ${to}: mount it or make it first`);
    const progress = progressLine();
    const onProgress = (bytes: number) => progress.show(`${Math.floor(bytes / 1_000_000)} MB of data`);
    const asRunning = () => askControl(dataDir, { action: 'backup', ...(target !== undefined && { to: target }) }, { onProgress });
    const asStopped = async () => {
      const { backUpStopped } = await import('../offline/files.ts');
      const { withExportedData } = await import('../offline/database.ts');
      const database = configuredDatabase(config);
      // What is exported lies in the data directory meanwhile; elsewhere, such as on a stick, root may write and the owner may not.
      if (database !== undefined && to === undefined && existsSync(dataDir)) await becomeOwner(dataDir);
      const ofData = (use: (directory: string) => ReturnType<typeof backUpStopped>) =>
        database === undefined ? use(dataDir) : withExportedData(database, dataDir, use);
      return interruptible((signal) =>
        ofData((directory) =>
          backUpStopped({
            directory,
            folder: resolve(dataDir, settings.folder),
            keep: settings.keep,
            version,
            to: target,
            onProgress,
            signal,
          }),
        ),
      );
    };
    const made = await asRunning()
      .catch((error: unknown) => {
        if (error instanceof NobodyThere) return asStopped();
        throw error;
      })
      .finally(progress.end);
    const { file, bytes, files } = made;
    if (json) print(JSON.stringify({ file, bytes, files }));
    else {
      print(String(file));
      say(
        `${files} files in ${bytes} bytes. It holds the keys of the locks and of the gateway, hashes of tokens, and the first token itself while no other administrator's holds: keep it where nobody else can read it`,
      );
    }
    return 0;
  },
});
