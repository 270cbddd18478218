// latchd verify: checks that everything on the disk is as it must be.
import { command } from './command.ts';
import { counted, jsonOption, print } from './output.ts';
import { configuredDatabase } from './store-database.ts';

export const verifyCommand = command<{ readonly json?: true }>({
  name: 'verify',
  says: 'read the whole data directory of a stopped daemon, or the database, and say what is wrong, file by file, and what to do',
  settings: 'directory',
  options: [jsonOption],
  examples: [
    ['verify --data-dir /var/lib/latchd', 'after a power cut that you do not trust, or before a move to another box'],
    ["verify --json | jq -r '.findings[].file'", 'the files that something is wrong with'],
  ],
  exits: [
    [0, 'everything is in order'],
    [1, 'something is wrong, or a daemon runs there: standard output says what, standard error why it could not look'],
    [78, 'the configuration is wrong; every problem is listed'],
  ],
  async run({ json }, { configured }) {
    const settings = configured();
    const { verifyDirectory } = await import('../offline/files.ts');
    const { withExportedData } = await import('../offline/database.ts');
    const database = configuredDatabase(settings);
    const directory = database === undefined ? settings.dataDir : database.url;
    const verified = database === undefined ? verifyDirectory(directory) : withExportedData(database, settings.dataDir, verifyDirectory);
    const { findings, remarks, locks, records } = await verified;
    const isInOrder = findings.length === 0;
    if (json) print(JSON.stringify({ ok: isInOrder, locks, records, findings, remarks }));
    else {
      for (const { file, problem, remedy } of findings) print(`${file}: ${problem} (${remedy})`);
      for (const { file, problem } of remarks) print(`${file}: ${problem}`);
      const what = `${counted(records, 'record')}, ${counted(locks, 'lock')}`;
      print(isInOrder ? `${directory} is in order: ${what}` : `${counted(findings.length, 'problem')} in ${directory} (${what})`);
    }
    return isInOrder ? 0 : 1;
  },
});
