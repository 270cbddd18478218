// latchd recovered: after the database was brought back as it was earlier, by its own tools.
import { command } from './command.ts';
import { jsonOption, print, say } from './output.ts';
import { configuredDatabase } from './store-database.ts';

export const recovered = command<{ readonly json?: true }>({
  name: 'recovered',
  says: 'after a point-in-time recovery of the database: no number that was given since is given again, and locks wait until somebody has looked',
  settings: 'directory',
  options: [jsonOption],
  examples: [['recovered --store postgres://latchd@db-1.example.org/latchd', 'while no daemon runs on it']],
  async run({ json }, { configured }) {
    const settings = configured();
    const database = configuredDatabase(settings);
    if (database === undefined) throw new Error('there is no database: `latchd restore` brings a data directory back');
    const { recoveredDatabase } = await import('../offline/database.ts');
    await recoveredDatabase(database, settings.dataDir);
    print(json ? JSON.stringify({ recovered: true }) : `all numbers in ${database.url} have leapt ahead`);
    say('No card or passcode is sent before somebody has compared and resumed: latchd access compare, latchd access resume');
    return 0;
  },
});
