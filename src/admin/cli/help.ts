// The text below the options in the help of the program, a group and a command.
import type { Command, Group } from './command.ts';

type ExitCodes = NonNullable<Command['exits']>;

const usualExits: ExitCodes = [
  [0, 'done'],
  [1, 'it failed, or was asked wrongly; standard error says why'],
  [78, 'the configuration is wrong; every problem is listed'],
];

export const programHelp = `
"latchd COMMAND --help" explains one, with examples. Commands find the data as the daemon does: by dataDir in the
configuration, LATCHD_DATA_DIR or --data-dir. A result goes to standard output, what is said to you to standard error.

First steps:
  latchd doctor
      is everything there that the gateway needs? (sudo, on a gateway box)
  latchd lock register A4:C1:38:7F:02:E9 --name "Front door"
      a lock, and the key that it logs in with; or "latchd pair open", when it makes its own
  latchd token create admin --name "my program" --days 365
      what a program logs in with

${exitsText([
  [0, 'done, or stopped as asked'],
  [1, 'it failed, could not go on, found something wrong or was asked wrongly; standard error says why'],
  [78, 'the configuration is wrong; every problem is listed'],
])}`;

/** The first example of each of its commands. */
export function groupHelp({ name, commands }: Group): string {
  const examples = commands.flatMap(({ examples = [] }) => examples.slice(0, 1));
  return `${examplesText(examples)}\n\n"latchd ${name} COMMAND --help" explains one.`;
}

export function commandHelp({ examples, exits = usualExits }: Command): string {
  return `${examplesText(examples)}\n\n${exitsText(exits)}`;
}

function examplesText(examples: Command['examples']): string {
  const lines = examples.map(([line, does]) => `  latchd ${line}\n      ${does}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

function exitsText(exits: ExitCodes): string {
  return ['Exit codes:', ...exits.map(([code, meaning]) => `  ${String(code).padEnd(3)} ${meaning}`)].join('\n');
}
