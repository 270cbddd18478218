// The command table as a program: parsing, help, and exit codes. Only this file names commander.
import { InvalidArgumentError, Command as Parser, Argument as ParserArgument, Option as ParserOption } from 'commander';
import { ConfigError, loadConfig } from '../../app/config.ts';
import { settings } from '../../app/config-settings.ts';
import { type Argument, type Command, type Group, type Option, type Surroundings, WrongValue } from './command.ts';
import { commandHelp, groupHelp, programHelp } from './help.ts';
import { optionsOf } from './options.ts';
import { say } from './output.ts';

const exitConfig = 78;

export interface ProgramOptions {
  readonly table: readonly (Command | Group)[];
  readonly version: string;
  /** The configuration file when neither --config nor LATCHD_CONFIG names one. */
  readonly defaultConfigFile: string;
}

type Values = Readonly<Record<string, string>>;

/** Runs the command that the arguments of the process name; the exit code is set when it resolves. Wrong usage ends the process with 1. */
export async function runProgram(options: ProgramOptions): Promise<void> {
  await parserOf(options).parseAsync();
}

/** Runs nothing by itself; it has the help of every command. */
export function parserOf({ table, version, defaultConfigFile }: ProgramOptions): Parser {
  const program = new Parser('latchd')
    .description("A gateway for a building's door locks: a local HTTP API in front, MQTT to the locks behind.")
    .version(version)
    .showHelpAfterError('(--help shows what there is)')
    .addHelpText('after', programHelp);
  for (const line of table) {
    if ('run' in line) add(program, line);
    else {
      const group = program.command(line.name).description(line.says).addHelpText('after', groupHelp(line));
      for (const command of line.commands) add(group, command);
    }
  }
  return program;

  function add(parent: Parser, definition: Command): void {
    const parser = parent.command(definition.name).description(definition.says);
    for (const argument of definition.arguments ?? []) parser.addArgument(argumentOf(argument));
    for (const option of optionsOf(definition)) parser.addOption(optionOf(option));
    parser.addHelpText('after', commandHelp(definition));
    parser.action(async (...all: unknown[]) => {
      // commander passes the arguments, then the options, then itself.
      const values = all.at(-2) as Values;
      const named = (definition.arguments ?? []).map(({ name }, index) => [name, all[index]] as const);
      const given = { ...values, ...Object.fromEntries(named) };
      process.exitCode = await orSay(() => definition.run(given, surroundingsOf(values)));
    });
  }

  function surroundingsOf(values: Values): Surroundings {
    const loaded = () => {
      const flags = settings.flatMap(({ flag }) => {
        const value = values[memberOf(flag)];
        return value === undefined ? [] : [[flag, value] as const];
      });
      const file = values['config'] ?? (process.env['LATCHD_CONFIG'] || defaultConfigFile);
      return loadConfig({ file, environment: process.env, flags: Object.fromEntries(flags) });
    };
    return { loaded, configured: () => loaded().config, version };
  }
}

/** Resolves with the exit code; prints every failure. */
async function orSay(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [error instanceof Error ? error.message : String(error)];
    for (const problem of problems) say(`latchd: ${problem}`);
    return error instanceof ConfigError ? exitConfig : 1;
  }
}

/** commander calls the value of --http-port httpPort. */
function memberOf(flag: string): string {
  return flag.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function optionOf({ flag, value, says, required, choices, otherwise, read, isRepeatable }: Option): ParserOption {
  const option = new ParserOption(value === undefined ? flag : `${flag} ${value}`, says);
  if (choices) option.choices(choices);
  if (otherwise !== undefined) option.default(read ? read(otherwise) : otherwise);
  if (required) option.makeOptionMandatory();
  if (isRepeatable) return option.argParser((text, before: readonly unknown[] = []) => [...before, read ? reading(read)(text) : text]);
  return read ? option.argParser(reading(read)) : option;
}

function argumentOf({ name, says, optional, choices, read }: Argument): ParserArgument {
  const argument = new ParserArgument(optional ? `[${name}]` : `<${name}>`, says);
  if (choices) argument.choices(choices);
  return read ? argument.argParser(reading(read)) : argument;
}

function reading(read: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw error instanceof WrongValue ? new InvalidArgumentError(error.message) : error;
    }
  };
}
