// latchd restore: a data directory from a backup, checked before it gets its name.
import { command } from './command.ts';
import { counted, jsonOption, print, say } from './output.ts';
import { interruptible, progressLine } from './progress.ts';

interface Given {
  readonly archive: string;
  readonly acceptDamage?: true;
  readonly json?: true;
}

export const restore = command<Given>({
  name: 'restore',
  says: 'make a data directory of a backup, where there is none or an empty one; everything is checked first, and nothing is left when it fails',
  settings: 'directory',
  arguments: [{ name: 'archive', says: 'the .tar.gz that latchd backup made' }],
  options: [
    { flag: '--accept-damage', says: 'restore although the check finds damage that was there when the backup was made' },
    jsonOption,
  ],
  examples: [
    [
      'restore latchd-20261121T023000Z.tar.gz --data-dir /var/lib/latchd',
      'onto a new box; ids leap ahead, and locks are asked for newer events',
    ],
    ['restore latchd-20261121T023000Z.tar.gz --data-dir /tmp/trial', 'is this backup good? remove the folder afterwards'],
  ],
  async run({ archive, acceptDamage, json }, { configured }) {
    const directory = configured().dataDir;
    const progress = progressLine();
    const { restoreArchive } = await import('../offline/files.ts');
    const result = await interruptible((signal) =>
      restoreArchive({
        archive,
        directory,
        acceptDamage: acceptDamage === true,
        signal,
        onProgress: (bytes, step) =>
          progress.show(step === 'reading' ? `${Math.floor(bytes / 1_000_000)} MB of data` : 'checking all of it'),
      }),
    ).finally(progress.end);
    const { restored, findings, createdAt, locks, records } = result;
    if (json) print(JSON.stringify(result));
    else for (const { file, problem } of findings) print(`${file}: ${problem}`);
    if (!restored) {
      say(
        `nothing was restored, because of ${counted(findings.length, 'problem')} in the data when the backup was made; --accept-damage restores all the same`,
      );
      return 1;
    }
    if (!json) print(`${directory} is restored: ${counted(locks, 'lock')}, ${counted(records, 'record')}, as of ${createdAt}`);
    say(`What was changed after ${createdAt} is gone: rights and tokens that were taken away since are valid again.`);
    say('Look through them after the start; compare the cards of each lock that the log names with "cards-differ".');
    return 0;
  },
});
