// latchd migrate: moves all data from files to a database, or back.
import { command } from './command.ts';
import { counted, jsonOption, print, say } from './output.ts';
import { typedDatabase } from './store-database.ts';

interface Given {
  readonly from: string;
  readonly to: string;
  readonly json?: true;
}

export const migrateCommand = command<Given>({
  name: 'migrate',
  says: 'move all data from a data directory to a PostgreSQL database, or back; ids, records, tokens and keys of devices stay as they are',
  settings: 'directory',
  options: [
    {
      flag: '--from',
      value: '<folder|url>',
      says: 'where the data is: a data directory, or postgres://…; no daemon may run there',
      required: true,
    },
    { flag: '--to', value: '<folder|url>', says: 'where to: the other kind, empty or not there', required: true },
    jsonOption,
  ],
  examples: [
    [
      'migrate --from /var/lib/latchd --to postgres://latchd@db-1.example.org/latchd --store-password-file /etc/latchd/store.password',
      'into a database; its password is the first line of that file, or of storePasswordFile in the configuration',
    ],
    ['migrate --from postgres://latchd@localhost/latchd --to ./data --json', 'back into files; how much was moved as JSON'],
  ],
  async run({ from, to, json }, { configured }) {
    const { moveData } = await import('../offline/database.ts');
    const isUrl = (text: string) => /^postgres(ql)?:\/\//.test(text);
    if (isUrl(from) === isUrl(to)) throw new Error('one of --from and --to must be a data directory, and the other one a postgres:// URL');
    const [url, directory] = isUrl(from) ? [from, to] : [to, from];
    const database = typedDatabase(url, configured().storePasswordFile);
    const moved = await moveData(isUrl(from) ? 'to-directory' : 'to-database', database, directory);
    const { locks, cards, accounts, records } = moved;
    if (json) print(JSON.stringify({ locks, cards, accounts, records }));
    else {
      print(
        `${counted(locks, 'lock')}, ${counted(cards, 'card')}, ${counted(accounts, 'account')} and ${counted(records, 'record')} are in ${to}`,
      );
      say(`${from} is closed: a daemon that starts there ends and says where the data is.`);
    }
    return 0;
  },
});
