// The types of the command table. The table consists of plain values, so that help, completion and the parser are made from the same lines.
import type { Config, LoadedConfig } from '../../app/config.ts';

export interface Option {
  /** `--lock`; the value arrives as `lock` (`--data-dir` as `dataDir`). */
  readonly flag: `--${string}`;
  /** `<lockId>`; absent: a switch, which arrives as true. */
  readonly value?: `<${string}>`;
  readonly says: string;
  readonly required?: true;
  /** The only allowed values. */
  readonly choices?: readonly string[];
  /** The default value. */
  readonly otherwise?: string;
  /** Converts the text to the value that arrives; throws a WrongValue. */
  readonly read?: (text: string) => unknown;
  /** It may be given several times, and arrives as a list. */
  readonly isRepeatable?: true;
}

export interface Argument {
  readonly name: string;
  readonly says: string;
  readonly optional?: true;
  readonly choices?: readonly string[];
  readonly read?: (text: string) => unknown;
}

/** What a command gets from the program that runs it. */
export interface Surroundings {
  /** The configuration for this command line. @throws ConfigError with every problem */
  configured(): Config;
  /** The same, with the origin of each value. */
  loaded(): LoadedConfig;
  readonly version: string;
}

export interface Command<Given = unknown> {
  readonly name: string;
  readonly says: string;
  /** Which settings it accepts as flags: all, only the data directory, or none. */
  readonly settings: 'all' | 'directory' | 'none';
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Shown below its help: command lines without `latchd`, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** The meaning of its exit codes, if they differ from the usual ones. */
  readonly exits?: readonly (readonly [code: number, meaning: string])[];
  /** Resolves with the exit code; a rejection is printed as one sentence, and the exit code is 1. */
  run(given: Given, surroundings: Surroundings): Promise<number>;
}

/** Commands with the same first word, such as `lock`. */
export interface Group {
  readonly name: string;
  readonly says: string;
  readonly commands: readonly Command[];
}

/** What is wrong with a value, as the end of a sentence: `it must be a positive integer.` */
export class WrongValue extends Error {}

/** A command whose options and arguments arrive as `Given`. */
export function command<Given>(definition: Command<Given>): Command {
  return definition as Command;
}
