// latchd restore: makes a data directory from a backup, and checks it before it gets its name.
import { command } from './command.ts';
import { counted, jsonOption, print, say } from './output.ts';
import { interruptible, progressLine } from './progress.ts';
import { configuredDatabase } from './store-database.ts';

interface Given {
  readonly archive: string;
  readonly acceptDamage?: true;
  readonly revokeTokens?: true;
  readonly json?: true;
}

export const restoreCommand = command<Given>({
  name: 'restore',
  says: 'make a data directory of a backup, where there is none or an empty one; everything is checked first, and nothing is left when it fails',
  settings: 'directory',
  arguments: [{ name: 'archive', says: 'the .tar.gz that latchd backup made' }],
  options: [
    { flag: '--accept-damage', says: 'restore although the check finds damage that was there when the backup was made' },
    {
      flag: '--revoke-tokens',
      says: 'make every token, password and passkey of the backup void; a new token of an administrator is in admin.token then',
    },
    jsonOption,
  ],
  examples: [
    [
      'restore latchd-20261121T023000Z.tar.gz --data-dir /var/lib/latchd',
      'onto a new box; ids leap ahead, and locks are asked for newer events',
    ],
    ['restore latchd-20261121T023000Z.tar.gz --data-dir ./trial', 'is this backup good? remove the folder afterwards'],
  ],
  async run({ archive, acceptDamage, revokeTokens, json }, { configured }) {
    const settings = configured();
    const database = configuredDatabase(settings);
    const target = database === undefined ? settings.dataDir : database.url;
    const progress = progressLine();
    const { restoreArchive } = await import('../offline/files.ts');
    const { restoreToDatabase } = await import('../offline/database.ts');
    const toStore = (make: (directory: string) => ReturnType<typeof restoreArchive>) =>
      database === undefined ? make(settings.dataDir) : restoreToDatabase(database, settings.dataDir, make);
    const result = await interruptible((signal) =>
      toStore((directory) =>
        restoreArchive({
          archive,
          directory,
          acceptDamage: acceptDamage === true,
          revokeTokens: revokeTokens === true,
          signal,
          onProgress: (bytes, step) =>
            progress.show(step === 'reading' ? `${Math.floor(bytes / 1_000_000)} MB of data` : 'checking all of it'),
        }),
      ),
    ).finally(progress.end);
    const { restored, findings, createdAt, locks, records, tokenOf } = result;
    if (json) print(JSON.stringify(result));
    else for (const { file, problem } of findings) print(`${file}: ${problem}`);
    if (!restored) {
      say(
        `nothing was restored, because of ${counted(findings.length, 'problem')} in the data when the backup was made; --accept-damage restores all the same`,
      );
      return 1;
    }
    if (!json) print(`${target} is restored: ${counted(locks, 'lock')}, ${counted(records, 'record')}, as of ${createdAt}`);
    if (tokenOf === null) {
      say(`What was changed after ${createdAt} is gone: accounts, rights and tokens that were taken away since are valid again.`);
      say('Look through them after the start (--revoke-tokens would have made all tokens void).');
    } else {
      say(`Every token of the backup is void; the new one of ${tokenOf} is in ${settings.dataDir}/admin.token.`);
      say(`What was changed after ${createdAt} is gone: accounts and rights that were taken away since are there again, without a token.`);
    }
    say('Compare the cards of each lock that the log names with "cards-differ".');
    return 0;
  },
});
