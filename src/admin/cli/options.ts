// The options of a command: its own, and the settings of the configuration that it accepts as flags.
import { settings } from '../../app/config-settings.ts';
import type { Command, Option } from './command.ts';

const configFile: Option = { flag: '--config', value: '<file>', says: 'the configuration file (LATCHD_CONFIG)' };

/** The settings of every command that looks for data. */
const whereDataIs: readonly string[] = ['--data-dir', '--store', '--store-password-file'];

export function optionsOf({ options = [], settings: wanted }: Command): readonly Option[] {
  if (wanted === 'none') return options;
  const taken = settings.filter(({ flag }) => wanted === 'all' || whereDataIs.includes(flag));
  return [
    ...options,
    configFile,
    ...taken.map(({ flag, hint, variable, path }): Option => ({ flag, value: hint, says: `${path.join('.')} in the file (${variable})` })),
  ];
}
