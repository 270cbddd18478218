// latchd check-config: the settings that would apply, and where each comes from.
import type { LoadedConfig } from '../../app/config.ts';
import { homeWarnings } from '../../app/config-home.ts';
import { command } from './command.ts';
import { jsonOption, print, say } from './output.ts';

export const checkConfig = command<{ readonly json?: true }>({
  name: 'check-config',
  says: 'check the configuration and show what is in force, and where each value comes from; nothing is started',
  settings: 'all',
  options: [jsonOption],
  examples: [
    ['check-config', 'exit code 0 and the settings, or 78 and every problem with its place'],
    ['check-config --config new.yaml > /dev/null && cp new.yaml /etc/latchd/latchd.yaml', 'take a new file only when it is right'],
  ],
  exits: [
    [0, 'it is right; what is allowed and still not good is said on standard error'],
    [1, 'the command was asked wrongly'],
    [78, 'it is wrong; every problem is listed'],
  ],
  async run({ json }, { loaded }) {
    const found = loaded();
    if (json) print(JSON.stringify(found.config, null, 2));
    else for (const line of yamlLines(found, found.config, [])) print(line);
    for (const warning of homeWarnings(found.config)) say(`warning: ${warning}`);
    return 0;
  },
});

/**
 * The settings as YAML that could be the configuration file, with the origin of each value behind it. No setting is a secret: secrets are
 * in files of their own.
 */
function yamlLines(found: LoadedConfig, settings: object, above: readonly string[]): readonly string[] {
  return Object.entries(settings).flatMap(([key, value]: [string, unknown]) => {
    const path = [...above, key];
    const name = `${'  '.repeat(above.length)}${key}:`;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    // Every JSON text is also a YAML value.
    if (isGroup) return [name, ...yamlLines(found, value, path)];
    const line = `${name} ${JSON.stringify(value)}`;
    return [`${line.padEnd(40)} # ${found.originOf(path)}`];
  });
}
